import { open, type FileHandle } from 'node:fs/promises';
import type { Context, Sink } from '../../pipeline/component/index.js';
import { isEventTime, type Data, type Failure } from '../../pipeline/model/index.js';
import type { EpochStart, FileMark } from './file-index.js';
import { FileSeries, timeOf, type Rotation } from './file-series.js';
import { appendWhole } from './text-files.js';

/** One JSON object per line, in consecutive files; an index records where each epoch starts. */
export class NdjsonFiles implements Sink {
  readonly #series: FileSeries;
  #current: (EpochStart & { readonly handle: FileHandle }) | null = null;
  #bytes = 0;

  constructor(rotation: Rotation, context: Context) {
    this.#series = new FileSeries(rotation, context);
  }

  async open(): Promise<void> {
    try {
      await this.#series.open();
      await this.#useLast();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    if (!this.#series.isOpen) throw new Error('the file is closed');
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
      } else if (this.#series.last?.epoch !== epoch) {
        await this.#append(lines);
        lines = '';
        await this.#series.beginEpoch(this.#current!, epoch, this.#bytes);
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
    return this.#series.mark(this.#bytes);
  }

  async rewind(epoch: number, mark?: unknown): Promise<void> {
    await this.#series.require(mark);
    if (!this.#series.reachesBeyond(epoch)) return;
    await this.#current?.handle.close();
    this.#current = null;
    await this.#series.cutBack(epoch);
    await this.#useLast();
  }

  async close(): Promise<void> {
    try {
      await this.#complete();
    } finally {
      this.#series.close();
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return { file: this.#current?.path ?? null, bytes: this.#bytes };
  }

  #isFull(time: number, more: number): boolean {
    return !this.#current || this.#series.isOver(this.#current.since, this.#bytes + more, time);
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
    await this.#use(await this.#series.next(time, epoch));
  }

  async #useLast(): Promise<void> {
    if (this.#series.last) await this.#use(this.#series.last);
  }

  async #use(start: EpochStart): Promise<void> {
    const handle = await open(start.path, 'a');
    this.#current = { ...start, handle };
    this.#bytes = (await handle.stat()).size;
    try {
      this.#series.requireBytes(start, this.#bytes);
    } catch (error) {
      await this.#complete();
      throw error;
    }
  }

  async #append(lines: string): Promise<void> {
    if (lines === '') return;
    await appendWhole(this.#current!.handle, this.#current!.path, lines);
    this.#bytes += Buffer.byteLength(lines);
  }
}

/** The files and their index go by the record's time: without one, it would look as if the disk had failed. */
function toLine(record: Data): string | Failure {
  try {
    const time: unknown = timeOf(record);
    if (!isEventTime(time))
      throw new RangeError(`time is ${String(time)}: it must be a number of microseconds since 1970`);
    const json = JSON.stringify(record, (key, value: unknown) => {
      // The time that the network took differs between runs, and so would the lines.
      if (key === 'processingMs') return undefined;
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new RangeError(`${key} is ${value}: JSON supports only finite numbers`);
      return value;
    });
    return `${json}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { record, code: 'store.value.invalid', reason: error.message, retriable: false };
  }
}
