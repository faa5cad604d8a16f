import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  knownIn,
  knowsEmpty,
  partsOfOthers,
  reductionOf,
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
  const rooms = new Rooms(emptyIn(out, topology));
  await hearWindows(topology, windows, rooms, { ...settings, ...WALKING });
  const measured = rooms.echoes(print);
  if (Object.keys(measured).length === 0)
    throw new CommandError(`no echo was measured: ${out} stays as it was`);
  // Somebody may have measured the empty room meanwhile, or removed the file.
  emptyIn(out, topology);
  const { profiles, echoes } = formerOf(out);
  const others = partsOfOthers(readJsonFile(out) as Readonly<Record<string, unknown>>);
  const next = { profiles, echoes: { ...echoes, ...measured } };
  writeCalibration(out, next, others);
  print(`wrote the echoes of ${Object.keys(measured).join(', ')} to ${out}`);
  return { ...next, links: (others['links'] ?? {}) as LearntLinks };
}

/** The environments whose empty room a file knows. @throws CommandError if there are none */
function emptyIn(file: string, { id, environments }: CheckedTopology): readonly Environment[] {
  const former = formerOf(file);
  const known = environments.filter((environment) => knowsEmpty(former, environment));
  if (known.length > 0) return known;
  throw new CommandError(
    `${file} has no empty room of ${id} yet: run this command without --walker first`,
    EXIT.invalid,
  );
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
        print(`people change the channels of ${id} by ${relative(echoDb)}`);
      }
      if (doubt !== null) print(doubt);
    }
    return echoes;
  }
}

function relative(echoDb: number): string {
  const reduced = reductionOf(echoDb);
  const effect =
    reduced === 0
      ? 'as usual, so nothing will be reduced'
      : `infer-pose will reduce all changes by ${reduced} dB`;
  return `${Math.abs(echoDb)} dB ${echoDb < 0 ? 'less' : 'more'} than those of training: ${effect}`;
}

/** What a file knows of rooms. @throws CommandError if it is no calibration, or cannot be written */
export function formerOf(file: string): RoomCalibration {
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new CommandError(`${folder} does not exist: create the folder`, EXIT.invalid);
  try {
    return knownIn(file);
  } catch (error) {
    throw new CommandError(
      `${file} is not a calibration: move it away, or choose another file with --out (${errorText(error)})`,
      EXIT.invalid,
    );
  }
}
