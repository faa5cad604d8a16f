import { open, rename, rm, truncate, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, extname, relative, resolve } from 'node:path';
import { makeFolder } from '../../pipeline/base/folders.js';
import type { Context, Logger, Sink } from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
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

/** When a file is followed by the next. */
interface Rotation {
  /** Pattern of the files, relative to the folder of the topology. */
  readonly path: string;
  readonly rotate_bytes: number;
  readonly rotate_ms: number;
}

/** Epochs that can be gone back to; a checkpoint is never more than a few back. */
const MAX_EPOCHS = 1_000;

/** One JSON object a line, in files that follow each other; an index tells where each epoch began. */
export class NdjsonFiles implements Sink {
  readonly #config: Rotation;
  readonly #pattern: string;
  readonly #indexPath: string;
  readonly #log: Logger;
  #starts: EpochStart[] = [];
  #current: (EpochStart & { readonly handle: FileHandle }) | null = null;
  #bytes = 0;
  #unlock: (() => void) | null = null;

  constructor(config: Rotation, context: Context) {
    this.#config = config;
    this.#log = context.log;
    this.#pattern = resolve(context.folder, config.path);
    this.#indexPath = `${this.#pattern.replaceAll('{date}', 'all')}.index`;
  }

  async open(): Promise<void> {
    makeFolder(dirname(this.#pattern));
    this.#unlock = lockIndex(this.#indexPath);
    try {
      const index = await naming(this.#indexPath, () => readIfThere(this.#indexPath));
      this.#starts = parseIndex(this.#indexPath, index);
      const last = this.#starts.at(-1);
      if (last) await this.#use(last);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    if (!this.#unlock) throw new Error('the file is closed');
    const failures: Failure[] = [];
    let lines = '';
    for (const record of records) {
      const line = toLine(record);
      if (typeof line !== 'string') {
        failures.push(line);
        continue;
      }
      const time = timeOf(record);
      if (this.#isFull(time, Buffer.byteLength(lines))) {
        await this.#append(lines);
        lines = '';
        await this.#next(time, epoch);
      } else if (this.#starts.at(-1)?.epoch !== epoch) {
        await this.#append(lines);
        lines = '';
        await this.#note({ ...this.#current!, epoch, byte: this.#bytes });
      }
      lines += line;
    }
    await this.#append(lines);
    return failures;
  }

  async flush(): Promise<void> {
    await this.#current?.handle.sync();
  }

  mark(): FileMark | undefined {
    const last = this.#starts.at(-1);
    if (!last) return undefined;
    const path = relative(dirname(this.#indexPath), last.path);
    return { epoch: last.epoch, path, bytes: this.#bytes };
  }

  async rewind(epoch: number, mark?: unknown): Promise<void> {
    if (mark !== undefined) await requireMark(this.#indexPath, this.#starts, mark as FileMark, this.#log);
    const at = this.#starts.findIndex((start) => start.epoch > epoch);
    if (at < 0) return;
    const start = this.#starts[at]!;
    if (at === 0 && (start.number > 0 || start.byte > 0))
      throw new Error(
        `${this.#pattern}: epoch ${epoch} is further back than the index reaches (${start.epoch})`,
      );
    await this.#current?.handle.close();
    this.#current = null;
    for (const later of new Set(this.#starts.slice(at).map(({ path }) => path)))
      if (later !== start.path || start.byte === 0) await rm(later, { force: true });
    if (start.byte > 0) await truncate(start.path, start.byte);
    this.#starts = this.#starts.slice(0, at);
    await this.#rewriteIndex();
    const last = this.#starts.at(-1);
    if (last) await this.#use(last);
  }

  async close(): Promise<void> {
    try {
      await this.#complete();
    } finally {
      this.#unlock?.();
      this.#unlock = null;
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return { file: this.#current?.path ?? null, bytes: this.#bytes };
  }

  #isFull(time: number, more: number): boolean {
    const current = this.#current;
    if (!current) return true;
    return (
      this.#bytes + more >= this.#config.rotate_bytes ||
      time >= current.since + this.#config.rotate_ms * 1000 ||
      (this.#pattern.includes('{date}') && dateOf(time) > dateOf(current.since))
    );
  }

  async #complete(): Promise<void> {
    const current = this.#current;
    if (!current) return;
    try {
      await current.handle.sync();
    } finally {
      await current.handle.close();
      this.#current = null;
    }
  }

  async #next(time: number, epoch: number): Promise<void> {
    await this.#complete();
    const number = (this.#starts.at(-1)?.number ?? -1) + 1;
    const path = numbered(this.#pattern.replaceAll('{date}', dateOf(time)), number);
    makeFolder(dirname(path));
    const start = { epoch, number, path, byte: 0, since: time };
    // The note comes first: a file that the index does not know could not be taken back.
    await this.#note(start);
    await this.#begin(path);
    await this.#use(start);
  }

  async #use(start: EpochStart): Promise<void> {
    const handle = await open(start.path, 'a');
    this.#current = { ...start, handle };
    this.#bytes = (await handle.stat()).size;
    if (this.#bytes < start.byte) {
      await this.#complete();
      throw damaged(
        `${start.path}: it has ${this.#bytes} bytes, the index tells of ${start.byte}. The file`,
        'results',
      );
    }
  }

  /** Nothing is there that the index does not know. */
  async #begin(path: string): Promise<void> {
    try {
      await writeFile(path, '', { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw damaged(
        `${this.#indexPath}: it does not know of ${path}, which is there. The index`,
        EPOCHS,
        error,
      );
    }
  }

  async #append(lines: string): Promise<void> {
    if (lines === '') return;
    await appendWhole(this.#current!.handle, this.#current!.path, lines);
    this.#bytes += Buffer.byteLength(lines);
  }

  async #note({ epoch, number, path, byte, since }: EpochStart): Promise<void> {
    const start = { epoch, number, path, byte, since };
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

const timeOf = (record: Data): number =>
  record.port === 'pose' || record.port === 'event' || record.port === 'measure' ? record.time : 0;

const dateOf = (time: number): string => new Date(time / 1000).toISOString().slice(0, 10);

function numbered(path: string, number: number): string {
  const ending = extname(path);
  return `${path.slice(0, path.length - ending.length)}.${String(number).padStart(6, '0')}${ending}`;
}

function toLine(record: Data): string | Failure {
  try {
    const json = JSON.stringify(record, (key, value: unknown) => {
      // How long the network took is a fact of this run: the lines of another one would differ.
      if (key === 'processingMs') return undefined;
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new RangeError(`${key} is ${value}: JSON holds finite numbers only`);
      return value;
    });
    return `${json}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { record, code: 'store.value.invalid', reason: error.message, retriable: false };
  }
}
