import { packageFolder } from '../../../pipeline/base/paths.js';
import { median } from '../bench-line.js';
import { restartOnce, type Restart } from './restart.js';

/** Starts after a kill: medians, with least and most of the rounds. */
export interface Recovery {
  /** `this version`, the same again as its control, or another folder; `, idle`: without frames before the kill. */
  readonly version: string;
  /** Until the backlog is processed, seconds. */
  readonly seconds: Spread;
  /** Processor time of all threads until then, seconds. */
  readonly cpu: Spread;
  /** Frames that no checkpoint covered. */
  readonly backlog: Spread;
}

type Spread = readonly [middle: number, least: number, most: number];

export interface RecoveryOptions {
  readonly rounds: number;
  /** Frames per second of 20 links when it is killed. */
  readonly frames: number;
  /** Folder of another checkout that is compiled; null: none. */
  readonly against: string | null;
  readonly progress: (line: string) => void;
}

/** Kills and starts this version, the same again, and another one in turn; the first round warms up. */
export async function recoverySpeed({
  rounds,
  frames,
  against,
  progress,
}: RecoveryOptions): Promise<readonly Recovery[]> {
  const cases = [
    { version: 'this version', folder: packageFolder, rate: frames },
    { version: 'this version, again', folder: packageFolder, rate: frames },
    ...(against === null ? [] : [{ version: against, folder: against, rate: frames }]),
    { version: 'this version, idle', folder: packageFolder, rate: 0 },
  ];
  const starts = cases.map((): Restart[] => []);
  for (let round = 0; round <= rounds; round++) {
    progress(round === 0 ? 'warm-up' : `round ${round} of ${rounds}`);
    for (const [index, { folder, rate }] of cases.entries()) {
      const start = await restartOnce(rate, folder);
      if (round > 0) starts[index]!.push(start);
    }
  }
  return cases.map(({ version }, index) => {
    const spread = (part: keyof Restart): Spread => {
      const values = starts[index]!.map((start) => start[part]);
      return [median(values), Math.min(...values), Math.max(...values)];
    };
    return { version, seconds: spread('seconds'), cpu: spread('cpu'), backlog: spread('backlog') };
  });
}
