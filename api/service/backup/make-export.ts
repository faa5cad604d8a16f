import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../pipeline/base/folders.js';
import { isStore, type Reader, type TableSelection } from '../../../pipeline/component/index.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { daysSql, ofDay } from '../../../sinks/shared/days.js';
import { BACKUPS } from '../../../pipeline/state/index.js';

/** A file of an export; by day, the day that it is of: `2026-11-23`. */
export interface Export {
  readonly file: string;
  readonly rows: number;
  readonly day?: string;
}

/** Prefix of the name of every export: exports older than a day are removed. */
const PREFIX = 'export-';
const MAX_AGE_MS = 86_400_000;

/** Stores in files, by node, with the path as written in the topology. */
export function storeFiles({ nodes, folder }: CheckedTopology): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { id, component, config } of nodes) {
    if (!isStore(component, config)) continue;
    const claim = component.claims?.(config as never, folder).find(({ field }) => field === 'path');
    if (claim) files.set(id, claim.what);
  }
  return files;
}

/** A node that writes a store, and its topology. */
export interface OwnedStore {
  readonly running: RunningTopology;
  readonly node: string;
}

/** The topology and node whose store is this file, after resolving links. */
export function ownerOf(store: string, topologies: readonly RunningTopology[]): OwnedStore | undefined {
  for (const running of topologies)
    for (const [node, path] of storeFiles(running.topology))
      if (realPath(path) === realPath(store)) return { running, node };
  return undefined;
}

/**
 * Makes the owner of a store write a table to a new file in `backups` of the state folder: the only folder
 * that its SQL may write to. The caller moves it from there.
 * @throws Error if the node has no store that supports this
 */
export async function makeExport({ running, node }: OwnedStore, selection: TableSelection): Promise<Export> {
  const reader = await readerOf({ running, node });
  const folder = join(running.topology.settings.stateFolder, BACKUPS);
  makeFolder(folder);
  sweep(folder);
  const file = join(folder, `${PREFIX}${randomUUID()}.${selection.format}`);
  try {
    return { file, rows: await reader.exportTo(file, selection) };
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** The same with a file for each day (UTC) that has rows, oldest first. */
export async function makeExportByDay(
  store: OwnedStore,
  selection: TableSelection,
): Promise<readonly Export[]> {
  const { rows } = await (
    await readerOf(store)
  ).ask(daysSql(selection), { maxRows: MAX_DAYS, maxBytes: 2 ** 20 });
  const made: Export[] = [];
  try {
    for (const day of rows.map(([text]) => String(text)))
      made.push({ day, ...(await makeExport(store, ofDay(selection, day))) });
    return made;
  } catch (error) {
    for (const { file } of made) rmSync(file, { force: true });
    throw error;
  }
}

/** A hundred years. */
const MAX_DAYS = 36_525;

type Exporter = Reader & Required<Pick<Reader, 'exportTo' | 'ask'>>;

async function readerOf({ running, node }: OwnedStore): Promise<Exporter> {
  const reader = (await running.openReaders()).get(node);
  if (!reader?.exportTo || !reader.ask) throw new Error(`the store of ${node} is not open`);
  return reader as Exporter;
}

function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.startsWith(PREFIX) && statSync(path).mtimeMs < Date.now() - MAX_AGE_MS) rmSync(path);
  }
}

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
