import type { SensedEvent } from '../../pipeline/model/index.js';
import { AHEAD } from './impacts.js';
import { STEP_US } from './changes.js';

/** An end of motion is judged when so much was seen from it on, microseconds; one step more. */
const JUDGED_US = (AHEAD + 1) * STEP_US;
/** Whoever was warned knows more after so long, whatever happened meanwhile. */
const LATEST_US = 30_000_000;

/** Why there was no fall after all. */
type Reason = 'no_fall' | 'recovered' | 'not_judged';

/**
 * The suspicion that somebody of one environment fell: one at most at a time. It ends in a fall or is withdrawn, within
 * 30 s of event time.
 */
export class Suspicion {
  #open: Open | null = null;

  /**
   * Takes an end of motion that looks like a fall so far.
   * @param event tells of it
   * @returns whether it is to be told: where a suspicion is open already, that one waits for this end too
   */
  raise(event: SensedEvent): boolean {
    const due = event.time + JUDGED_US;
    const first = this.#open?.event ?? event;
    const isNew = this.#open === null;
    this.#open = { event: first, due: Math.min(due, first.time + LATEST_US) };
    return isNew;
  }

  /** Ends the suspicion by a fall. @returns the id of what was told; null where nothing was */
  confirm(): string | null {
    const id = this.#open?.event.id ?? null;
    this.#open = null;
    return id;
  }

  /** What is to be told once all until event time `time` was judged and no fall came of it. */
  settle(time: number): readonly SensedEvent[] {
    if (this.#open === null || time < this.#open.due) return [];
    return this.#withdraw(time, 'no_fall');
  }

  /** The same where nothing more was heard of the room. */
  expire(time: number): readonly SensedEvent[] {
    if (this.#open === null || time < this.#open.event.time + LATEST_US) return [];
    return this.#withdraw(time, 'not_judged');
  }

  #withdraw(time: number, reason: Reason): readonly SensedEvent[] {
    const { event } = this.#open!;
    this.#open = null;
    return [withdrawal(event, event.id, Math.min(time, event.time + LATEST_US), reason)];
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
  /** Event time from which on all its ends of motion are judged. */
  readonly due: number;
}

/** Falls that were held back and are left out, where somebody was warned of them. */
export const withdrawalsOf = (falls: readonly SensedEvent[], time: number): readonly SensedEvent[] =>
  falls.flatMap((fall) => {
    const { suspected } = fall.metadata;
    return typeof suspected === 'string' ? [withdrawal(fall, suspected, time, 'recovered')] : [];
  });

/** @param of what is withdrawn, or the fall that it became @param suspected id of what was told first */
function withdrawal(of: SensedEvent, suspected: string, time: number, reason: Reason): SensedEvent {
  return {
    ...of,
    id: suspected.replace('fall_suspected', 'fall_withdrawn'),
    type: 'fall_withdrawn',
    severity: 'low',
    time,
    metadata: { suspected, reason },
  };
}
