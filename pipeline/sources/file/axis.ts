/** Records of neighbouring files may overlap by so much, microseconds: packets of several queues. */
const SLACK_US = 1_000_000;
/** From the last record of a file to the first of one whose times do not follow from it, microseconds. */
const PAUSE_US = 50_000;
/** 2000-01-01, microseconds: earlier times are those of a clock that counts from the start of a receiver. */
const EARLIEST_DATE_US = 946_684_800_000_000;

/** Lines the times of files up, so that event time never decreases from one to the next. */
export class TimeAxis {
  #shift: number;
  #newest: number;
  /** The files' own times hold, except where a file must be moved. */
  readonly #isAsRecorded: boolean;
  /** Time of the first record of all, until that has come. */
  #start: number | undefined;

  /**
   * @param newest shifted time of the newest record; -Infinity before the first
   * @param start time of the first record of all, microseconds; left out where it is as recorded
   */
  constructor(shift: number, newest: number, start?: number) {
    this.#shift = shift;
    this.#newest = newest;
    this.#isAsRecorded = start === undefined;
    this.#start = newest === -Infinity ? start : undefined;
  }

  /** Added to the times of the file that is read, microseconds. */
  get shift(): number {
    return this.#shift;
  }

  /**
   * A file begins. True where its times do not follow those of the file before it, and it is moved behind that one.
   * @param first its first time
   * @param isFirstPass whether its own times may hold again
   */
  begin(first: number, isFirstPass: boolean): boolean {
    const slack = isDate(first) ? SLACK_US : 0;
    if (this.#start !== undefined) {
      this.#shift = this.#start - first;
      this.#start = undefined;
    } else if (this.#isAsRecorded && isFirstPass && first >= this.#newest - slack) this.#shift = 0;
    else if (first + this.#shift < this.#newest) {
      this.#shift = this.#newest + PAUSE_US - first;
      return true;
    }
    return false;
  }

  /** A followed file begins: a clock of its own is set by the time at which the file was begun. True as for `begin`. */
  beginAt(first: number, begun: number, now: number): boolean {
    if (isDate(first)) return this.begin(first, true);
    const isGoingOn = first + this.#shift >= this.#newest && first + this.#shift <= now;
    if (this.#newest === -Infinity || !isGoingOn)
      this.#shift = Math.max(begun, this.#newest + PAUSE_US) - first;
    return false;
  }

  /** The times of records, shifted, and none before the newest of all. */
  placed(times: Float64Array): Float64Array {
    const isInPlace = this.#shift === 0 && !(times[0]! < this.#newest);
    const placed = isInPlace ? times : times.map((time) => Math.max(time + this.#shift, this.#newest));
    this.#newest = Math.max(this.#newest, placed[placed.length - 1]!);
    return placed;
  }

  /** Event time has jumped: what follows may be earlier. */
  reanchor(): void {
    this.#newest = -Infinity;
  }
}

export const isDate = (time: number): boolean => time >= EARLIEST_DATE_US;
