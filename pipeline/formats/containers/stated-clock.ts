import type { State } from '../../component/index.js';
import type { Following, LineClock, Timed } from './line-clock.js';
import { isoTime } from '../../base/iso-time.js';

/**
 * Event time of records that each state it. No record is skipped, since records of several senders, or those that come
 * once in some minutes, have times that do not follow from each other. A time that does not follow is judged by the
 * records after it: a pause, another clock, a clock that was set (or another log), or a wrong time, which gets the
 * newest one. All but the first are reported.
 */
export class StatedClock implements LineClock {
  /** Microseconds since 1970; negative before the first record. */
  #time = -1;
  /** From stated to event time for each clock of the input, microseconds; the last used one is first. */
  #offsets: readonly number[] = [0];
  /** Those of before a clock was set, until a record has one of them again. */
  #former: readonly number[] = [];

  /** Event time in microseconds since 1970, never decreasing; undefined if more bytes are needed. */
  take(stated: number, following: Following, isGrowing: boolean): Timed | undefined {
    if (this.#time < 0) return this.#takeFirst(stated, following, isGrowing);
    const offset = this.#offsetOf(stated);
    if (offset !== undefined) return this.#believe(stated, offset);
    const ahead = this.#offsetOf(stated, Infinity);
    const judged = this.#judge(stated, following, SLACK);
    if (judged === undefined) return undefined;
    const { same, usual, before } = judged;
    const isBelieved = same >= CONFIRM || (usual + before === 0 && (ahead !== undefined || same > 0));
    if (!isBelieved) return this.#doubt(stated);
    if (usual > 0) return this.#addClock(stated);
    return ahead === undefined ? this.#setClock(stated) : this.#believe(stated, ahead);
  }

  snapshot() {
    return { time: this.#time, offsets: [...this.#offsets], former: [...this.#former] };
  }

  restore(state: State): void {
    // Checkpoints of earlier versions have no offsets, or none of before.
    const stored = state as Partial<ReturnType<StatedClock['snapshot']>> & { time: number };
    const { time, offsets = [0], former = [] } = stored;
    this.#time = time;
    this.#offsets = [...offsets];
    this.#former = [...former];
  }

  /** A record of growing input does not wait for those after it if it is the first. */
  #takeFirst(stated: number, following: Following, isGrowing: boolean): Timed | undefined {
    const judged = isGrowing ? GOOD : this.#judge(stated, following, MAX_STEP);
    if (judged === undefined) return undefined;
    const { same, before, firstBefore } = judged;
    if (same >= CONFIRM || before <= same) return this.#believe(stated, 0);
    const message = `the time ${isoTime(stated)} is after those of the lines that follow it: the line gets the time of the next one`;
    return { ...this.#believe(firstBefore, 0), problem: { code: 'time', message } };
  }

  /** The offset by which a stated time follows best from the newest one, at most `most` us after it. */
  #offsetOf(stated: number, most = MAX_STEP): number | undefined {
    const stepBy = (offset: number) => stated + offset - this.#time;
    const misfit = (offset: number) =>
      Math.max(stepBy(offset), -stepBy(offset) * (this.#former.includes(offset) ? FORMER_BEHIND : 1));
    return this.#offsets
      .filter((offset) => stepBy(offset) >= -SLACK && stepBy(offset) <= most)
      .reduce<number | undefined>(
        (best, offset) => (best === undefined || misfit(offset) < misfit(best) ? offset : best),
        undefined,
      );
  }

  /**
   * What the records after a doubted one say, until that suffices; undefined if more bytes are needed.
   * @param slack how much before the doubted one they may be and still follow from it, microseconds
   */
  #judge(stated: number, following: Following, slack: number): Judged | undefined {
    const judged = { same: 0, usual: 0, before: 0, firstBefore: stated };
    while (judged.same < CONFIRM && judged.usual + judged.before < MAX_OTHERS) {
      const { done, value } = following.next();
      if (done === true) return value === null ? judged : undefined;
      if (this.#time >= 0 && this.#offsetOf(value) !== undefined) judged.usual++;
      else if (value >= stated - slack) judged.same++;
      else if (judged.before++ === 0) judged.firstBefore = value;
    }
    return judged;
  }

  #believe(stated: number, offset: number): Timed {
    this.#time = Math.max(this.#time, 0, stated + offset);
    if (this.#offsets[0] !== offset)
      this.#offsets = [offset, ...this.#offsets.filter((other) => other !== offset)].slice(0, MAX_CLOCKS);
    if (this.#former.length > 0)
      this.#former = this.#former.filter((other) => other !== offset && this.#offsets.includes(other));
    return { time: this.#time };
  }

  #doubt(stated: number): Timed {
    const message = `the time ${isoTime(stated)} does not follow from the lines around it: the line gets the newest time`;
    return { time: this.#time, problem: { code: 'time', message } };
  }

  /** Lines of this clock come between those of others. */
  #addClock(stated: number): Timed {
    const offset = this.#time - stated;
    const message = `the time ${isoTime(stated)} is that of a clock ${Math.abs(offset / 1e6)} s ${offset < 0 ? 'ahead of' : 'behind'} other lines: its lines are shifted by that much`;
    return { ...this.#believe(stated, offset), problem: { code: 'clock', message } };
  }

  #setClock(stated: number): Timed {
    const message = `the time goes back to ${isoTime(stated)}, as if a clock was set or another log begins: times continue from those of the lines before`;
    this.#former = this.#offsets;
    return { ...this.#believe(stated, this.#time + STEP_OVER - stated), problem: { code: 'clock', message } };
  }
}

/** Numbers of records after a doubted one. */
interface Judged {
  /** Those that follow from it. */
  readonly same: number;
  /** Those that follow from the records before it. */
  readonly usual: number;
  /** Those before it that do not follow from the records before it. */
  readonly before: number;
  /** The time that the first of `before` states, microseconds. */
  readonly firstBefore: number;
}

/** A time may be this much after the newest one, microseconds. */
const MAX_STEP = 60_000_000;
/** Records may be this much out of order, microseconds: they get the newest time. */
const SLACK = 1_000_000;
/**
 * After a clock was set back, a record is rather this many times as far ahead than out of order by the clock as it was
 * before: after a pause, that one would be only a little behind, and all records would get the newest time until it has
 * caught up. Clocks of several senders have no such preference: each late record would move event time ahead by their
 * difference.
 */
const FORMER_BEHIND = 10;
/** Gap between the records around a clock change, microseconds. */
const STEP_OVER = 50_000;
/** This number of records after a doubted one that follow from it confirm it. */
const CONFIRM = 2;
/** This number of records after a doubted one that do not follow from it deny it. */
const MAX_OTHERS = 8;
const GOOD: Judged = { same: CONFIRM, usual: 0, before: 0, firstBefore: 0 };
/** Clocks whose offsets are known. */
const MAX_CLOCKS = 8;
