import { readFileSync, statfsSync } from 'node:fs';
import { freemem, platform } from 'node:os';

const MEMORY = '/dev/shm';
/** Bytes, a hundred times what the files of a run take up at once: 33 MB at most. */
export const ENOUGH = 4 * 2 ** 30;

interface Machine {
  /** File systems, as Linux lists them. */
  readonly mounts: string;
  /** Free bytes of the memory, and of the file system in it. */
  readonly free: number;
}

/** The folder whose files lie in memory; null without one that holds programs too, and has room. */
export function folderInMemory({ mounts, free }: Machine): string | null {
  const fields = mounts.split('\n').map((line) => line.split(' '));
  const options = fields.find(([, at, type]) => at === MEMORY && type === 'tmpfs')?.[3]?.split(',');
  const isUsable = options?.includes('rw') === true && !options.includes('noexec');
  return isUsable && free >= ENOUGH ? MEMORY : null;
}

function thisMachine(): Machine {
  if (platform() !== 'linux') return { mounts: '', free: 0 };
  const mounts = readFileSync('/proc/self/mounts', 'utf8');
  if (!mounts.includes(` ${MEMORY} `)) return { mounts, free: 0 };
  const { bavail, bsize } = statfsSync(MEMORY);
  return { mounts, free: Math.min(bavail * bsize, freemem()) };
}

/**
 * `npm test` creates, syncs and removes thousands of small files. In memory, that takes less processor time, and never
 * waits for a disk. A TMPDIR that is set is used as it is.
 */
export default function filesInMemory(): (() => void) | undefined {
  const folder = folderInMemory(thisMachine());
  if (folder === null || process.env['TMPDIR'] !== undefined) return undefined;
  process.env['TMPDIR'] = folder;
  return () => Reflect.deleteProperty(process.env, 'TMPDIR');
}
