import { chmodSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { BACKUPS } from '../../../pipeline/state/index.js';
import { makeFolder } from '../../../pipeline/base/folders.js';
import { packageVersion } from '../../../pipeline/base/paths.js';
import { copyIfThere, stateFiles } from './state-files.js';
import { describeFiles, LAYOUT, MANIFEST, type Manifest } from './manifest.js';

export interface Backup {
  readonly folder: string;
  readonly created_at: string;
  readonly files: number;
  readonly bytes: number;
}

/** Backups in progress in this process. */
const underWay = new Set<string>();

/**
 * Copies everything that a topology stores on this machine to a new folder below `backups` of its state
 * folder, running or stopped. The folder appears atomically, and only its owner can read it.
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
    for (const path of stateFiles(stateFolder)) copyIfThere(join(stateFolder, path), join(part, path));
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

/** Removes unfinished backups of killed processes. */
function sweep(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.part') && !underWay.has(path)) rmSync(path, { recursive: true, force: true });
  }
}
