import type { RawBatch } from '../component/index.js';

const ORIGINS = ['live', 'replay', 'simulated'] as const;
const HEADER_BYTES = 16;

/**
 * A batch as one value of the journal: header (origin, count, length of the senders' text), times,
 * offsets, senders' numbers, senders' text, bytes. Native byte order: a journal stays on its machine.
 */
export function encodeRaw(batch: RawBatch): Buffer {
  const { count } = batch;
  const senders = Buffer.from(JSON.stringify(batch.senders));
  const first = batch.offsets[0]!;
  const last = batch.offsets[count]!;
  const columns = HEADER_BYTES + count * 8 + (count + 1) * 4 + count * 2;
  const out = Buffer.allocUnsafeSlow(columns + senders.length + last - first);
  out.writeUInt32LE(ORIGINS.indexOf(batch.origin), 0);
  out.writeUInt32LE(count, 4);
  out.writeUInt32LE(senders.length, 8);
  new Float64Array(out.buffer, HEADER_BYTES, count).set(batch.time.subarray(0, count));
  const offsets = new Uint32Array(out.buffer, HEADER_BYTES + count * 8, count + 1);
  for (let index = 0; index <= count; index++) offsets[index] = batch.offsets[index]! - first;
  new Uint16Array(out.buffer, HEADER_BYTES + count * 12 + 4, count).set(batch.sender.subarray(0, count));
  out.set(senders, columns);
  out.set(batch.bytes.subarray(first, last), columns + senders.length);
  return out;
}

/** @throws Error where the value is not one that {@link encodeRaw} made. */
export function decodeRaw(value: Uint8Array): RawBatch {
  const copy = Buffer.from(Uint8Array.from(value).buffer);
  if (copy.length < HEADER_BYTES) throw new Error('a journal entry is shorter than its header');
  const origin = ORIGINS[copy.readUInt32LE(0)];
  const count = copy.readUInt32LE(4);
  const columns = HEADER_BYTES + count * 14 + 4;
  const text = copy.readUInt32LE(8);
  if (!origin || copy.length < columns + text) throw new Error('a journal entry is cut short');
  return {
    count,
    time: new Float64Array(copy.buffer, HEADER_BYTES, count),
    offsets: new Uint32Array(copy.buffer, HEADER_BYTES + count * 8, count + 1),
    sender: new Uint16Array(copy.buffer, HEADER_BYTES + count * 12 + 4, count),
    senders: JSON.parse(copy.toString('utf8', columns, columns + text)) as string[],
    bytes: copy.subarray(columns + text),
    origin,
  };
}
