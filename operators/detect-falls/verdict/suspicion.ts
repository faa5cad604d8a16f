import type { SensedEvent } from '../../../pipeline/model/index.js';
import { AHEAD } from '../impacts/impacts.js';
import { STEP_US } from '../impacts/changes.js';

/** An end of motion is judged once this much after it is known, microseconds; plus one step. */
const JUDGED_US = (AHEAD + 1) * STEP_US;
/** A warning is resolved after this time at the latest, microseconds. */
const LATEST_US = 30_000_000;

/** How much more a later end of motion must look like a fall to replace the one that was reported; log odds. */
const SURER = 1;

/** Why there was no fall after all, or which later end of motion is reported instead. */
type Why =
  | { readonly reason: 'no_fall' | 'recovered' | 'not_judged' }
  | { readonly reason: 'surer'; readonly replaced_by: string };

/**
 * The suspicion that somebody of one environment fell: at most one at a time. It ends in a fall or is
 * withdrawn, within 30 s of event time.
 */
export class Suspicion {
  #open: Open | null = null;

  /**
   * Adds an end of motion that looks like a fall so far. An open suspicion also waits for it, unless this one is
   * {@link SURER}: somebody who stops and then falls raises two.
   * @param event the event that reports it
   * @returns what to report
   */
  raise(event: SensedEvent): readonly SensedEvent[] {
    const first = this.#open?.event ?? null;
    const due = event.time + JUDGED_US;
    if (first !== null && (first.id === event.id || !(scoreOf(event) - scoreOf(first) >= SURER))) {
      this.#open = { event: first, due: Math.min(due, first.time + LATEST_US) };
      return [];
    }
    const replaced =
      first === null ? [] : this.#withdraw(event.time, { reason: 'surer', replaced_by: event.id });
    this.#open = { event, due };
    return [...replaced, event];
  }

  /** Ends the suspicion by a fall. @returns the id of its event; null if there was none */
  confirm(): string | null {
    const id = this.#open?.event.id ?? null;
    this.#open = null;
    return id;
  }

  /** Events to report once everything until event time `time` was judged without a fall. */
  settle(time: number): readonly SensedEvent[] {
    if (this.#open === null || time < this.#open.due) return [];
    return this.#withdraw(time, { reason: 'no_fall' });
  }

  /** The same if the room delivers no more data. */
  expire(time: number): readonly SensedEvent[] {
    if (this.#open === null || time < this.#open.event.time + LATEST_US) return [];
    return this.#withdraw(time, { reason: 'not_judged' });
  }

  #withdraw(time: number, why: Why): readonly SensedEvent[] {
    const { event } = this.#open!;
    this.#open = null;
    return [withdrawal(event, event.id, Math.min(time, event.time + LATEST_US), why)];
  }

  snapshot(): SuspicionState {
    return structuredClone(this.#open);
  }

  restore(state: SuspicionState): void {
    this.#open = structuredClone(state);
  }
}

export type SuspicionState = Open | null;

interface Open {
  readonly event: SensedEvent;
  /** Event time from which all its ends of motion are judged. */
  readonly due: number;
}

const scoreOf = ({ metadata: { score } }: SensedEvent): number => (typeof score === 'number' ? score : NaN);

/** Held falls that are dropped, if a warning was reported for them. */
export const withdrawalsOf = (falls: readonly SensedEvent[], time: number): readonly SensedEvent[] =>
  falls.flatMap((fall) => {
    const { suspected } = fall.metadata;
    return typeof suspected === 'string' ? [withdrawal(fall, suspected, time, { reason: 'recovered' })] : [];
  });

/** @param of the withdrawn suspicion, or of its fall @param suspected id of the first event */
function withdrawal(of: SensedEvent, suspected: string, time: number, why: Why): SensedEvent {
  return {
    ...of,
    id: suspected.replace('fall_suspected', 'fall_withdrawn'),
    type: 'fall_withdrawn',
    severity: 'low',
    time,
    metadata: { suspected, ...why },
  };
}
