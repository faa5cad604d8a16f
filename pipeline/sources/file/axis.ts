/** Limit of the overlap between records of neighbouring files, microseconds: packets of several queues. */
const SLACK_US = 1_000_000;
/** Gap between the last record of a file and the first of one whose times do not follow from it, microseconds. */
const PAUSE_US = 50_000;
/** 2000-01-01, microseconds: earlier times come from a clock that counts from the start of a receiver. */
const EARLIEST_DATE_US = 946_684_800_000_000;

/** Aligns the times of files, so that event time never decreases from one to the next. */
export class TimeAxis {
  #shift: number;
  #newest: number;
  /** The files' own times hold, unless a file must be shifted. */
  readonly #isAsRecorded: boolean;
  /** Requested time of the very first record, until that record has arrived. */
  #start: number | undefined;

  /**
   * @param newest shifted time of the newest record; -Infinity before the first
   * @param start time of the very first record, microseconds; omitted: as recorded
   */
  constructor(shift: number, newest: number, start?: number) {
    this.#shift = shift;
    this.#newest = newest;
    this.#isAsRecorded = start === undefined;
    this.#start = newest === -Infinity ? start : undefined;
  }

  /** Added to the times of the current file, microseconds. */
  get shift(): number {
    return this.#shift;
  }

  /**
   * Starts a file. True if its times do not follow those of the file before it, so it is shifted to follow
   * that one.
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

  /**
   * Starts a followed file: if it has a clock of its own, the creation time of the file is added. True as for
   * `begin`.
   */
  beginAt(first: number, begun: number, now: number): boolean {
    if (isDate(first)) return this.begin(first, true);
    const isGoingOn = first + this.#shift >= this.#newest && first + this.#shift <= now;
    if (this.#newest === -Infinity || !isGoingOn)
      this.#shift = Math.max(begun, this.#newest + PAUSE_US) - first;
    return false;
  }

  /** The times of records, shifted, and none before the newest so far. */
  aligned(times: Float64Array): Float64Array {
    const isAligned = this.#shift === 0 && !(times[0]! < this.#newest);
    const aligned = isAligned ? times : times.map((time) => Math.max(time + this.#shift, this.#newest));
    this.#newest = Math.max(this.#newest, aligned[aligned.length - 1]!);
    return aligned;
  }

  /** Event time has jumped: later records may be earlier. */
  reanchor(): void {
    this.#newest = -Infinity;
  }
}

export const isDate = (time: number): boolean => time >= EARLIEST_DATE_US;
