import { open, type FileHandle } from 'node:fs/promises';
import { errorText } from '../../pipeline/base/error-text.js';
import type { Context, Sink } from '../../pipeline/component/index.js';
import type { Data, Environment, Failure } from '../../pipeline/model/index.js';
import { loadZstd } from '../../pipeline/base/zstd.js';
import { damaged, type EpochStart, type FileMark } from '../shared/file-index.js';
import { FileSeries, timeOf, type Rotation } from '../shared/file-series.js';
import { appendWhole } from '../shared/text-files.js';
import type { EncodedMessage, McapFile, Packing } from './mcap-file.js';
import { messagesOf, roomMessage, roomPointsMessage, roomTopic, type Message } from './messages.js';
import { loadSchemas, type Schemas } from './schemas.js';
import type { Covered } from './stretches.js';
import { earliest, latest, nanoseconds } from './time.js';

/** A chunk of this size is written before the next flush. */
const CHUNK_BYTES = 1_048_576;
/** Zstandard: compresses a few hundred MB per second. */
const LEVEL = 3;
/**
 * Nanoseconds of event time between two scenes of a room. Foxglove clears its 3D panel when playing begins, if
 * it loaded the data late, and shows a scene again once its topic has a message.
 */
const ROOM_EVERY = 1_000_000_000n;
/** All times of a recording, which have 64 bits. */
const ALWAYS: Covered = { from: 0n, until: 2n ** 64n };

/** Loaded on opening, so that reading the definition does not load it. */
interface Library {
  readonly McapFile: typeof McapFile;
  readonly readWritten: typeof import('./written.js').readWritten;
  readonly schemas: Schemas;
  readonly zstd: Awaited<ReturnType<typeof loadZstd>>;
}

async function loadLibrary(): Promise<Library> {
  const [{ McapFile }, { readWritten }, schemas, zstd] = await Promise.all([
    import('./mcap-file.js'),
    import('./written.js'),
    loadSchemas(),
    loadZstd(),
  ]);
  return { McapFile, readWritten, schemas, zstd };
}

interface OpenFile {
  readonly start: EpochStart;
  readonly handle: FileHandle;
  readonly content: McapFile;
  /** Times at which every room has a scene: none is looked at for a record in them. */
  covered: Covered;
}

/** Recordings, one file after the other. What was written since the last flush is in memory. */
export class McapFiles implements Sink {
  readonly #series: FileSeries;
  readonly #context: Context;
  readonly #isPacked: boolean;
  readonly #encoder = new TextEncoder();
  #library: Library | null = null;
  #file: OpenFile | null = null;

  constructor(rotation: Rotation, isPacked: boolean, context: Context) {
    this.#series = new FileSeries(rotation, context);
    this.#isPacked = isPacked;
    this.#context = context;
  }

  async open(): Promise<void> {
    try {
      this.#library = await loadLibrary();
      await this.#series.open();
      await this.#useLast();
    } catch (error) {
      await this.#release();
      throw error;
    }
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    if (!this.#series.isOpen) throw new Error('the recording is closed');
    const failures: Failure[] = [];
    for (const [index, record] of records.entries()) {
      const messages = messagesOf(record, this.#context.links);
      if ('code' in messages) {
        failures.push(messages);
        continue;
      }
      try {
        await this.#makeReady(timeOf(record), epoch);
      } catch (error) {
        if (index === 0) throw error;
        return [...failures, ...records.slice(index).map((left) => later(left, error as Error))];
      }
      this.#repeatRooms(timeOf(record));
      const failure = this.#add(record, messages);
      if (failure) failures.push(failure);
    }
    return failures;
  }

  async flush(): Promise<void> {
    if (!this.#file) return;
    await this.#append(this.#file);
    await this.#file.handle.sync();
  }

  mark(): FileMark | undefined {
    return this.#file ? this.#series.mark(this.#file.content.bytes) : undefined;
  }

  async rewind(epoch: number, mark?: unknown): Promise<void> {
    await this.#series.require(mark);
    if (!this.#series.reachesBeyond(epoch)) return;
    await this.#file?.handle.close();
    this.#file = null;
    await this.#series.cutBack(epoch);
    await this.#useLast();
  }

  async close(): Promise<void> {
    try {
      if (this.#file) await this.#complete(this.#file);
    } finally {
      await this.#release();
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return { file: this.#file?.start.path ?? null, bytes: this.#file?.content.bytes ?? 0 };
  }

  async #release(): Promise<void> {
    await this.#file?.handle.close();
    this.#file = null;
    this.#series.close();
  }

  /** The file, epoch and chunk for a record of `time`. */
  async #makeReady(time: number, epoch: number): Promise<void> {
    const file = this.#file;
    if (!file) return this.#next(time, epoch);
    const { start, content } = file;
    if (this.#series.isOver(start.since, content.bytes + content.held, time)) {
      await this.#complete(file);
      return this.#next(time, epoch);
    }
    if (this.#series.last?.epoch !== epoch) {
      await this.#append(file);
      await this.#series.beginEpoch(start, epoch, content.bytes);
    } else if (content.held >= CHUNK_BYTES) await this.#append(file);
  }

  #add(record: Data, messages: readonly Message[]): Failure | null {
    const { content } = this.#file!;
    try {
      for (const message of messages) content.add(this.#encoded(message));
      return null;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { record, code: 'mcap.channels', reason: error.message, retriable: false };
    }
  }

  #encoded({ topic, schema: name, time: at, content }: Message): EncodedMessage {
    const time = nanoseconds(at);
    if (name === null) return { topic, schema: null, time, data: this.#encoder.encode(content as string) };
    const schema = this.#library!.schemas[name];
    const { descriptor } = schema;
    return { topic, schema: { name, descriptor }, time, data: schema.encode(content as object) };
  }

  async #append({ start, handle, content }: OpenFile): Promise<void> {
    const bytes = content.seal();
    if (bytes.length === 0) return;
    await appendWhole(handle, start.path, bytes);
    content.appended();
  }

  /** Writes the index too: with it, Foxglove and Rerun find any time without reading the whole file. */
  async #complete(file: OpenFile): Promise<void> {
    await this.#append(file);
    await appendWhole(file.handle, file.start.path, file.content.ending());
    await file.handle.sync();
    await file.handle.close();
    this.#file = null;
  }

  async #next(time: number, epoch: number): Promise<void> {
    const start = await this.#series.next(time, epoch);
    const { content } = await this.#use(start);
    for (const environment of this.#context.environments) {
      content.add(this.#encoded(roomMessage(environment, time)));
      content.add(this.#encoded(roomPointsMessage(environment, time)));
    }
  }

  /** Depends on what the file contains, and so writes the same after a crash. */
  #repeatRooms(time: number): void {
    const file = this.#file!;
    const now = nanoseconds(time);
    if (now >= file.covered.from && now < file.covered.until) return;
    const timesOf = (environment: Environment) => file.content.timesOf(roomTopic(environment));
    const { environments } = this.#context;
    for (const environment of environments)
      if (timesOf(environment)?.covered(now, ROOM_EVERY) === null)
        file.content.add(this.#encoded(roomMessage(environment, time)));
    file.covered = environments
      .flatMap((environment) => {
        const times = timesOf(environment);
        return times ? [times.covered(now, ROOM_EVERY) ?? { from: now, until: now }] : [];
      })
      .reduce(
        (all, one) => ({ from: latest(all.from, one.from), until: earliest(all.until, one.until) }),
        ALWAYS,
      );
  }

  async #useLast(): Promise<void> {
    if (this.#series.last) await this.#use(this.#series.last);
  }

  /**
   * Appends after the last whole chunk: truncates the incomplete part that a crash left, or the footer of a
   * complete file.
   */
  async #use(start: EpochStart): Promise<OpenFile> {
    const handle = await open(start.path, 'a+');
    try {
      const { size } = await handle.stat();
      const written = size === 0 ? null : await this.#written(handle, start.path);
      if (written && written.bytes < size) await handle.truncate(written.bytes);
      this.#series.requireBytes(start, written?.bytes ?? 0);
      const content = new this.#library!.McapFile(this.#packing, written);
      return (this.#file = { start, handle, content, covered: { from: 0n, until: 0n } });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #written(handle: FileHandle, path: string) {
    const { readWritten, zstd } = this.#library!;
    try {
      return await readWritten(handle, (bytes, size) => zstd.decompress(bytes, { defaultHeapSize: size }));
    } catch (error) {
      throw damaged(`${path}: ${errorText(error)}. The file`, 'results', error);
    }
  }

  get #packing(): Packing {
    const { zstd } = this.#library!;
    return this.#isPacked
      ? { name: 'zstd', pack: (bytes) => zstd.compress(bytes, LEVEL) }
      : { name: '', pack: (bytes) => bytes };
  }
}

const later = (record: Data, error: Error): Failure => ({
  record,
  code: 'mcap.write',
  reason: error.message,
  retriable: true,
});
