import type { State } from '../../component/index.js';
import { DeviceClock, type ClockKind } from './device-clock.js';

/** Stamps of the lines after one, in order; it returns null if no more are near, undefined if more bytes are needed. */
export type Following = Iterator<number, null | undefined, undefined>;

/** The event time of a line. */
export interface Timed {
  /** Microseconds since 1970; null: the stamp is not trusted. */
  readonly time: number | null;
  /** To be reported although the line is not skipped. */
  readonly problem?: { readonly code: string; readonly message: string };
}

/** Event time from the stamps of lines. The state of one can be restored only to another of the same kind of line. */
export interface LineClock {
  /** Undefined if more bytes are needed: nothing has changed then. */
  take(stamp: number, following: Following, isGrowing: boolean): Timed | undefined;
  snapshot(): State;
  restore(state: State): void;
}

/** The clock of the device that printed a log. */
export class LogClock implements LineClock {
  readonly #clock: DeviceClock;

  constructor(kind: ClockKind) {
    this.#clock = new DeviceClock(kind);
  }

  take(stamp: number, following: Following): Timed | undefined {
    const next = this.#clock.asksForNext(stamp) ? following.next().value : null;
    return next === undefined ? undefined : { time: this.#clock.at(stamp, next) };
  }

  snapshot() {
    return this.#clock.snapshot();
  }

  restore(state: State): void {
    this.#clock.restore(state as ReturnType<LogClock['snapshot']>);
  }
}
