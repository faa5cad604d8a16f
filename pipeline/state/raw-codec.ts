import type { LocationUnit, RawBatch, RawLocations } from '../component/index.js';

const ORIGINS = ['live', 'replay', 'simulated'] as const;
const HEADER_BYTES = 16;
/** Flag beside the origin: the locations of the records follow. Entries of 0.4.0 and earlier lack them. */
const HAS_LOCATIONS = 0x100;

/**
 * A batch as one value of the journal: header (origin, count, length of the senders' text), times,
 * offsets, senders' numbers, senders' text, bytes, locations (see {@link encodeLocations}). Native byte order: a
 * journal stays on its machine. `after` bytes are left free at the end.
 */
export function encodeRaw(batch: RawBatch, after = 0): Buffer {
  const { count } = batch;
  const senders = sendersText(batch.senders);
  const first = batch.offsets[0]!;
  const last = batch.offsets[count]!;
  const start = HEADER_BYTES;
  const columns = start + count * 14 + 4;
  const locations = batch.locations && encodeLocations(batch.locations, count);
  const end = columns + senders.length + last - first;
  const out = Buffer.allocUnsafeSlow(end + (locations?.length ?? 0) + after);
  out.writeUInt32LE(ORIGINS.indexOf(batch.origin) + (locations ? HAS_LOCATIONS : 0), 0);
  out.writeUInt32LE(count, 4);
  out.writeUInt32LE(senders.length, 8);
  out.writeUInt32LE(last - first, 12);
  new Float64Array(out.buffer, start, count).set(batch.time.subarray(0, count));
  const offsets = new Uint32Array(out.buffer, start + count * 8, count + 1);
  for (let index = 0; index <= count; index++) offsets[index] = batch.offsets[index]! - first;
  new Uint16Array(out.buffer, start + count * 12 + 4, count).set(batch.sender.subarray(0, count));
  out.set(senders, columns);
  out.set(batch.bytes.subarray(first, last), columns + senders.length);
  if (locations) out.set(locations, end);
  return out;
}

/** Numbers and bytes of the records, then u32 length and JSON of what they share. */
function encodeLocations({ input, unit, number, byte }: RawLocations, count: number): Buffer {
  const text = Buffer.from(JSON.stringify({ input, unit }));
  const out = Buffer.alloc(count * 16 + 4 + text.length);
  for (let index = 0; index < count; index++) {
    out.writeDoubleLE(number[index]!, index * 8);
    out.writeDoubleLE(byte[index]!, (count + index) * 8);
  }
  out.writeUInt32LE(text.length, count * 16);
  out.set(text, count * 16 + 4);
  return out;
}

function decodeLocations(from: Buffer, count: number): RawLocations {
  const column = (start: number) =>
    Float64Array.from({ length: count }, (_, index) => from.readDoubleLE((start + index) * 8));
  const text = from.toString('utf8', count * 16 + 4, count * 16 + 4 + from.readUInt32LE(count * 16));
  const shared = JSON.parse(text) as { readonly input: string; readonly unit: LocationUnit | null };
  return { ...shared, number: column(0), byte: column(count) };
}

/** Most batches of a source have the same senders: their text is encoded once. */
let lastSenders: readonly string[] = [];
let lastText = Buffer.from('[]');

function sendersText(senders: readonly string[]): Buffer {
  const same =
    senders.length === lastSenders.length && senders.every((sender, index) => sender === lastSenders[index]);
  if (!same) {
    lastSenders = [...senders];
    lastText = Buffer.from(JSON.stringify(senders));
  }
  return lastText;
}

/** @throws Error if {@link encodeRaw} did not write the value */
export function decodeRaw(value: Uint8Array): RawBatch {
  // A copy: the value is only valid until the next read of the store, and columns must be aligned.
  const copy = Buffer.from(Uint8Array.from(value).buffer);
  if (copy.length < HEADER_BYTES) throw new Error('a journal entry is shorter than its header');
  const kind = copy.readUInt32LE(0);
  const origin = ORIGINS[kind & ~HAS_LOCATIONS];
  const count = copy.readUInt32LE(4);
  const columns = HEADER_BYTES + count * 14 + 4;
  const text = copy.readUInt32LE(8);
  if (!origin || copy.length < columns + text + copy.readUInt32LE(12))
    throw new Error('a journal entry is cut short');
  const end = columns + text + copy.readUInt32LE(12);
  const locations = (kind & HAS_LOCATIONS) === 0 ? undefined : decodeLocations(copy.subarray(end), count);
  return {
    count,
    time: new Float64Array(copy.buffer, HEADER_BYTES, count),
    offsets: new Uint32Array(copy.buffer, HEADER_BYTES + count * 8, count + 1),
    sender: new Uint16Array(copy.buffer, HEADER_BYTES + count * 12 + 4, count),
    senders: JSON.parse(copy.toString('utf8', columns, columns + text)) as string[],
    bytes: copy.subarray(columns + text, end),
    origin,
    ...(locations && { locations }),
  };
}
