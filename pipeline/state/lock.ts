import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnFolder } from '../telemetry/folders.js';

/** Folders that this process holds. */
const held = new Set<string>();

/** In a state folder: a restore has begun, and is not through. Holds the name of the folder that the old state is moved to. */
export const RESTORING = 'restoring';

/**
 * Keeps a second process out of a state folder: two of them would each undo what the other stored.
 * A lock left behind by a killed process is taken over.
 * @param restores goes on with a restore that was broken off
 * @returns how to release it
 * @throws Error with code `state.locked`, naming the process that holds it; `state.restoring`
 */
export function lockFolder(folder: string, { restores = false } = {}): () => void {
  makeOwnFolder(folder);
  const file = join(folder, 'lock');
  if (held.has(folder)) throw locked(folder, process.pid);
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, `${process.pid} ${startOf(process.pid)}`, { flag: 'wx' });
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST') || attempt > 2) throw error;
      const [pid = '0', start = ''] = readIfThere(file).split(' ');
      if (isAlive(Number(pid)) && startOf(Number(pid)) === start) throw locked(folder, Number(pid));
      rmSync(file, { force: true });
    }
  }
  held.add(folder);
  const unlock = () => {
    if (held.delete(folder)) rmSync(file, { force: true });
  };
  if (restores || !existsSync(join(folder, RESTORING))) return unlock;
  unlock();
  throw Object.assign(
    new Error(
      `a restore into ${folder} was broken off, so state and stores may not belong together: run \`csiflow restore\` again, with the same backup`,
    ),
    { code: 'state.restoring' },
  );
}

const locked = (folder: string, pid: number) =>
  Object.assign(
    new Error(
      `${folder} is in use by process ${pid}: stop that one first, or give this topology another state folder`,
    ),
    { code: 'state.locked', pid },
  );

/** This process itself only held the lock if it is in `held`; else its number was used before. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process began, so that a reused number is not mistaken for it; empty where the system does not say. */
function startOf(pid: number): string {
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
