import {
  knownIn,
  knowsEmpty,
  partsOfOthers,
  writeCalibration,
  type Echoes,
  type RoomCalibration,
} from '../../../operators/infer-pose/model/calibration.js';
import { EchoLearner } from '../../../operators/infer-pose/windows/echo.js';
import { readJsonFile } from '../../../operators/shared/json-file.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Environment, Window } from '../../../pipeline/model/index.js';
import { hearWindows } from './hear.js';
import type { LearntLinks } from './learning.js';
import type { CalibrateSettings, Measured } from './settings.js';

/**
 * Adds the echoes of rooms in which one person walks to a calibration of the empty rooms.
 * @param windows the node whose windows are heard
 * @throws CommandError if the file does not know the empty room, or if nobody walks
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
  const known = topology.environments.filter((environment) => knowsEmpty(former, environment));
  if (known.length === 0)
    throw new CommandError(
      `${out} has no empty room of ${topology.id} yet: run this command without --walker first`,
      EXIT.invalid,
    );
  const rooms = new Rooms(known);
  await hearWindows(topology, windows, rooms, { ...settings, ...WALKING });
  const measured = rooms.echoes(print);
  if (Object.keys(measured).length === 0)
    throw new CommandError(`no echo was measured: ${out} stays as it was`);
  // Read again: somebody may have measured the empty room meanwhile.
  const { profiles, echoes } = formerOf(out);
  const others = partsOfOthers(readJsonFile(out) as Readonly<Record<string, unknown>>);
  const next = { profiles, echoes: { ...echoes, ...measured } };
  writeCalibration(out, next, others);
  print(`wrote the echoes of ${Object.keys(measured).join(', ')} to ${out}`);
  return { ...next, links: (others['links'] ?? {}) as LearntLinks };
}

const WALKING = {
  wanted: 'one person must walk about the room, and nobody else be there, nor a pet',
  less: 'the echo is',
};

/** One learner for each room. */
class Rooms {
  readonly #learners: ReadonlyMap<string, EchoLearner>;

  constructor(environments: readonly Environment[]) {
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

  /** The echoes of rooms that have one; prints why others do not. */
  echoes(print: (line: string) => void): Echoes {
    const echoes: Record<string, number> = {};
    for (const [id, { echoDb, problem, doubt }] of this.#learners) {
      if (echoDb === null) print(problem!);
      else {
        echoes[id] = echoDb;
        print(`people change the channels of ${id} by ${relative(echoDb)} than those of training`);
      }
      if (doubt !== null) print(doubt);
    }
    return echoes;
  }
}

const relative = (echoDb: number): string => `${Math.abs(echoDb)} dB ${echoDb < 0 ? 'less' : 'more'}`;

/** What a file knows of rooms. @throws CommandError if it is no calibration */
export function formerOf(file: string): RoomCalibration {
  try {
    return knownIn(file);
  } catch (error) {
    throw new CommandError(
      `${errorText(error)} Move it away, or choose another file with --out.`,
      EXIT.invalid,
    );
  }
}
