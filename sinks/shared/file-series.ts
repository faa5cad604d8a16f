import { open, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, extname, relative, resolve } from 'node:path';
import { Type } from 'typebox';
import { makeFolder } from '../../pipeline/base/folders.js';
import { filePath, type Context, type Logger, required } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import {
  damaged,
  EPOCHS,
  indexLine,
  lockIndex,
  parseIndex,
  requireMark,
  type EpochStart,
  type FileMark,
} from './file-index.js';
import { appendWhole, naming, readIfThere } from './text-files.js';
import { isoTime } from '../../pipeline/base/iso-time.js';

/** When to start the next file. */
export interface Rotation {
  /** Pattern of the files, relative to the folder of the topology. */
  readonly path: string;
  readonly rotate_bytes: number;
  readonly rotate_ms: number;
}

/** Fields of a sink that writes such files. */
export const rotationFields = {
  path: required(
    filePath({
      description:
        'Pattern of the files: `{date}` is the UTC date of the first record in a file; a running number comes before the ending. Relative to the folder of the topology.',
    }),
  ),
  rotate_bytes: Type.Integer({
    minimum: 1_024,
    maximum: 2 ** 40,
    default: 256 * 2 ** 20,
    description: 'A file of this size is followed by the next.',
  }),
  rotate_ms: Type.Integer({
    minimum: 1_000,
    maximum: 31 * 86_400_000,
    default: 3_600_000,
    description: 'Event time that a file covers.',
  }),
};

/** Number of epochs that can be rewound; a checkpoint is at most a few epochs old. */
const MAX_EPOCHS = 1_000;

/**
 * Consecutive files, and an index of the start of each epoch in them, so that everything after a checkpoint
 * can be truncated.
 */
export class FileSeries {
  readonly #rotation: Rotation;
  readonly #pattern: string;
  readonly #indexPath: string;
  readonly #log: Logger;
  #starts: EpochStart[] = [];
  #unlock: (() => void) | null = null;

  constructor(rotation: Rotation, { folder, log }: Pick<Context, 'folder' | 'log'>) {
    this.#rotation = rotation;
    this.#log = log;
    this.#pattern = resolve(folder, rotation.path);
    this.#indexPath = `${this.#pattern.replaceAll('{date}', 'all')}.index`;
  }

  get isOpen(): boolean {
    return this.#unlock !== null;
  }

  /** Start of the newest epoch. */
  get last(): EpochStart | undefined {
    return this.#starts.at(-1);
  }

  /** Locks the files. @throws Error `store.locked`, `store.damaged` */
  async open(): Promise<void> {
    makeFolder(dirname(this.#pattern));
    this.#unlock = lockIndex(this.#indexPath);
    const index = await naming(this.#indexPath, () => readIfThere(this.#indexPath));
    this.#starts = parseIndex(this.#indexPath, index);
  }

  close(): void {
    this.#unlock?.();
    this.#unlock = null;
  }

  /** Whether a record of `time` belongs in a later file than one that starts at `since` and has this many bytes. */
  isOver(since: number, bytes: number, time: number): boolean {
    return (
      bytes >= this.#rotation.rotate_bytes ||
      time >= since + this.#rotation.rotate_ms * 1000 ||
      (this.#pattern.includes('{date}') && dateOf(time) > dateOf(since))
    );
  }

  /** Starts the next file, which is empty. */
  async next(time: number, epoch: number): Promise<EpochStart> {
    const number = (this.last?.number ?? -1) + 1;
    const path = numbered(this.#pattern.replaceAll('{date}', dateOf(time)), number);
    makeFolder(dirname(path));
    const start = { epoch, number, path, byte: 0, since: time };
    // Write the index first: a file missing from the index could not be rewound.
    await this.#note(start);
    await this.#begin(path);
    return start;
  }

  /** An epoch starts at `byte` of the file of `start`. */
  async beginEpoch(start: EpochStart, epoch: number, byte: number): Promise<void> {
    const { number, path, since } = start;
    await this.#note({ epoch, number, path, byte, since });
  }

  /** What a checkpoint stores; the newest file has `bytes`. */
  mark(bytes: number): FileMark | undefined {
    const { last } = this;
    return last && { epoch: last.epoch, path: relative(dirname(this.#indexPath), last.path), bytes };
  }

  /** @throws Error `store.damaged` if something that the mark names is missing */
  async require(mark: unknown): Promise<void> {
    if (mark !== undefined) await requireMark(this.#indexPath, this.#starts, mark as FileMark, this.#log);
  }

  /** True if something was written in a later epoch. */
  reachesBeyond(epoch: number): boolean {
    return this.#starts.some((start) => start.epoch > epoch);
  }

  /** Removes what was written in later epochs; none of their files may be open. */
  async cutBack(epoch: number): Promise<void> {
    const at = this.#starts.findIndex((start) => start.epoch > epoch);
    if (at < 0) return;
    const start = this.#starts[at]!;
    if (at === 0 && (start.number > 0 || start.byte > 0))
      throw new Error(
        `${this.#pattern}: epoch ${epoch} is further back than the index reaches (${start.epoch})`,
      );
    for (const later of new Set(this.#starts.slice(at).map(({ path }) => path)))
      if (later !== start.path || start.byte === 0) await rm(later, { force: true });
    if (start.byte > 0) await truncate(start.path, start.byte);
    this.#starts = this.#starts.slice(0, at);
    await this.#rewriteIndex();
  }

  /** @throws Error `store.damaged` if the file of `start` has fewer bytes than the index says */
  requireBytes(start: EpochStart, bytes: number): void {
    if (bytes < start.byte)
      throw damaged(
        `${start.path}: it has ${bytes} bytes, and the index says ${start.byte}. The file`,
        'results',
      );
  }

  /** Every file is in the index. */
  async #begin(path: string): Promise<void> {
    try {
      await writeFile(path, '', { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw damaged(`${this.#indexPath} lacks ${path}, which exists. The index`, EPOCHS, error);
    }
  }

  async #note(start: EpochStart): Promise<void> {
    this.#starts.push(start);
    if (this.#starts.length > 2 * MAX_EPOCHS) {
      this.#starts = this.#starts.slice(-MAX_EPOCHS);
      await this.#rewriteIndex();
      return;
    }
    const index = await open(this.#indexPath, 'a');
    try {
      await appendWhole(index, this.#indexPath, indexLine(this.#indexPath, start));
      await index.sync();
    } finally {
      await index.close();
    }
  }

  async #rewriteIndex(): Promise<void> {
    const lines = this.#starts.map((start) => indexLine(this.#indexPath, start)).join('');
    await writeFile(`${this.#indexPath}.part`, lines, { flush: true });
    await rename(`${this.#indexPath}.part`, this.#indexPath);
  }
}

/** Event time of a record, microseconds; of frames, that of the first. */
export function timeOf(record: Data): number {
  if (record.port === 'csi') return record.time[0] ?? 0;
  return record.port === 'window' ? record.start : record.time;
}

const dateOf = (time: number): string => isoTime(time).slice(0, 10);

function numbered(path: string, number: number): string {
  const ending = extname(path);
  return `${path.slice(0, path.length - ending.length)}.${String(number).padStart(6, '0')}${ending}`;
}
