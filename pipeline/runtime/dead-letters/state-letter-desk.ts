import type { CheckedTopology } from '../../config/topology/topology.js';
import { DeadLetters, lookAtState, StateStore } from '../../state/index.js';
import type { LetterDesk, LetterSelection, NotReplayed } from './letter-desk.js';
import type { LetterHolder } from './letter-holder.js';
import { knownKeysOf, stateKeysOf } from '../privacy/privacy.js';

/**
 * Over a state folder. Reading also works while another process runs the topology.
 * @param run the run that has the folder open; undefined if it has to be opened
 * @throws Error `state.locked` if letters must be replayed or dropped while another process runs the topology
 */
export function letterDesk(
  topology: () => Pick<CheckedTopology, 'id' | 'settings'>,
  run: () => LetterHolder | undefined = () => undefined,
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
    .map((id) => ({ id, reason: 'the letter does not exist: it was delivered, dropped, or pushed out' }));

function selected(letters: DeadLetters, { ids, node }: LetterSelection): readonly number[] {
  if (ids) return ids.filter((id) => letters.get(id) !== undefined);
  return letters.list(node === undefined ? {} : { node }).map(({ id }) => id);
}
