import type { LocationUnit, RawBatch, RawLocations } from '../../component/index.js';

/** Skipped data in a file. */
export interface Problem {
  /** Dotted: `capture.damaged`. */
  readonly code: string;
  /** `byte 1234` or `line 12`. */
  readonly location: string;
  /** For people. */
  readonly message: string;
  /** The record is read nevertheless, at another time than it states. */
  readonly isRead?: boolean;
}

/** Largest growth factor of a buffer at a time. */
const MAX_GROWTH = 16;

/** Collects records into the columns of a {@link RawBatch}; reuses its memory for each batch. */
export class RawBuilder {
  /** Limit of records per batch. */
  readonly capacity: number;
  readonly #origin: RawBatch['origin'];
  readonly #time: Float64Array;
  readonly #sender: Uint16Array;
  readonly #offsets: Uint32Array;
  /** Created at the first record whose location is known. */
  #locations: Locations | undefined;
  readonly #problems: Problem[] = [];
  readonly #indices = new Map<string, number>();
  #senders: string[] = [];
  #bytes = new Uint8Array(16_384);
  #count = 0;
  #newest: number;
  readonly #now: (() => number) | undefined;
  /**
   * The input is still being written: a complete record is passed on without the one after it, unless its time
   * is doubtful.
   */
  readonly isGrowing: boolean;

  /**
   * No record's time is before `newest` (microseconds). With `now`, each record gets the time at which it is
   * added, regardless of the cutter.
   */
  constructor(
    capacity: number,
    origin: RawBatch['origin'],
    newest = -Infinity,
    now?: () => number,
    isGrowing = now !== undefined,
  ) {
    this.#now = now;
    this.isGrowing = isGrowing;
    this.capacity = Math.min(capacity, 65_536);
    this.#origin = origin;
    this.#newest = newest;
    this.#time = new Float64Array(this.capacity);
    this.#sender = new Uint16Array(this.capacity);
    this.#offsets = new Uint32Array(this.capacity + 1);
  }

  get count(): number {
    return this.#count;
  }

  get full(): boolean {
    return this.#count === this.capacity;
  }

  /**
   * Records arrive as they are measured: none may wait for the next one, and only this machine's clock
   * counts.
   */
  get isLive(): boolean {
    return this.#now !== undefined;
  }

  /** Time of the newest record added so far, microseconds. */
  get newest(): number {
    return this.#newest;
  }

  /**
   * The record that is added next begins at this byte of its input.
   * @param number which one it is, counted in `unit`
   */
  begins(byte: number, unit: LocationUnit | null = null, number = NaN): void {
    this.#locations ??= new Locations(this.capacity);
    this.#locations.set(this.#count, byte, unit, number);
  }

  /**
   * Adds `bytes[start..end]`. A time before the newest one is raised to it: arrival times never decrease.
   * @throws RangeError if the builder is full
   */
  add(time: number, bytes: Uint8Array, start = 0, end = bytes.length, sender = ''): void {
    const index = this.#count;
    if (index === this.capacity) throw new RangeError('the batch is full: take() it first');
    const from = this.#offsets[index]!;
    const to = from + end - start;
    if (to > this.#bytes.length) this.#grow(to);
    const isWhole = start === 0 && end === bytes.length;
    // A Buffer's own subarray() is slower than the copy.
    this.#bytes.set(
      isWhole ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start),
      from,
    );
    this.#newest = Math.max(this.#newest, this.#now?.() ?? time);
    this.#time[index] = this.#newest;
    this.#sender[index] = this.#senderIndex(sender);
    this.#offsets[index + 1] = to;
    this.#count = index + 1;
  }

  /** Records of another input follow, with times not before `newest`. */
  startFrom(newest: number): void {
    this.#newest = newest;
  }

  /** Reports skipped data. */
  problem(problem: Problem): void {
    this.#problems.push(problem);
  }

  /** The problems reported since the last call. */
  takeProblems(): readonly Problem[] {
    return this.#problems.splice(0);
  }

  /**
   * The records as a batch with its own memory; the builder is empty afterwards.
   * @param input name of the input that the locations refer to; without it, or if no record has one, the batch has none
   */
  take(input?: string): RawBatch {
    const count = this.#count;
    const locations = input === undefined ? undefined : this.#locations?.take(count, input);
    const batch: RawBatch = {
      count,
      time: this.#time.slice(0, count),
      offsets: this.#offsets.slice(0, count + 1),
      bytes: this.#takeBytes(this.#offsets[count]!),
      sender: this.#sender.slice(0, count),
      senders: this.#senders,
      origin: this.#origin,
      ...(locations && { locations }),
    };
    this.#senders = [];
    this.#indices.clear();
    this.#count = 0;
    return batch;
  }

  /** A mostly full buffer is moved to the batch, because copying it would take as long as filling it did. */
  #takeBytes(length: number): Uint8Array {
    if (2 * length < this.#bytes.length) return this.#bytes.slice(0, length);
    const bytes = this.#bytes.subarray(0, length);
    this.#bytes = new Uint8Array(this.#bytes.length);
    return bytes;
  }

  #senderIndex(sender: string): number {
    const senders = this.#senders;
    // Nearly always that of the previous record.
    if (senders.length > 0 && senders[senders.length - 1] === sender) return senders.length - 1;
    let index = this.#indices.get(sender);
    if (index === undefined) {
      index = senders.push(sender) - 1;
      this.#indices.set(sender, index);
    }
    return index;
  }

  #grow(least: number): void {
    // Size of a full batch of such records, within limits.
    const expected = Math.min((least / (this.#count + 1)) * this.capacity, this.#bytes.length * MAX_GROWTH);
    const bytes = new Uint8Array(Math.max(least, this.#bytes.length * 2, Math.ceil(expected)));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** Locations of the records in a builder. */
class Locations {
  readonly #number: Float64Array;
  readonly #byte: Float64Array;
  #unit: LocationUnit | null = null;
  #isEmpty = true;

  constructor(capacity: number) {
    this.#number = new Float64Array(capacity).fill(NaN);
    this.#byte = new Float64Array(capacity).fill(NaN);
  }

  set(index: number, byte: number, unit: LocationUnit | null, number: number): void {
    this.#byte[index] = byte;
    this.#number[index] = number;
    this.#unit = unit;
    this.#isEmpty = false;
  }

  /** Null if no record has a location. */
  take(count: number, input: string): RawLocations | null {
    if (this.#isEmpty) return null;
    this.#isEmpty = true;
    const number = this.#number.slice(0, count);
    const byte = this.#byte.slice(0, count);
    this.#number.fill(NaN, 0, count);
    this.#byte.fill(NaN, 0, count);
    return { input, unit: this.#unit, number, byte };
  }
}
