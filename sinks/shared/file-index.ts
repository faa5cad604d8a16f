import { dirname, relative, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../pipeline/component/index.js';
import { holderOf, lockFile } from '../../pipeline/base/file-lock.js';
import { sizeIfThere } from './text-files.js';
import { codedError } from '../../pipeline/base/error-text.js';

/** Start of an epoch: number of the file, and offset in bytes. */
export interface EpochStart {
  readonly epoch: number;
  readonly number: number;
  readonly path: string;
  readonly byte: number;
  /** Event time of the file's first record, microseconds. */
  readonly since: number;
}

/** Locks the index: two writers would each truncate what the other wrote. @throws Error `store.locked` */
export function lockIndex(indexPath: string): () => void {
  try {
    return lockFile(`${indexPath}.lock`);
  } catch (error) {
    const holder = holderOf(error);
    if (holder === undefined) throw error;
    throw codedError(
      'store.locked',
      `the files of ${indexPath} are being written by ${holder}: stop that one first, or set another path for this sink`,
      error,
    );
  }
}

/**
 * Lines have a checksum: a changed byte would truncate a file at the wrong offset. File names are relative to
 * the index, so that a moved folder still works.
 */
export function indexLine(indexPath: string, start: EpochStart): string {
  const json = JSON.stringify({ ...start, path: relative(dirname(indexPath), start.path) });
  return `${json}\t${crc32(json).toString(16)}\n`;
}

/**
 * A last line without its end was truncated by a kill; nothing was written after it. Lines of earlier
 * versions have no checksum, or absolute paths.
 */
export const parseIndex = (path: string, text: string): EpochStart[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const [json = '', checksum] = line.split('\t');
      try {
        if (checksum !== undefined && crc32(json).toString(16) !== checksum)
          throw new SyntaxError('its checksum does not match');
        const start = JSON.parse(json) as EpochStart;
        return { ...start, path: resolve(dirname(path), start.path) };
      } catch (error) {
        throw damaged(`${path}, line ${index + 1}`, EPOCHS, error);
      }
    });

/** State of the files at a checkpoint: the last epoch, at the end of its file. */
export interface FileMark {
  readonly epoch: number;
  /** Relative to the index. */
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
  // Every epoch after the checkpoint was recorded before its data was written.
  const isWhole = at >= 0 && (next !== undefined || size === null || size <= bytes);
  if (!isWhole)
    throw damaged(`${indexPath}: it lacks lines that the last checkpoint counted. The index`, EPOCHS);
  if (size === null || size < bytes)
    throw damaged(
      `${path}: it has ${size ?? 'no'} bytes, and the last checkpoint counted ${bytes}. The file`,
      'results',
    );
}

/** Description of an index's content. */
export const EPOCHS = 'where epochs start in the files beside it';

export const damaged = (what: string, held: string, cause?: unknown) =>
  codedError(
    'store.damaged',
    `${what} is damaged. It contains ${held}: restore a backup of these files, or move them and the index away to start with new ones`,
    cause,
  );
