import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { LinkTable } from '../../../pipeline/model/index.js';
import { restoreStores, STORES } from '../../../pipeline/runtime/checkpoints/copies.js';
import { checkState, lockFolder, RESTORING, STATE_FILE } from '../../../pipeline/state/index.js';
import { systemClock } from '../../../pipeline/base/clock.js';
import { makeFolder } from '../../../pipeline/base/folders.js';
import { createLogger } from '../../../pipeline/telemetry/log.js';
import { createMetrics } from '../../../pipeline/telemetry/metrics.js';
import { copyIfThere, stateFileNames } from './state-files.js';
import { checkedManifest } from './manifest.js';
import { codedError } from '../../../pipeline/base/error-text.js';

/**
 * Replaces a topology's state with a backup. It must be stopped.
 * @param replace moves the existing state aside; otherwise an existing state is an error
 * @returns where the old state was moved to; null if there was none
 * @throws Error `backup.damaged`, `backup.foreign`, `backup.occupied`, `state.locked`, `state.newer`,
 * `state.older`
 */
export async function restoreBackup(
  folder: string,
  topology: CheckedTopology,
  { replace }: { readonly replace: boolean },
): Promise<string | null> {
  const { stateFolder } = topology.settings;
  const manifest = await checkedManifest(folder);
  if (manifest.topology !== topology.id)
    throw codedError(
      'backup.foreign',
      `${folder} is a backup of the topology ${manifest.topology}, not of ${topology.id}`,
    );
  const unlock = lockFolder(stateFolder, { restores: true });
  try {
    const brokenOff = asideOf(stateFolder);
    const aside = brokenOff ?? `before-restore-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
    const old = oldNames(stateFolder);
    if (old.length > 0 && !replace && brokenOff === null)
      throw codedError(
        'backup.occupied',
        `${stateFolder} already contains a state (${old.join(', ')}): pass --replace to move it aside`,
      );
    const part = join(stateFolder, PART);
    rmSync(part, { recursive: true, force: true });
    const files = manifest.files.filter(({ path }) => !path.startsWith(`${STORES}/`));
    for (const { path } of files) copyIfThere(join(folder, path), join(part, path));
    checkState(part, topology.id, join(folder, STATE_FILE));
    const swapStores = await restoreStores(nodesOptions(topology), folder, aside);
    // Everything is on this disk. From here on there are only renames, and the last of them enables a start.
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

/** Data to be moved into place is stored here first. */
const PART = '.restore.part';

/** Where an interrupted restore moved the old state; null if there was none. */
function asideOf(stateFolder: string): string | null {
  const marker = join(stateFolder, RESTORING);
  return existsSync(marker) ? readFileSync(marker, 'utf8') : null;
}

/** Data already aside is the old state; data in its place then came from an interrupted restore. */
function moveAside(from: string, to: string): void {
  if (existsSync(to)) rmSync(from, { recursive: true, force: true });
  else renameSync(from, to);
}

const oldNames = (stateFolder: string): readonly string[] => [
  ...[STATE_FILE, `${STATE_FILE}-lock`].filter((name) => existsSync(join(stateFolder, name))),
  ...stateFileNames(stateFolder),
];

const nodesOptions = (topology: CheckedTopology) => ({
  topology,
  links: new LinkTable(topology.environments),
  clock: systemClock,
  log: createLogger({ level: 'warn' }),
  metrics: createMetrics(),
  tracer: null,
});
