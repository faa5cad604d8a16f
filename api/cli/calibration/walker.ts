import { existsSync } from 'node:fs';
import {
  partsOfOthers,
  readCalibration,
  UNCALIBRATED,
  writeCalibration,
  type Calibration,
  type Echoes,
} from '../../../operators/infer-pose/model/calibration.js';
import { EchoLearner } from '../../../operators/infer-pose/windows/echo.js';
import { readJsonFile } from '../../../operators/shared/json-file.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Window } from '../../../pipeline/model/index.js';
import { hearWindows } from './hear.js';
import type { LearntLinks } from './learning.js';
import type { CalibrateSettings, Measured } from './settings.js';

/**
 * Adds the echoes of rooms in which one person walks to a calibration of the empty rooms.
 * @param windows the node whose windows are heard
 * @throws CommandError if the file has no profiles yet, or if nobody walks
 */
export async function withWalker(
  topology: CheckedTopology,
  windows: string | undefined,
  settings: CalibrateSettings,
): Promise<Measured> {
  const { out, print } = settings;
  if (windows === undefined)
    throw new CommandError(
      `${topology.id} has no calibrated pose network, such as infer-pose: pass its window operator with --node`,
      EXIT.invalid,
    );
  const former = formerOf(out);
  if (Object.keys(former.profiles).length === 0)
    throw new CommandError(
      `${out} has no empty room yet: run this command without --walker first`,
      EXIT.invalid,
    );
  const rooms = new Rooms(topology);
  const what = {
    wanted: 'one person must walk about the room, and nobody else be there',
    less: 'the echo is',
  };
  await hearWindows(topology, windows, rooms, { ...settings, ...what });
  const measured = rooms.echoes(print);
  if (Object.keys(measured).length === 0) throw new CommandError(`nobody walked: ${out} stays as it was`);
  const echoes = { ...former.echoes, ...measured };
  const others = partsOfOthers(readJsonFile(out) as Readonly<Record<string, unknown>>);
  writeCalibration(out, { ...former, echoes }, others);
  print(`wrote the echoes of ${Object.keys(measured).join(', ')} to ${out}`);
  return { ...former, echoes, links: (others['links'] ?? {}) as LearntLinks };
}

/** One learner for each room of a topology. */
class Rooms {
  readonly #learners: ReadonlyMap<string, EchoLearner>;

  constructor({ environments }: CheckedTopology) {
    this.#learners = new Map(
      environments.map((environment) => [environment.id, new EchoLearner(environment)]),
    );
  }

  add(window: Window): void {
    this.#learners.get(window.environment)?.add(window);
  }

  get heardSeconds(): number {
    return Math.max(...[...this.#learners.values()].map(({ heardSeconds }) => heardSeconds));
  }

  echoes(print: (line: string) => void): Echoes {
    const echoes: Record<string, number> = {};
    for (const [id, { echoDb }] of this.#learners) {
      if (echoDb === null) print(`nobody walked in ${id}, or none of its links sent`);
      else {
        print(`people change the channels of ${id} by ${echoDb} dB relative to those of training`);
        echoes[id] = echoDb;
      }
    }
    return echoes;
  }
}

/** The calibration that a file has, if it has one. */
export function formerOf(file: string): Calibration {
  return existsSync(file) ? readCalibration(file) : UNCALIBRATED;
}
