import type { Context, Output, RawBatch, State } from '../../component/index.js';
import type { Data, Measurement } from '../../model/index.js';
import type { FormatOptions } from './options.js';
import type { RawBuilder } from './raw-builder.js';

/**
 * A format of CSI: the meaning of one raw record (a datagram, an entry of a file, a line). A source keeps
 * records undecoded, with their time and sender, in the columns of a {@link RawBatch}. The journal and
 * captures store them in this form, and a {@link Decoder} converts them to frames.
 */
export interface Format {
  /** kebab-case: `adr018`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** True if `record` may be one complete record of this format. Checks a bounded number of bytes. */
  readonly recognise: (record: Uint8Array) => boolean;
  /**
   * True if `record` starts as only this format's do, damaged or not: where no format recognises it, this one's
   * decoder says what is wrong. Absent for formats without a signature.
   */
  readonly hasSignature?: (record: Uint8Array) => boolean;
  readonly decoder: (context: DecoderContext) => Decoder;
  /** Content of its frames; default: channel estimates. */
  readonly measurement?: Measurement;
  /** Name of the format whose records this one interprets differently. */
  readonly variantOf?: string;
  /** What its records do not state, and what csiflow assumes instead; a sentence without a full stop. */
  readonly assumes?: string;
  /**
   * Event time stated in a record, microseconds; null if it has none. For sources whose records have no
   * better one.
   */
  readonly timeOf?: (record: Uint8Array) => number | null;
}

/** A source's context for its decoder. */
export type DecoderContext = Pick<Context, 'links' | 'metrics' | 'log'> & {
  /** The source's settings about the records. */
  readonly options?: FormatOptions;
};

/**
 * Converts records to frames. Deterministic: the output depends only on the records, and one batch of N gives
 * the same frames as N batches of one.
 */
export interface Decoder {
  /**
   * Frames of all layouts, and senders' own reports. A batch gives at most one block per layout, with frames
   * in order of arrival, and blocks in the order of their first frame. Blocks of one batch therefore overlap
   * in time, and time has advanced to the end of a batch only after all of its blocks. Never throws for bad
   * bytes: it counts them, and outputs a bounded sample as failures (code `decode.<reason>`).
   */
  decode(raw: RawBatch): Output<Data>;
  /** Last sequence numbers and counts, as plain data with link ids. */
  snapshot(): State;
  restore(state: State): void;
  /** Counts by kind and reason, unknown senders, loss per link. Plain JSON. */
  describe(): Readonly<Record<string, unknown>>;
}

/** A kind of file that holds records of a format. */
export interface FileFormat {
  /** kebab-case: `adr018-jsonl`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** True if a file that starts with `head` (up to {@link HEAD_BYTES}) is of this kind. */
  readonly recognise: (head: Uint8Array) => boolean;
  /** Reads the file's header. @throws FormatError if it cannot be read */
  readonly open: (head: Uint8Array) => OpenedFile;
}

export interface OpenedFile {
  /** Name of the {@link Format} of the records. */
  readonly format: string;
  /** Where the first record starts, bytes. */
  readonly start: number;
  readonly origin: RawBatch['origin'];
  /** The file's metadata. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly cutter: Cutter;
}

/** Cuts the bytes of a file into records, and assigns each its time, the only basis of event time. */
export interface Cutter {
  /**
   * Adds the complete records at the start of `bytes` to `into`, until that is full or the next record is
   * incomplete. Returns the number of bytes consumed; the rest is passed again, with more data after it. `at`
   * is the offset of `bytes` in the file, for messages. `last` means that no data follows: the rest is then a
   * truncated tail, to be reported. An unreadable record is skipped and reported to `into.problem`. Before it
   * adds a record, a cutter calls `into.begins`, so that the decoder can name the location of a faulty one.
   * @throws FormatError if the rest of the file cannot be read
   */
  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number;
  /** State that the cutting of later records depends on (line number, wrapped clocks), as plain data. */
  snapshot(): State;
  restore(state: State): void;
}

/** Opens a radio's recording without a header: records start at the first byte. */
export const recordingOf =
  ({ name }: Pick<Format, 'name'>, cutter: () => Cutter): FileFormat['open'] =>
  () => ({ format: name, start: 0, origin: 'replay', meta: {}, cutter: cutter() });

/** Number of bytes sufficient to recognise a file and to read its header. */
export const HEAD_BYTES = 65_536;

/** Longest record of any format, bytes: longer ones are not read into memory. */
export const MAX_RECORD_BYTES = 1_048_576;

/** Number of bytes sufficient to recognise a file whose first record is longer than {@link HEAD_BYTES}. */
export const LONG_HEAD_BYTES = HEAD_BYTES + MAX_RECORD_BYTES;

/** A file that cannot be read, or not beyond this position. */
export class FormatError extends Error {
  /** Dotted: `capture.version`. */
  readonly code: string;
  /** `byte 1234` or `line 12`. */
  readonly location: string;

  constructor(code: string, location: string, message: string) {
    super(`${location}: ${message}`);
    this.name = 'FormatError';
    this.code = code;
    this.location = location;
  }
}
