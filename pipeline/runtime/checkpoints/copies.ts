import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Sink } from '../../component/index.js';
import { stateKeysOf } from '../privacy/privacy.js';
import { StateStore, STATE_FILE } from '../../state/index.js';
import { makeFolder } from '../../base/folders.js';
import { Nodes, type NodesOptions } from '../nodes/nodes.js';
import { named } from '../nodes/node-error.js';
import { codedError } from '../../base/error-text.js';

/** Where a backup holds the copies of stores: one folder per node. */
export const STORES = 'stores';

/**
 * Copies open stores. Call it after the state was copied: rows added since then belong to later epochs, and a
 * start from the copy removes them.
 */
export async function copyStores(nodes: Nodes, folder: string): Promise<void> {
  for (const node of nodes.of('sink')) {
    const sink = nodes.sink(node.id);
    if (!sink.copyTo) continue;
    const to = join(folder, STORES, node.id);
    makeFolder(to);
    await named(node, sink.copyTo(to));
  }
}

/** Copies the whole state of a stopped topology. @throws Error `backup.nothing` if it has none */
export async function copyStopped(options: NodesOptions, folder: string): Promise<void> {
  const { id, settings } = options.topology;
  if (!existsSync(join(settings.stateFolder, STATE_FILE)))
    throw codedError('backup.nothing', `${settings.stateFolder} holds no state: ${id} has never run there`);
  const { key, formerKey = null } = stateKeysOf(settings);
  const state = new StateStore(settings.stateFolder, id, key, formerKey);
  try {
    await state.copyTo(join(folder, STATE_FILE));
    const nodes = new Nodes(options);
    nodes.create();
    await whileOpen(nodes, () => copyStores(nodes, folder));
  } finally {
    await state.close();
  }
}

/**
 * Places copies of stores beside the stores. The returned function puts them in place for the next start, and
 * moves the old stores to names ending in `aside`.
 */
export async function restoreStores(
  options: NodesOptions,
  folder: string,
  aside: string,
): Promise<() => void> {
  const swaps: (() => void)[] = [];
  const nodes = new Nodes(options);
  nodes.create();
  for (const node of nodes.of('sink')) {
    const from = join(folder, STORES, node.id);
    const sink = nodes.sink(node.id);
    if (sink.restoreFrom && existsSync(from)) swaps.push(await named(node, sink.restoreFrom(from, aside)));
  }
  return () => {
    for (const swap of swaps) swap();
  };
}

async function whileOpen(nodes: Nodes, work: () => Promise<void>): Promise<void> {
  const opened: Sink[] = [];
  try {
    for (const node of nodes.of('sink')) {
      const sink = nodes.sink(node.id);
      // A sink that is not a store would start delivering.
      if (!sink.copyTo || !sink.reader) continue;
      await named(node, sink.open());
      opened.push(sink);
    }
    await work();
  } finally {
    for (const sink of opened) await sink.close();
  }
}
