import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { restoreStores, STORES } from '../../pipeline/runtime/copies.js';
import type { RunningTopology } from '../../pipeline/runtime/status.js';
import {
  BACKUPS,
  checkLayout,
  KEY_FILE,
  lockFolder,
  RESTORING,
  stateError,
  STATE_FILE,
} from '../../pipeline/state/index.js';
import { systemClock } from '../../pipeline/telemetry/clock.js';
import { makeFolder } from '../../pipeline/telemetry/folders.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { packageVersion } from '../../pipeline/telemetry/paths.js';

/** Counts up with each change that an earlier csiflow could not restore. */
const LAYOUT = 1;
const MANIFEST = 'manifest.json';

const ManifestSchema = Type.Object({
  version: Type.Integer(),
  /** csiflow's version that made it. */
  by: Type.String(),
  topology: Type.String(),
  created_at: Type.String(),
  files: Type.Array(Type.Object({ path: Type.String(), bytes: Type.Integer(), sha256: Type.String() })),
});
type Manifest = Static<typeof ManifestSchema>;

export interface Backup {
  readonly folder: string;
  readonly created_at: string;
  readonly files: number;
  readonly bytes: number;
}

/** Beside the state itself: accounts and keys, alerts that live clients were told, results that wait for their checkpoint. */
const KEPT = /^[^.].*\.(json|key|told|spool)$/;

/** Backups that this process is making. */
const underWay = new Set<string>();

/**
 * Copies all that a topology keeps on this machine to a new folder below `backups` of its state folder, while it
 * runs or not. The folder is complete or not there, and only its owner can read it.
 */
export async function makeBackup(topology: RunningTopology): Promise<Backup> {
  const { stateFolder } = topology.topology.settings;
  const createdAt = new Date().toISOString();
  const folder = join(stateFolder, BACKUPS, createdAt.replaceAll(/[-:.]/g, ''));
  const part = `${folder}.part`;
  sweep(join(stateFolder, BACKUPS));
  underWay.add(part);
  makeFolder(part);
  try {
    chmodSync(part, 0o700);
    await topology.copyTo(part);
    for (const path of keptFiles(stateFolder)) copyIfThere(join(stateFolder, path), join(part, path));
    const files = await describeFiles(part);
    const manifest: Manifest = {
      version: LAYOUT,
      by: packageVersion(),
      topology: topology.topology.id,
      created_at: createdAt,
      files,
    };
    writeFileSync(join(part, MANIFEST), JSON.stringify(manifest, null, 2), { mode: 0o600 });
    renameSync(part, folder);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { folder, created_at: createdAt, files: files.length, bytes };
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  } finally {
    underWay.delete(part);
  }
}

/** Removes what killed processes have left of their backups. */
function sweep(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.part') && !underWay.has(path)) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Puts a backup in the place of what a topology keeps. It must not run.
 * @param replace what is there is moved aside; else its being there is an error
 * @returns where the old state was moved to; null where there was none
 * @throws Error `backup.damaged`, `backup.foreign`, `backup.occupied`, `state.locked`, `state.newer`
 */
export async function restoreBackup(
  folder: string,
  topology: CheckedTopology,
  { replace }: { readonly replace: boolean },
): Promise<string | null> {
  const { stateFolder } = topology.settings;
  const manifest = await checkedManifest(folder);
  if (manifest.topology !== topology.id)
    throw stateError(
      'backup.foreign',
      `${folder} is a backup of the topology ${manifest.topology}, not of ${topology.id}`,
    );
  const unlock = lockFolder(stateFolder, { restores: true });
  try {
    const brokenOff = asideOf(stateFolder);
    const aside = brokenOff ?? `before-restore-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
    const old = oldNames(stateFolder);
    if (old.length > 0 && !replace && brokenOff === null)
      throw stateError(
        'backup.occupied',
        `${stateFolder} holds a state already (${old.join(', ')}): say --replace to move it aside`,
      );
    const part = join(stateFolder, PART);
    rmSync(part, { recursive: true, force: true });
    const files = manifest.files.filter(({ path }) => !path.startsWith(`${STORES}/`));
    for (const { path } of files) copyIfThere(join(folder, path), join(part, path));
    const swapStores = await restoreStores(nodesOptions(topology), folder, aside);
    // All is on this disk. From here on there are renames alone, and no start before the last of them.
    writeFileSync(join(stateFolder, RESTORING), aside);
    swapStores();
    if (old.length > 0) makeFolder(join(stateFolder, aside));
    for (const name of old) moveAside(join(stateFolder, name), join(stateFolder, aside, name));
    for (const name of readdirSync(part)) renameSync(join(part, name), join(stateFolder, name));
    rmSync(part, { recursive: true, force: true });
    rmSync(join(stateFolder, RESTORING));
    return existsSync(join(stateFolder, aside)) ? join(stateFolder, aside) : null;
  } finally {
    unlock();
  }
}

/** What is put in place lies here first. */
const PART = '.restore.part';

/** Where a restore that was broken off has moved the old state; null where there was none. */
function asideOf(stateFolder: string): string | null {
  const marker = join(stateFolder, RESTORING);
  return existsSync(marker) ? readFileSync(marker, 'utf8') : null;
}

/** What lies aside already is the old one; what is in its place then came by a restore that was broken off. */
function moveAside(from: string, to: string): void {
  if (existsSync(to)) rmSync(from, { recursive: true, force: true });
  else renameSync(from, to);
}

/** @throws Error where a file is missing, changed, or of another layout. */
async function checkedManifest(folder: string): Promise<Manifest> {
  const manifest = readManifest(folder);
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = join(folder, path);
    const same = existsSync(file) && statSync(file).size === bytes && (await digest(file)) === sha256;
    if (!same) throw stateError('backup.damaged', `${file} is not as it was backed up: take another backup`);
  }
  return manifest;
}

function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw stateError('backup.damaged', `${folder} is no backup: ${file} cannot be read`, error);
  }
  if (typeof content === 'object' && content !== null && 'version' in content)
    checkLayout(file, content.version, LAYOUT);
  if (Value.Check(ManifestSchema, content) && content.files.every(({ path }) => isInside(path)))
    return content;
  throw stateError('backup.damaged', `${file} is damaged: take another backup`);
}

/** A path of a manifest leads to no place outside of its folder. */
const isInside = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');

/** Names of files and folders. The key is not among them: it guards what is copied, and stays where it is at a restore. */
const keptNames = (stateFolder: string): readonly string[] =>
  readdirSync(stateFolder).filter((name) => KEPT.test(name) && name !== KEY_FILE);

/** Paths of files. */
const keptFiles = (stateFolder: string): readonly string[] =>
  keptNames(stateFolder).flatMap((name) => {
    const path = join(stateFolder, name);
    return statSync(path).isDirectory() ? readdirSync(path).map((file) => join(name, file)) : [name];
  });

const oldNames = (stateFolder: string): readonly string[] => [
  ...[STATE_FILE, `${STATE_FILE}-lock`].filter((name) => existsSync(join(stateFolder, name))),
  ...keptNames(stateFolder),
];

/** Results that wait are delivered meanwhile, and their file is gone: they need no copy then. */
function copyIfThere(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}

/** Of all files below a folder; makes them readable for their owner alone. */
async function describeFiles(folder: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    chmodSync(file, 0o600);
    files.push({ path: relative(folder, file), bytes: statSync(file).size, sha256: await digest(file) });
  }
  return files;
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

const nodesOptions = (topology: CheckedTopology) => ({
  topology,
  links: new LinkTable(topology.environments),
  clock: systemClock,
  log: createLogger({ level: 'warn' }),
  metrics: createMetrics(),
  tracer: null,
});
