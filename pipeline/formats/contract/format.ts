import type { Context, Output, RawBatch, State } from '../../component/index.js';
import type { Data, Measurement } from '../../model/index.js';
import type { FormatOptions } from './options.js';
import type { RawBuilder } from './raw-builder.js';

/**
 * A format of CSI: what one raw record (a datagram, an entry of a file, a line) means. A source keeps
 * records undecoded, with their time and sender, in the columns of a {@link RawBatch}; the journal and
 * captures hold them so, and a {@link Decoder} makes frames of them.
 */
export interface Format {
  /** kebab-case: `adr018`. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** True where `record` may be one whole record of this format. Looks at a bounded number of bytes. */
  readonly recognise: (record: Uint8Array) => boolean;
  readonly decoder: (context: DecoderContext) => Decoder;
  /** What its frames hold; skipped: channel estimates. */
  readonly measurement?: Measurement;
  /** Name of the format whose records this one reads in another way. */
  readonly variantOf?: string;
  /** Event time that a record states itself, microseconds; null where it does not. For sources whose records have no better one. */
  readonly timeOf?: (record: Uint8Array) => number | null;
}

/** What a decoder gets from its source's context. */
export type DecoderContext = Pick<Context, 'links' | 'metrics' | 'log'> & {
  /** What the source's settings say of the records. */
  readonly options?: FormatOptions;
};

/**
 * Makes frames of records. Deterministic: its output depends on the records alone, and one batch of N
 * gives the same frames as N batches of one.
 */
export interface Decoder {
  /**
   * Frames of all layouts, and what senders say of themselves. A batch gives at most one block per layout,
   * frames in order of arrival within it, blocks in the order of their first frame; so blocks of one batch
   * overlap in time, and time has advanced to the end of a batch only after all of its blocks.
   * Never throws for bad bytes: it counts them, and hands over a bounded sample as failures
   * (code `decode.<reason>`).
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
  /** True where a file that starts with `head` (up to {@link HEAD_BYTES}) is of this kind. */
  readonly recognise: (head: Uint8Array) => boolean;
  /** Reads the file's header. @throws FormatError where it cannot be read. */
  readonly open: (head: Uint8Array) => OpenedFile;
}

export interface OpenedFile {
  /** Name of the {@link Format} of the records. */
  readonly format: string;
  /** Where the first record starts, bytes. */
  readonly start: number;
  readonly origin: RawBatch['origin'];
  /** What the file says of itself. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly cutter: Cutter;
}

/** Cuts the bytes of a file into records, and gives each its time: all that event time is made of. */
export interface Cutter {
  /**
   * Adds the whole records at the start of `bytes` to `into` until that is full or the next one is cut off.
   * Returns how many bytes it has taken; the rest comes again, with more behind it. `at` is the offset of
   * `bytes` in the file, for messages; `last` says that nothing follows: what is left then is a cut-off
   * tail, to be reported. A record that cannot be read is skipped and reported to `into.problem`.
   * @throws FormatError where the rest of the file cannot be read.
   */
  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number;
  /** What the cutting of later records depends on (line number, wrapped clocks), as plain data. */
  snapshot(): State;
  restore(state: State): void;
}

/** Opens a recording of a radio that has no header: records from the first byte on. */
export const recordingOf =
  ({ name }: Pick<Format, 'name'>, cutter: () => Cutter): FileFormat['open'] =>
  () => ({ format: name, start: 0, origin: 'replay', meta: {}, cutter: cutter() });

/** Bytes of a file that are enough to recognise it and to read its header. */
export const HEAD_BYTES = 65_536;

/** Longest record of any format, bytes: a longer one is not read into memory. */
export const MAX_RECORD_BYTES = 1_048_576;

/** A file that cannot be read, or not from here on. */
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
