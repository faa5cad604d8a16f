import type { CheckedTopology } from '../../config/topology.js';
import {
  DeadLetters,
  lookAtState,
  StateStore,
  type DeadLetter,
  type LetterQuery,
} from '../../state/index.js';
import type { NotReplayed } from './replays.js';
import { knownKeysOf, stateKeysOf } from '../privacy/privacy.js';
import type { Run } from '../run.js';

/** Which letters are meant: those of these ids, else those of a node, else all. */
export interface LetterSelection {
  readonly ids?: readonly number[];
  readonly node?: string;
}

export interface ReplayResult {
  /** Letters that are given to their nodes: at once where the topology runs, else by its next start. */
  readonly replayed: readonly number[];
  readonly refused: readonly NotReplayed[];
}

/** The dead letters of a topology, whether it runs or not. */
export interface LetterDesk {
  /** Oldest first. `total` is without `limit` and `offset`. */
  list(query?: LetterQuery): Promise<{ readonly letters: readonly DeadLetter[]; readonly total: number }>;
  show(id: number): Promise<DeadLetter | undefined>;
  /** Gives records to their nodes once more. One that fails again stays, with its new reason. */
  replay(selection: LetterSelection): Promise<ReplayResult>;
  /** Forgets letters, and gives how many. */
  drop(selection: LetterSelection): Promise<number>;
}

/**
 * Over a state folder. What is only looked at may be that of a topology which another process runs.
 * @param run the run that has the folder open; undefined where it is to be opened
 * @throws Error `state.locked` where letters are to be replayed or dropped, and another process runs the topology
 */
export function letterDesk(
  topology: () => Pick<CheckedTopology, 'id' | 'settings'>,
  run: () => Pick<Run, 'deadLetters' | 'replayAsked'> | undefined = () => undefined,
): LetterDesk {
  const use = async <T>(work: (letters: DeadLetters) => Promise<T>): Promise<T> => {
    const open = run()?.deadLetters();
    if (open) {
      await open.settled();
      return work(open);
    }
    const { id, settings } = topology();
    const { key, formerKey = null } = stateKeysOf(settings);
    const store = new StateStore(settings.stateFolder, id, key, formerKey);
    try {
      return await work(new DeadLetters(store));
    } finally {
      await store.close();
    }
  };
  const look = async <T>(work: (letters: DeadLetters) => T): Promise<T | undefined> => {
    const open = run()?.deadLetters();
    if (open) {
      await open.settled();
      return work(open);
    }
    const { id, settings } = topology();
    return lookAtState(settings.stateFolder, id, knownKeysOf(settings), (view) =>
      DeadLetters.areIn(view) ? work(new DeadLetters(view)) : undefined,
    );
  };
  return {
    list: async (query = {}) =>
      (await look((letters) => ({ letters: letters.list(query), total: letters.count(query) }))) ?? {
        letters: [],
        total: 0,
      },
    show: (id) => look((letters) => letters.get(id)),
    replay: (selection) =>
      use(async (letters) => {
        const ids = selected(letters, selection);
        letters.askReplay(ids);
        await letters.settled();
        const refused = [...unknown(letters, selection), ...(run()?.replayAsked() ?? [])];
        return { replayed: ids.filter((id) => refused.every((one) => one.id !== id)), refused };
      }),
    drop: (selection) =>
      use(async (letters) => {
        const ids = selected(letters, selection);
        letters.remove(ids);
        await letters.settled();
        return ids.length;
      }),
  };
}

const unknown = (letters: DeadLetters, { ids = [] }: LetterSelection): readonly NotReplayed[] =>
  ids
    .filter((id) => letters.get(id) === undefined)
    .map((id) => ({ id, reason: 'there is no such letter: it was delivered, dropped, or pushed out' }));

function selected(letters: DeadLetters, { ids, node }: LetterSelection): readonly number[] {
  if (ids) return ids.filter((id) => letters.get(id) !== undefined);
  return letters.list(node === undefined ? {} : { node }).map(({ id }) => id);
}
