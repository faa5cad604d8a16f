/**
 * Undecoded records of a source as columns: what the journal and csiflow's capture format store. A record of
 * no bytes from no sender is a clock tick: a live source without input reports by it how late it is.
 */
export interface RawBatch {
  readonly count: number;
  /** Arrival time of each record, microseconds since 1970, never decreasing. */
  readonly time: Float64Array;
  /** `offsets[i]` to `offsets[i + 1]` are record i's bytes; count + 1 entries. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
  /** Index in `senders` of each record. */
  readonly sender: Uint16Array;
  /** Address of each sender in this batch: `127.0.0.1:49152`; empty text if there is none. */
  readonly senders: readonly string[];
  /** Provenance of the records: `replay` if they come from a recording. */
  readonly origin: 'live' | 'replay' | 'simulated';
  /** Where each record begins in its input; absent for inputs without positions, such as sockets. */
  readonly locations?: RawLocations;
}

/** What an input numbers its records by. */
export type LocationUnit = 'line' | 'packet' | 'frame';

/** Locations of the records of a batch in one input, as columns. */
export interface RawLocations {
  /** Name of the input: the path of a file, a device, a sender. */
  readonly input: string;
  /** Null if only bytes are known. */
  readonly unit: LocationUnit | null;
  /** Lines and packets count from 1, frames of arrays from 0; NaN if unknown. */
  readonly number: Float64Array;
  /** First byte of each record, in the decompressed input; NaN if unknown. */
  readonly byte: Float64Array;
}

/** Where a record begins, as text: `line 12 (byte 340)`, `byte 340` or `frame 7`. NaN is unknown. */
export function locationText(byte: number, unit: LocationUnit | null = null, number = NaN): string {
  const offset = Number.isNaN(byte) ? '' : `byte ${byte}`;
  if (unit === null || Number.isNaN(number)) return offset;
  return offset === '' ? `${unit} ${number}` : `${unit} ${number} (${offset})`;
}

/** `evening.log: line 12 (byte 340)`; empty if the location of record `index` is unknown. */
export function recordLocation({ locations }: RawBatch, index: number): string {
  if (!locations) return '';
  const text = locationText(locations.byte[index]!, locations.unit, locations.number[index]);
  return text === '' ? '' : `${locations.input}: ${text}`;
}

/** The locations of the records `start` to `end` (excluded). */
const sliceLocations = (locations: RawLocations, start: number, end: number): RawLocations => ({
  ...locations,
  number: locations.number.subarray(start, end),
  byte: locations.byte.subarray(start, end),
});

/** The bytes of record `index`; a view, not a copy. */
export const rawRecord = (batch: RawBatch, index: number): Uint8Array =>
  // Quicker than subarray(), and this is done for each record.
  new Uint8Array(
    batch.bytes.buffer,
    batch.bytes.byteOffset + batch.offsets[index]!,
    batch.offsets[index + 1]! - batch.offsets[index]!,
  );

/** True if record `index` is a clock tick. */
export const isTick = ({ offsets, sender, senders }: RawBatch, index: number): boolean =>
  offsets[index] === offsets[index + 1] && senders[sender[index]!] === '';

/** Records `start` to `end` (excluded) as a separate batch that shares the bytes. */
export function sliceRaw(batch: RawBatch, start: number, end: number): RawBatch {
  const first = batch.offsets[start]!;
  return {
    count: end - start,
    time: batch.time.subarray(start, end),
    offsets: batch.offsets.slice(start, end + 1).map((offset) => offset - first),
    bytes: batch.bytes.subarray(first, batch.offsets[end]),
    sender: batch.sender.subarray(start, end),
    senders: batch.senders,
    origin: batch.origin,
    ...(batch.locations && { locations: sliceLocations(batch.locations, start, end) }),
  };
}
