import { crc32 } from 'node:zlib';
import { McapChunkBuilder, McapConstants, McapRecordBuilder, type McapTypes } from '@mcap/core';
import { packageVersion } from '../../pipeline/base/paths.js';
import { Stretches, stretchesOf } from './stretches.js';
import { earliest, latest } from './time.js';
import type { Written } from './written.js';

/** Compression of chunks, by its name in the specification. */
export interface Packing {
  readonly name: '' | 'zstd';
  pack(bytes: Uint8Array): Uint8Array;
}

/** A schema of Protocol Buffers. */
export interface NamedSchema {
  readonly name: string;
  /** A FileDescriptorSet. */
  readonly descriptor: Uint8Array;
}

/** A message as bytes; `schema` is null for JSON. */
export interface EncodedMessage {
  readonly topic: string;
  readonly schema: NamedSchema | null;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly data: Uint8Array;
}

/** Channels are numbered with 16 bits. */
const MAX_CHANNELS = 65_535;

/**
 * A growing MCAP file: chunks of whole messages, and an index at its end. The library's own writer ends
 * chunks only by size, and continues only complete files. This one ends a chunk when a checkpoint requires
 * it, and continues truncated files. Schemas and channels precede the chunk that first uses them.
 */
export class McapFile {
  readonly #packing: Packing;
  readonly #schemas = new Map<string, McapTypes.Schema>();
  readonly #channels = new Map<string, McapTypes.Channel>();
  readonly #chunks: McapTypes.ChunkIndex[];
  readonly #counts: Map<number, bigint>;
  readonly #times: Map<number, Stretches>;
  readonly #chunk = new McapChunkBuilder({ useMessageIndex: true });
  /** Schemas and channels that the messages of the chunk need. */
  readonly #ahead = new McapRecordBuilder();
  #pending: Uint8Array[] = [];
  /** In the file and pending. */
  #bytes: number;

  /** @param written content of an existing file; null for a new one */
  constructor(packing: Packing, written: Written | null) {
    this.#packing = packing;
    for (const schema of written?.schemas ?? []) this.#schemas.set(schema.name, schema);
    for (const channel of written?.channels ?? []) this.#channels.set(channel.topic, channel);
    this.#chunks = [...(written?.chunks ?? [])];
    this.#counts = new Map(written?.counts);
    this.#times = new Map(written?.times);
    this.#bytes = written?.bytes ?? 0;
    if (this.#bytes === 0) this.#begin();
  }

  /** Bytes of messages that are not in a chunk yet. */
  get held(): number {
    return this.#chunk.byteLength;
  }

  /** Size of the file once all pending data is written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws RangeError if there are too many topics */
  add({ topic, schema, time, data }: EncodedMessage): void {
    const channel = this.#channels.get(topic) ?? this.#register(topic, schema);
    const times = { logTime: time, publishTime: time };
    this.#chunk.addMessage({ channelId: channel.id, sequence: 0, ...times, data });
    stretchesOf(this.#times, channel.id).add(time);
  }

  /** Times of the messages of a topic; undefined if the file has none. */
  timesOf(topic: string): Stretches | undefined {
    const channel = this.#channels.get(topic);
    return channel && this.#times.get(channel.id);
  }

  /** Ends the chunk. Returns everything to append to the file, until {@link appended} confirms it. */
  seal(): Uint8Array {
    if (this.#chunk.numMessages > 0) this.#sealChunk();
    return Buffer.concat(this.#pending);
  }

  appended(): void {
    this.#pending = [];
  }

  /** Footer of a complete file, after all chunks. */
  ending(): Uint8Array {
    const end = new McapRecordBuilder();
    end.writeDataEnd({ dataSectionCrc: 0 });
    return Buffer.concat([end.buffer, this.#summary(this.#bytes + end.length)]);
  }

  #begin(): void {
    const builder = new McapRecordBuilder();
    builder.writeMagic();
    builder.writeHeader({ profile: '', library: `csiflow ${packageVersion()}` });
    this.#append(builder.buffer);
  }

  #register(topic: string, schema: NamedSchema | null): McapTypes.Channel {
    if (this.#channels.size >= MAX_CHANNELS)
      throw new RangeError(`a file has ${MAX_CHANNELS} topics at most, and ${topic} would exceed that`);
    const channel = {
      id: this.#channels.size,
      // 0: none, because JSON needs no schema.
      schemaId: schema === null ? 0 : this.#schemaOf(schema).id,
      topic,
      messageEncoding: schema === null ? 'json' : 'protobuf',
      metadata: new Map<string, string>(),
    };
    this.#channels.set(topic, channel);
    this.#ahead.writeChannel(channel);
    return channel;
  }

  #schemaOf({ name, descriptor }: NamedSchema): McapTypes.Schema {
    const known = this.#schemas.get(name);
    if (known) return known;
    const schema = { id: this.#schemas.size + 1, name, encoding: 'protobuf', data: descriptor };
    this.#schemas.set(name, schema);
    this.#ahead.writeSchema(schema);
    return schema;
  }

  #sealChunk(): void {
    this.#append(this.#ahead.buffer);
    this.#ahead.reset();
    const { buffer, messageStartTime, messageEndTime } = this.#chunk;
    const records = this.#packing.pack(buffer);
    const chunk = {
      messageStartTime,
      messageEndTime,
      uncompressedSize: BigInt(buffer.length),
      uncompressedCrc: crc32(buffer),
      compression: this.#packing.name,
      records,
    };
    const builder = new McapRecordBuilder();
    const chunkLength = builder.writeChunk(chunk);
    const messageIndexOffsets = new Map<number, bigint>();
    let messageIndexLength = 0n;
    for (const index of this.#chunk.indices) {
      messageIndexOffsets.set(index.channelId, BigInt(this.#bytes + builder.length));
      messageIndexLength += builder.writeMessageIndex(index);
      const count = this.#counts.get(index.channelId) ?? 0n;
      this.#counts.set(index.channelId, count + BigInt(index.records.length));
    }
    this.#chunks.push({
      ...chunk,
      chunkStartOffset: BigInt(this.#bytes),
      chunkLength,
      messageIndexOffsets,
      messageIndexLength,
      compressedSize: BigInt(records.length),
    });
    this.#append(builder.buffer);
    this.#chunk.reset();
  }

  /** Copies the bytes: builders reuse their memory. */
  #append(bytes: Uint8Array): void {
    this.#pending.push(bytes.slice());
    this.#bytes += bytes.length;
  }

  #summary(start: number): Uint8Array {
    const builder = new McapRecordBuilder();
    const groups: McapTypes.SummaryOffset[] = [];
    const group = <T>(groupOpcode: number, records: Iterable<T>, write: (record: T) => bigint): void => {
      const groupStart = BigInt(start + builder.length);
      let groupLength = 0n;
      for (const record of records) groupLength += write(record);
      if (groupLength > 0n) groups.push({ groupOpcode, groupStart, groupLength });
    };
    const { Opcode } = McapConstants;
    group(Opcode.SCHEMA, this.#schemas.values(), (schema) => builder.writeSchema(schema));
    group(Opcode.CHANNEL, this.#channels.values(), (channel) => builder.writeChannel(channel));
    group(Opcode.STATISTICS, [this.#statistics()], (statistics) => builder.writeStatistics(statistics));
    group(Opcode.CHUNK_INDEX, this.#chunks, (chunk) => builder.writeChunkIndex(chunk));
    const summaryOffsetStart = BigInt(start + builder.length);
    for (const one of groups) builder.writeSummaryOffset(one);
    const footer = { summaryStart: BigInt(start), summaryOffsetStart, summaryCrc: 0 };
    builder.writeFooter(footer);
    const bytes = Buffer.from(builder.buffer);
    // The checksum also covers the footer, up to itself.
    bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
    return Buffer.concat([bytes, Buffer.from(McapConstants.MCAP_MAGIC)]);
  }

  #statistics(): McapTypes.Statistics {
    const starts = this.#chunks.map(({ messageStartTime }) => messageStartTime);
    const ends = this.#chunks.map(({ messageEndTime }) => messageEndTime);
    return {
      messageCount: [...this.#counts.values()].reduce((sum, count) => sum + count, 0n),
      schemaCount: this.#schemas.size,
      channelCount: this.#channels.size,
      attachmentCount: 0,
      metadataCount: 0,
      chunkCount: this.#chunks.length,
      messageStartTime: starts.length === 0 ? 0n : starts.reduce(earliest),
      messageEndTime: ends.reduce(latest, 0n),
      channelMessageCounts: this.#counts,
    };
  }
}
