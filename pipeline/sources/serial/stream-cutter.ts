import {
  FILE_FORMATS,
  FormatError,
  HEAD_BYTES,
  recogniseFile,
  type FileFormat,
  type OpenedFile,
  type RawBuilder,
} from '../../formats/index.js';
import { tryKinds } from '../../formats/tried.js';

/** A stream of unknown kind is examined again when it has grown by this factor. */
const GROWTH = 1 / 64;
/** A stream that is joined in the middle has the kind in which this many records are found. */
const ENOUGH_RECORDS = 3;

/** Cuts a stream of bytes into records, once its kind is known: from the settings, or from its first bytes. */
export class StreamCutter {
  readonly #named: FileFormat | undefined;
  #kind: FileFormat | undefined;
  #opened: OpenedFile | undefined;
  #rest: Uint8Array = new Uint8Array(0);
  /** Offset of `#rest` in the stream, bytes. */
  #at = 0;
  #looked = 0;
  /** Length of the stream at which all kinds are tried again. */
  #tryAt = 0;
  #problem: string | null = null;

  /** @param kind name of a kind of file, or `auto` */
  constructor(kind: string) {
    this.#named = FILE_FORMATS.find(({ name }) => name === kind);
  }

  /** Name of the stream's kind; null until it is known. */
  get kind(): string | null {
    return this.#kind?.name ?? null;
  }

  /** Why no record is read from the stream, for a person. */
  get problem(): string | null {
    return this.#problem;
  }

  add(chunk: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /**
   * Adds the complete records to `into`. True if `into` is full: there may be more.
   * @param last the stream has ended
   * @throws FormatError if the rest of the stream cannot be read
   */
  cut(into: RawBuilder, last: boolean): boolean {
    // Take everything that has arrived, so that the rest of an unknown stream does not grow.
    while (!this.#opened) if (!this.#look(last)) return false;
    this.#pass(this.#opened.cutter.cut(this.#rest, into, this.#at, last));
    return into.full;
  }

  #pass(bytes: number): void {
    this.#at += bytes;
    this.#rest = this.#rest.subarray(bytes);
  }

  /** False if it cannot be determined until more data arrives. */
  #look(last: boolean): boolean {
    const head = this.#rest.subarray(0, HEAD_BYTES);
    const isWhole = last || head.length === HEAD_BYTES;
    if (!isWhole && head.length < this.#looked * (1 + GROWTH)) return false;
    this.#looked = head.length;
    const kind = this.#named ?? recogniseFile(head) ?? (isWhole ? this.#nearest(head) : undefined);
    const opened = kind && openedAs(kind, head, isWhole);
    if (opened) {
      this.#kind = kind;
      this.#opened = opened;
      this.#problem = null;
      this.#pass(opened.start);
      return true;
    }
    if (isWhole && head.length > 0) {
      // The reason for a stream that stays unknown does not change.
      this.#problem ??=
        `none of the ${this.#at + head.length} bytes received are of a kind that csiflow reads ` +
        '(perhaps there are too few; a wrong `baud` has the same effect). Set `format` if you know it';
      this.#pass(Math.ceil(head.length / 2));
      this.#looked = 0;
    }
    return !last && this.#rest.length >= HEAD_BYTES;
  }

  /**
   * Recognises a stream without a known header, as when the receiver is joined in the middle of a record.
   * Trying all kinds takes time, so it happens only when the stream has doubled in length; otherwise endless
   * noise would block the event loop.
   */
  #nearest(head: Uint8Array): FileFormat | undefined {
    const end = this.#at + head.length;
    if (end < this.#tryAt) return undefined;
    this.#tryAt = 2 * end;
    const [nearest] = tryKinds(head);
    return nearest && nearest.records >= ENOUGH_RECORDS ? nearest.kind : undefined;
  }
}

/** @throws FormatError if the header is complete and still cannot be read */
function openedAs(kind: FileFormat, head: Uint8Array, isWhole: boolean): OpenedFile | undefined {
  try {
    return kind.open(head);
  } catch (error) {
    if (isWhole || !(error instanceof FormatError)) throw error;
    return undefined;
  }
}
