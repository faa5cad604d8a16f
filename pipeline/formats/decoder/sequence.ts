/**
 * Computes loss from the sender's frame numbers, after RFC 3550, appendix A.1: a large jump is accepted only
 * when the next number follows it, so that one damaged frame has no effect.
 */
export class SequenceTracker {
  readonly #modulus: number;
  readonly #seen = new Float64Array(WINDOW).fill(-1);
  #last = -1;
  /** Steps from the first frame of this series to the newest. */
  #span = 0;
  /** The number that would confirm a jump. */
  #expectedAfterJump = -1;
  #beforeJump = -1;
  /** Numbers that are lost unless the sender counts by two; -1 once it is known not to. */
  #doubtful: number;

  /** Frames seen, of any kind. */
  received = 0;
  /** Numbers that were skipped and have not arrived since. */
  lost = 0;
  /** Frames with a number that was already received. */
  duplicates = 0;
  /** Frames that arrived after a later one. */
  reordered = 0;
  /** Number of times that the sender restarted its numbering. */
  restarts = 0;

  /**
   * @param bits of the sender's counter: 32 for ADR-018, 16 for Intel 5300
   * @param mayCountByTwo some senders do: numbers count as lost only after an odd step
   */
  constructor(bits = 32, mayCountByTwo = false) {
    this.#modulus = 2 ** bits;
    this.#doubtful = mayCountByTwo ? 0 : -1;
  }

  /** Adds the number of the next frame to arrive. Returns the number of frames found to be lost. */
  see(sequence: number): number {
    this.received++;
    if (this.#last < 0) return this.#begin(sequence);
    const ahead = this.#distance(this.#last, sequence);
    if (ahead === 1) return this.#advance(sequence, 1);
    if (ahead > 0 && ahead <= MAX_GAP) return this.#advance(sequence, ahead);
    if (ahead === 0 || this.#modulus - ahead < WINDOW) return this.#late(sequence, ahead);
    return this.#jump(sequence);
  }

  snapshot(): SequenceState {
    return {
      last: this.#last,
      span: this.#span,
      jump: this.#expectedAfterJump,
      before: this.#beforeJump,
      seen: [...this.#seen],
      doubtful: this.#doubtful,
      counts: [this.received, this.lost, this.duplicates, this.reordered, this.restarts],
    };
  }

  restore(state: SequenceState): void {
    this.#last = state.last;
    this.#span = state.span;
    this.#expectedAfterJump = state.jump;
    this.#beforeJump = state.before;
    this.#seen.set(state.seen);
    this.#doubtful = state.doubtful ?? this.#doubtful;
    [this.received, this.lost, this.duplicates, this.reordered, this.restarts] = state.counts;
  }

  #begin(sequence: number): number {
    this.#seen.fill(-1);
    this.#seen[sequence & (WINDOW - 1)] = sequence;
    this.#last = sequence;
    this.#span = 0;
    this.#expectedAfterJump = -1;
    return 0;
  }

  #advance(sequence: number, ahead: number): number {
    this.#seen[sequence & (WINDOW - 1)] = sequence;
    this.#last = sequence;
    this.#span += ahead;
    this.#expectedAfterJump = -1;
    const lost = this.#lostIn(ahead);
    this.lost += lost;
    return lost;
  }

  /** Frames lost in a step ahead, including those in doubt so far. */
  #lostIn(ahead: number): number {
    if (this.#doubtful < 0) return ahead - 1;
    if (ahead % 2 === 0) {
      this.#doubtful += ahead / 2;
      return ahead / 2 - 1;
    }
    const lost = ahead - 1 + this.#doubtful;
    this.#doubtful = -1;
    return lost;
  }

  #late(sequence: number, ahead: number): number {
    const behind = ahead === 0 ? 0 : this.#modulus - ahead;
    if (this.#seen[sequence & (WINDOW - 1)] === sequence) {
      this.duplicates++;
      return 0;
    }
    this.#seen[sequence & (WINDOW - 1)] = sequence;
    this.reordered++;
    // Frames from before the first one of the series were never counted as lost.
    if (behind < this.#span) this.lost--;
    return 0;
  }

  #jump(sequence: number): number {
    if (sequence !== this.#expectedAfterJump) {
      this.#expectedAfterJump = (sequence + 1) % this.#modulus;
      this.#beforeJump = this.#last;
      return 0;
    }
    // Two in a row: the sender was silent or out of range for long, or has restarted its numbering.
    const gap = this.#distance(this.#beforeJump, sequence) - 2;
    this.#begin(sequence);
    if (gap > 0 && gap < MAX_OUTAGE) {
      this.lost += gap;
      return gap;
    }
    this.restarts++;
    return 0;
  }

  #distance(from: number, to: number): number {
    const distance = to - from;
    return distance < 0 ? distance + this.#modulus : distance;
  }
}

export interface SequenceState {
  readonly last: number;
  readonly span: number;
  readonly jump: number;
  readonly before: number;
  readonly seen: readonly number[];
  /** Absent in checkpoints of 0.1.0. */
  readonly doubtful?: number;
  readonly counts: readonly [number, number, number, number, number];
}

/** A power of two. Frames may be late by this much and remain distinguishable from a restart. */
const WINDOW = 64;
/** Longest gap that is accepted immediately: a minute at 50 Hz. */
const MAX_GAP = 3000;
/** Longest gap that is accepted after a second frame: about five hours at 50 Hz. */
const MAX_OUTAGE = 1_000_000;
