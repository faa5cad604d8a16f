import { existsSync, readFileSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';

/** Bytes transferred since a starting point; 0 if the system does not report it (it is not Linux). */
export interface Transfers {
  /** Read from and written to disks by this process. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Received and sent by the network's interfaces, except the loopback. */
  readonly bytesIn: number;
  readonly bytesOut: number;
}

const NETWORK = '/proc/self/net/dev';
const DISKS = '/proc/self/io';

export function transfers(): Transfers {
  const disks = readIfThere(DISKS);
  const interfaces = readIfThere(NETWORK)
    .split('\n')
    .map((line) => /^\s*([^:\s]+):\s*(.*)$/.exec(line))
    .filter((match) => match !== null && match[1] !== 'lo')
    .map((match) => match![2]!.split(/\s+/).map(Number));
  const column = (index: number) => interfaces.reduce((sum, fields) => sum + (fields[index] ?? 0), 0);
  return {
    bytesRead: numberAfter(disks, 'read_bytes'),
    bytesWritten: numberAfter(disks, 'write_bytes'),
    bytesIn: column(0),
    bytesOut: column(8),
  };
}

/** Used share of the available memory: the machine's, or that of its container if it has a limit. */
export function memoryUsage(): number {
  const limit = process.constrainedMemory();
  const total = limit > 0 && limit < totalmem() ? limit : totalmem();
  return Math.min(1, Math.max(0, 1 - process.availableMemory() / total));
}

/** Used share of the disk that holds a folder. */
export async function diskUsage(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder);
  return blocks === 0 ? 0 : 1 - bavail / blocks;
}

/** Bytes of a mapped file in memory. */
export async function residentBytes(file: string): Promise<number> {
  if (!existsSync('/proc/self/smaps')) return 0;
  const maps = await readFile('/proc/self/smaps', 'latin1');
  let bytes = 0;
  for (const part of maps.split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/)) {
    if (!part.slice(0, part.indexOf('\n')).endsWith(` ${file}`)) continue;
    bytes += numberAfter(part, 'Rss') * 1024;
  }
  return bytes;
}

const numberAfter = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);

/** Empty if the system has no such file, or hides it from this process. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
