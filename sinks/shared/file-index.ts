import { dirname, relative, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../pipeline/component/index.js';
import { holderOf, lockFile } from '../../pipeline/base/file-lock.js';
import { stateError } from '../../pipeline/state/index.js';
import { sizeIfThere } from './text-files.js';

/** Where an epoch began: in the file of that number, at that byte. */
export interface EpochStart {
  readonly epoch: number;
  readonly number: number;
  readonly path: string;
  readonly byte: number;
  /** Event time of the file's first record, microseconds. */
  readonly since: number;
}

/** Two writers would each cut back what the other wrote. @throws Error `store.locked` */
export function lockIndex(indexPath: string): () => void {
  try {
    return lockFile(`${indexPath}.lock`);
  } catch (error) {
    const holder = holderOf(error);
    if (holder === undefined) throw error;
    throw stateError(
      'store.locked',
      `the files of ${indexPath} are being written by ${holder}: stop that one first, or set another path for this sink`,
      error,
    );
  }
}

/**
 * With a checksum behind it: a byte that changed would cut a file somewhere else. Files are named from the
 * index on, so that a moved folder continues with its own files.
 */
export function indexLine(indexPath: string, start: EpochStart): string {
  const json = JSON.stringify({ ...start, path: relative(dirname(indexPath), start.path) });
  return `${json}\t${crc32(json).toString(16)}\n`;
}

/**
 * A last line without its end was cut off by a kill; nothing was written after it. Lines of an earlier csiflow have no
 * checksum, or whole paths.
 */
export const parseIndex = (path: string, text: string): EpochStart[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const [json = '', checksum] = line.split('\t');
      try {
        if (checksum !== undefined && crc32(json).toString(16) !== checksum)
          throw new SyntaxError('its checksum does not fit');
        const start = JSON.parse(json) as EpochStart;
        return { ...start, path: resolve(dirname(path), start.path) };
      } catch (error) {
        throw damaged(`${path}, line ${index + 1}`, EPOCHS, error);
      }
    });

/** Where a checkpoint left the files: in the epoch that began last, at the end of its file. */
export interface FileMark {
  readonly epoch: number;
  /** From the index on. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Continues without files that were moved away with their index.
 * @throws Error `store.damaged` if index or files lack something that the last checkpoint has
 */
export async function requireMark(
  indexPath: string,
  starts: readonly EpochStart[],
  mark: FileMark,
  log: Logger,
): Promise<void> {
  const { epoch, bytes } = mark;
  const path = resolve(dirname(indexPath), mark.path);
  const size = await sizeIfThere(path);
  if (starts.length === 0 && size === null) {
    log.warn('the files and their index are missing: new ones replace them', { path });
    return;
  }
  const at = starts.findLastIndex((start) => start.epoch === epoch && start.path === path);
  const next = starts[at + 1];
  // Whatever came after the checkpoint was noted before it was written.
  const isWhole = at >= 0 && (next !== undefined || size === null || size <= bytes);
  if (!isWhole)
    throw damaged(`${indexPath}: it lacks lines that the last checkpoint knows of. The index`, EPOCHS);
  if (size === null || size < bytes)
    throw damaged(
      `${path}: it has ${size ?? 'no'} bytes, the last checkpoint knows of ${bytes}. The file`,
      'results',
    );
}

/** What an index holds. */
export const EPOCHS = 'where epochs begin in the files beside it';

export const damaged = (what: string, held: string, cause?: unknown) =>
  stateError(
    'store.damaged',
    `${what} is damaged. It holds ${held}: restore a backup of these files, or move them and the index away to start with new ones`,
    cause,
  );
