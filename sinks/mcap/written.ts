import type { FileHandle } from 'node:fs/promises';
import { McapConstants, McapStreamReader, type McapTypes } from '@mcap/core';
import { viewOf } from '../../pipeline/base/view-of.js';
import { Stretches, stretchesOf } from './stretches.js';

/** The content of an MCAP file so far: the data of its index, and what is needed to continue it. */
export interface Written {
  /** Whole records from the start on; excludes the end of a file and its index. */
  readonly bytes: number;
  readonly schemas: readonly McapTypes.Schema[];
  readonly channels: readonly McapTypes.Channel[];
  readonly chunks: readonly McapTypes.ChunkIndex[];
  /** Messages of each channel. */
  readonly counts: ReadonlyMap<number, bigint>;
  /** Times of the messages of each channel. */
  readonly times: ReadonlyMap<number, Stretches>;
}

type Unpack = (bytes: Uint8Array, size: number) => Uint8Array;

const READ_BYTES = 1_048_576;

/**
 * Reads a file that may be truncated anywhere. Chunks are not decompressed, except for the last one of a file
 * without an end: its index may be truncated, and then the chunk counts as not written.
 * @throws Error if it is not an MCAP file
 */
export async function readWritten(handle: FileHandle, unpack: Unpack): Promise<Written> {
  const survey = new Survey(unpack);
  const buffer = new Uint8Array(READ_BYTES);
  for (let at = 0; !survey.isEnded;) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, at);
    if (bytesRead === 0) break;
    survey.take(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return survey.end();
}

interface LastChunk {
  readonly chunk: McapTypes.Chunk;
  /** Offset in the file, bytes. */
  readonly start: number;
  /** Times of the messages of each channel, from its index. */
  readonly indexed: Map<number, readonly bigint[]>;
}

/** Iterates over the records of a file, in order. */
class Survey implements Written {
  readonly #unpack: Unpack;
  readonly #reader = new McapStreamReader({
    includeChunks: true,
    validateCrcs: false,
    // Records within compressed chunks are not needed here.
    decompressHandlers: { zstd: () => new Uint8Array(0) },
  });
  readonly schemas: McapTypes.Schema[] = [];
  readonly channels: McapTypes.Channel[] = [];
  readonly chunks: McapTypes.ChunkIndex[] = [];
  readonly counts = new Map<number, bigint>();
  readonly times = new Map<number, Stretches>();
  bytes = 0;
  isEnded = false;
  #taken = 0;
  #last: LastChunk | null = null;

  constructor(unpack: Unpack) {
    this.#unpack = unpack;
  }

  take(bytes: Uint8Array): void {
    this.#reader.append(bytes);
    this.#taken += bytes.length;
    for (let record; !this.isEnded && (record = this.#reader.nextRecord());) {
      const end = this.#taken - this.#reader.bytesRemaining();
      if (record.type === 'DataEnd') this.isEnded = true;
      else if (record.type !== 'Message') this.#see(record, end);
    }
  }

  /** The valid part of it. */
  end(): Written {
    const last = this.#last;
    if (!last) return this;
    if (this.isEnded || this.#isIndexed(last)) this.#count(last);
    else {
      this.bytes = last.start;
      this.chunks.pop();
    }
    return this;
  }

  #see(record: McapTypes.TypedMcapRecord, end: number): void {
    const start = this.bytes;
    this.bytes = end;
    if (record.type === 'Schema') this.schemas.push(record);
    else if (record.type === 'Channel') this.channels.push(record);
    else if (record.type === 'Chunk') this.#seeChunk(record, start, end);
    else if (record.type === 'MessageIndex') this.#seeIndex(record, start, end);
  }

  #seeChunk(chunk: McapTypes.Chunk, start: number, end: number): void {
    if (this.#last) this.#count(this.#last);
    // The reader reuses its buffer.
    this.#last = { chunk: { ...chunk, records: chunk.records.slice() }, start, indexed: new Map() };
    this.chunks.push({
      messageStartTime: chunk.messageStartTime,
      messageEndTime: chunk.messageEndTime,
      chunkStartOffset: BigInt(start),
      chunkLength: BigInt(end - start),
      messageIndexOffsets: new Map(),
      messageIndexLength: 0n,
      compression: chunk.compression,
      compressedSize: BigInt(chunk.records.length),
      uncompressedSize: chunk.uncompressedSize,
    });
  }

  #seeIndex({ channelId, records }: McapTypes.MessageIndex, start: number, end: number): void {
    const chunk = this.chunks.at(-1);
    if (!chunk) return;
    chunk.messageIndexOffsets.set(channelId, BigInt(start));
    chunk.messageIndexLength += BigInt(end - start);
    this.#last!.indexed.set(
      channelId,
      records.map(([time]) => time),
    );
  }

  #count({ indexed }: LastChunk): void {
    for (const [channel, times] of indexed) {
      this.counts.set(channel, (this.counts.get(channel) ?? 0n) + BigInt(times.length));
      const stretches = stretchesOf(this.times, channel);
      for (const time of times) stretches.add(time);
    }
  }

  #isIndexed({ chunk, indexed }: LastChunk): boolean {
    const records =
      chunk.compression === '' ? chunk.records : this.#unpack(chunk.records, Number(chunk.uncompressedSize));
    const messages = countMessages(records);
    return messages === [...indexed.values()].reduce((sum, times) => sum + times.length, 0);
  }
}

/** Iterates over the records of a chunk; each starts with its type, and its length in 8 bytes. */
function countMessages(records: Uint8Array): number {
  const view = viewOf(records);
  let messages = 0;
  for (let at = 0; at < records.length; at += 9 + Number(view.getBigUint64(at + 1, true)))
    if (records[at] === MESSAGE) messages++;
  return messages;
}

const MESSAGE = McapConstants.Opcode.MESSAGE;
