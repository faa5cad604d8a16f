import type { RawBatch, State } from '../component/index.js';
import type { Problem } from '../formats/index.js';

/** A file of raw records or of arrays, of any kind that csiflow reads; gzip is decompressed on the way. */
export interface Recording {
  readonly path: string;
  /** Name of the kind of file: `capture`, `adr018-jsonl`, ... */
  readonly kind: string;
  /** Name of the format of its records. */
  readonly format: string;
  readonly origin: RawBatch['origin'];
  readonly meta: Readonly<Record<string, unknown>>;
  /** Bytes on disk. */
  readonly size: number;
  /** What its first bytes hold besides records, for a person; undefined if only records are looked for. */
  readonly content?: () => string | undefined;
  /**
   * Batches of `count` records (the last one of fewer), from `position` on. @throws FormatError if the rest
   * cannot be read
   */
  batches(count: number, position?: RecordingPosition | null): AsyncGenerator<RecordingBatch, void>;
  /**
   * A position before which all records are earlier than `time` (microseconds), found without reading what
   * precedes it.
   */
  positionNear?(time: number): Promise<RecordingPosition>;
}

export interface RecordingBatch {
  readonly raw: RawBatch;
  /** Position after these records. */
  readonly position: RecordingPosition;
  /** What was skipped on the way to them. */
  readonly problems: readonly Problem[];
}

/** Position of a reader in a file; survives JSON. */
export interface RecordingPosition {
  /** Where the next record begins in the decompressed file, bytes. */
  readonly offset: number;
  readonly cutter: State;
  /** Time of the newest record, microseconds; null before the first. */
  readonly newest: number | null;
}
