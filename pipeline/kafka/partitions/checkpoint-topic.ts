import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { inflate as inflateCallback } from 'node:zlib';
import type { KafkaMessage, Message } from 'kafkajs';
import type { PartitionCheckpoint } from '../../component/index.js';
import { codedError } from '../../base/error-text.js';
import { Packer } from './packer.js';

const inflate = promisify(inflateCallback);

/** Layout version of a checkpoint's messages: an older program rejects a newer one. */
const VERSION = 1;
const HEAD = 'head';

/** By default, brokers accept 1 MiB at a time, including some bytes around each message. */
const CHUNK_BYTES = 768 * 2 ** 10;

/** The topic's settings at creation: compacted to the newest message of each key, and often. */
export const CHECKPOINT_TOPIC: Readonly<Record<string, string>> = {
  'cleanup.policy': 'compact',
  'segment.bytes': String(64 * 2 ** 20),
  'min.cleanable.dirty.ratio': '0.1',
  'max.compaction.lag.ms': String(10 * 60_000),
};

/** The head lists the messages of a checkpoint. */
interface Head {
  readonly version: number;
  readonly epoch: number;
  readonly parts: Readonly<Record<string, Piece>>;
}

interface Piece {
  readonly chunks: number;
  /** Hash of its content, so that unchanged parts are not rewritten. */
  readonly hash: string;
}

/**
 * A checkpoint as messages of a compacted topic: each part is compressed and split into chunks under its own
 * keys, plus a head. Unchanged parts are not rewritten; surplus chunks of a part that became shorter are
 * deleted.
 */
export class CheckpointWriter {
  #pieces: Readonly<Record<string, Piece>>;
  readonly #packer = new Packer();

  constructor(pieces: Readonly<Record<string, Piece>>) {
    this.#pieces = pieces;
  }

  /** Messages in lots that a broker accepts at a time. Call `written` once they are committed. */
  async lots({ epoch, parts }: PartitionCheckpoint): Promise<{
    readonly lots: readonly (readonly Message[])[];
    readonly written: () => void;
  }> {
    const pieces: Record<string, Piece> = {};
    const messages: Message[] = [];
    for (const [name, content] of parts) {
      const hash = createHash('sha1').update(content).digest('base64');
      const before = this.#pieces[name];
      if (before?.hash === hash) {
        pieces[name] = before;
        continue;
      }
      const packed = await this.#packer.pack(name, content);
      const chunks = Math.max(1, Math.ceil(packed.length / CHUNK_BYTES));
      for (let chunk = 0; chunk < chunks; chunk++) {
        const value = packed.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
        messages.push({ key: keyOf(name, chunk), value });
      }
      pieces[name] = { chunks, hash };
    }
    for (const [name, { chunks }] of Object.entries(this.#pieces)) {
      for (let chunk = pieces[name]?.chunks ?? 0; chunk < chunks; chunk++)
        messages.push({ key: keyOf(name, chunk), value: null });
    }
    const head: Head = { version: VERSION, epoch, parts: pieces };
    messages.push({ key: HEAD, value: JSON.stringify(head) });
    const written = () => {
      this.#pieces = pieces;
    };
    return { lots: inLots(messages), written };
  }
}

/** The newest messages of a partition of the topic, read from its beginning. */
export class CheckpointReader {
  readonly #values = new Map<string, Buffer>();

  take(messages: readonly KafkaMessage[]): void {
    for (const { key, value } of messages) {
      if (!key) continue;
      if (value) this.#values.set(key.toString(), value);
      else this.#values.delete(key.toString());
    }
  }

  /** @throws Error `state.corrupt`, `state.newer` */
  async checkpoint(): Promise<{
    readonly saved: PartitionCheckpoint | undefined;
    readonly writer: CheckpointWriter;
  }> {
    const text = this.#values.get(HEAD);
    if (!text) return { saved: undefined, writer: new CheckpointWriter({}) };
    const head = JSON.parse(text.toString()) as Head;
    if (head.version > VERSION)
      throw codedError(
        'state.newer',
        `the checkpoint was written by a newer csiflow (layout ${head.version}, this one knows ${VERSION}): run that version here too`,
      );
    const parts = new Map<string, Uint8Array>();
    for (const [name, { chunks }] of Object.entries(head.parts)) {
      const values = Array.from({ length: chunks }, (_, chunk) => this.#values.get(keyOf(name, chunk)));
      if (values.includes(undefined))
        throw codedError('state.corrupt', `the checkpoint lacks a chunk of ${name}: was the topic cut?`);
      parts.set(name, await inflate(Buffer.concat(values as Buffer[])));
    }
    return { saved: { epoch: head.epoch, parts }, writer: new CheckpointWriter(head.parts) };
  }
}

function inLots(messages: readonly Message[]): readonly (readonly Message[])[] {
  const lots: Message[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const size = 64 + String(message.key).length + (message.value?.length ?? 0);
    if (bytes + size > CHUNK_BYTES) {
      lots.push([]);
      bytes = 0;
    }
    lots.at(-1)!.push(message);
    bytes += size;
  }
  return lots;
}

const keyOf = (name: string, chunk: number): string => `part/${name}/${chunk}`;
