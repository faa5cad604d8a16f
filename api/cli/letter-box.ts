import type { LetterDesk, LetterSelection } from '../../pipeline/runtime/dead-letters/letter-desk.js';
import { letterDesk } from '../../pipeline/runtime/dead-letters/state-letter-desk.js';
import { letterBody, wholeLetterBody } from '../contract/letters.js';
import { registryWith } from '../plugins.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { askWhole, type RemoteOptions } from './remote.js';
import { loadForCommand } from './topologies.js';

export interface Refused {
  readonly id: number;
  readonly reason: string;
}

export interface Replayed {
  /** Replayed to their nodes: immediately if the topology runs, otherwise at its next start. */
  readonly replayed: readonly number[];
  readonly refused: readonly Refused[];
  readonly running: boolean;
}

/** Dead letters of a state folder, or of a running csiflow. */
export interface LetterBox {
  list(node: string | undefined, page: number, perPage: number): Promise<{ letters: unknown; total: number }>;
  show(id: number): Promise<unknown>;
  replay(selection: LetterSelection): Promise<Replayed>;
  drop(selection: LetterSelection): Promise<number>;
}

/**
 * @param remote always calls the running csiflow; otherwise only for a change, if the lock of the state
 * folder shows that it runs
 */
export async function openLetterBox(
  file: string,
  options: RemoteOptions & { readonly plugin: readonly string[] },
  remote: boolean,
): Promise<LetterBox> {
  const variables = { env: process.env, secrets: process.env['CSIFLOW_SECRETS'] };
  const topology = loadForCommand(file, variables, await registryWith(options.plugin));
  const running = remoteBox(options, topology.id);
  return remote
    ? running
    : localBox(
        letterDesk(() => topology),
        topology.id,
        running,
      );
}

const localBox = (desk: LetterDesk, topology: string, running: LetterBox): LetterBox => ({
  list: async (node, page, limit) => {
    const query = { limit, offset: (page - 1) * limit, ...(node !== undefined && { node }) };
    const { letters, total } = await desk.list(query);
    return { letters: letters.map(letterBody), total };
  },
  show: async (id) => {
    const letter = await desk.show(id);
    if (letter) return wholeLetterBody(letter);
    throw new CommandError(`${topology} has no dead letter ${id}`, EXIT.invalid);
  },
  replay: (selection) =>
    unlessLocked(
      async () => ({ ...(await desk.replay(selection)), running: false }),
      () => running.replay(selection),
    ),
  drop: (selection) =>
    unlessLocked(
      () => desk.drop(selection),
      () => running.drop(selection),
    ),
});

async function unlessLocked<T>(change: () => Promise<T>, ask: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'state.locked') return ask();
    throw error;
  }
}

function remoteBox(options: RemoteOptions, topology: string): LetterBox {
  const path = `/topologies/${encodeURIComponent(topology)}/dead-letters`;
  const only = (node: string | undefined) => (node === undefined ? '' : `node=${encodeURIComponent(node)}`);
  return {
    list: async (node, page, limit) => {
      const query = [`page=${page}`, `per_page=${limit}`, only(node)].filter((one) => one !== '').join('&');
      const { data, pagination } = await askWhole(options, 'GET', `${path}?${query}`);
      return { letters: data, total: pagination?.total ?? 0 };
    },
    show: async (id) => (await askWhole(options, 'GET', `${path}/${id}`)).data,
    replay: async (selection) => {
      const { data } = await askWhole(options, 'POST', `${path}/replay`, selection);
      return { ...(data as Omit<Replayed, 'running'>), running: true };
    },
    drop: async ({ ids, node }) => {
      let dropped = 0;
      for (const query of ids ? inParts(ids) : [only(node)]) {
        const { data } = await askWhole(options, 'DELETE', `${path}?${query}`);
        dropped += (data as { dropped: number }).dropped;
      }
      return dropped;
    },
  };
}

/** Few calls for many letters, because calls are rate-limited. */
function inParts(ids: readonly number[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < ids.length; at += IDS_OF_A_CALL)
    parts.push(`ids=${ids.slice(at, at + IDS_OF_A_CALL).join(',')}`);
  return parts;
}

const IDS_OF_A_CALL = 500;
