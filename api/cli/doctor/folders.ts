import { closeSync, existsSync, openSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { userInfo } from 'node:os';
import { holderOf, lockFile } from '../../../pipeline/base/file-lock.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { ok, wrong, type Finding } from './finding.js';

/** Free space below which stores and state soon fail, bytes. */
const LEAST_BYTES = 100 * 2 ** 20;

/** Limit of an outbox if the topology sets none, bytes. */
const OUTBOX_BYTES = 2 ** 30;

interface DataFolder {
  readonly path: string;
  /** `the state`, `the sink history`. */
  readonly owner: string;
  /** What fills it may grow by this much while a store is offline, bytes. */
  readonly reserveBytes: number;
}

/** The folders that a topology writes to, each once. */
export function foldersOf({ nodes, folder, settings }: CheckedTopology): readonly DataFolder[] {
  const { stateFolder, accountsFolder = stateFolder, outboxLimitBytes = OUTBOX_BYTES } = settings;
  const stored = pathsOf(nodes, folder).map(({ path, owner }) => ({
    path: dirname(path),
    owner,
    reserveBytes: LEAST_BYTES,
  }));
  const all = [
    { path: stateFolder, owner: 'the state', reserveBytes: outboxLimitBytes },
    { path: accountsFolder, owner: 'the accounts', reserveBytes: LEAST_BYTES },
    ...stored,
  ];
  return all.filter(({ path }, index) => all.findIndex((other) => other.path === path) === index);
}

/** The files that sinks write, as they claim them. */
export const pathsOf = (nodes: CheckedTopology['nodes'], folder: string) =>
  nodes
    .filter(({ component }) => component.kind === 'sink')
    .flatMap(({ id, component, config }) =>
      (component.claims?.(config as never, folder) ?? [])
        .filter(({ field }) => field === 'path')
        .map(({ what }) => ({ path: what, owner: `the sink ${id}` })),
    );

/** Rights, file locks and free space of a folder, or of the nearest one above it that exists. */
export function folderUsable(
  { path, owner, reserveBytes }: DataFolder,
  free = freeBytes,
): readonly Finding[] {
  const folder = existing(path);
  const probe = join(folder, `.csiflow-doctor-${process.pid}`);
  try {
    lockFile(probe)();
  } catch (error) {
    return [unusable(`${folder}, the folder of ${owner},`, error)];
  }
  return [
    ok('folder', `${path}, the folder of ${owner}, can be written`),
    space(folder, owner, reserveBytes, free(folder)),
  ];
}

function space(folder: string, owner: string, reserveBytes: number, bytes: number): Finding {
  const has = `the disk of ${folder}, the folder of ${owner}, has ${size(bytes)} free`;
  const fix = `free some, move the folder to another disk, or delete earlier: \`settings.privacy.data_retention_days\``;
  if (bytes < LEAST_BYTES) return wrong('disk', 'failed', `${has}: writing soon fails`, fix);
  if (bytes < reserveBytes)
    return wrong(
      'disk',
      'warning',
      `${has}, less than the ${size(reserveBytes)} that an outbox may take while a store is offline`,
      `${fix}, or lower \`settings.outbox_limit_bytes\``,
    );
  return ok('disk', has);
}

/** Files of earlier runs that this account cannot open: an earlier run had another one. */
export function filesUsable({ nodes, folder, settings }: CheckedTopology): readonly Finding[] {
  const { stateFolder } = settings;
  const own = existsSync(stateFolder) ? readdirSync(stateFolder).map((name) => join(stateFolder, name)) : [];
  const stores = pathsOf(nodes, folder).map(({ path }) => path);
  const files = [...own, ...stores].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  const locked = files.flatMap((path) => {
    try {
      closeSync(openSync(path, 'r+'));
      return [];
    } catch (error) {
      return [unusable(path, error)];
    }
  });
  return locked.length > 0 || files.length === 0
    ? locked
    : [ok('files', `the ${files.length} files of earlier runs can be opened`)];
}

/** Time of the newest file of the state, microseconds; undefined: there is none. */
export function newestData({ settings: { stateFolder } }: CheckedTopology): number | undefined {
  if (!existsSync(stateFolder)) return undefined;
  const times = readdirSync(stateFolder).map((name) => statSync(join(stateFolder, name)).mtimeMs * 1000);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Whether another csiflow runs with this state or one of these stores. */
export function notInUse({ nodes, folder, settings }: CheckedTopology): readonly Finding[] {
  const locks = [
    join(settings.stateFolder, 'lock'),
    ...pathsOf(nodes, folder).map(({ path }) => `${path}.owner`),
  ];
  return locks.filter(existsSync).flatMap((lock) => {
    try {
      lockFile(lock)();
      return [];
    } catch (error) {
      const holder = holderOf(error);
      if (holder === undefined) throw error;
      return [
        wrong(
          'in-use',
          'failed',
          `${lock.replace(/\/lock$|\.owner$/, '')} is in use by ${holder}`,
          'stop that one first, or check it with --url',
        ),
      ];
    }
  });
}

function unusable(what: string, error: unknown): Finding {
  const account = userInfo().username;
  const rights = error instanceof Error && 'code' in error && /^(EACCES|EPERM)$/.test(String(error.code));
  return wrong(
    'folder',
    'failed',
    `${what} cannot be written: ${errorText(error)}`,
    rights
      ? `give it to this account: \`sudo chown -R ${account} ${what.split(',')[0]!}\`, or run csiflow as its owner`
      : 'set another folder (`settings.state_folder`, or the `path` of the sink), on a local disk that can be written',
  );
}

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const size = (bytes: number): string =>
  bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${Math.floor(bytes / 2 ** 20)} MiB`;
