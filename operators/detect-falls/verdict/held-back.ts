import type { Person, PoseFrame, SensedEvent } from '../../../pipeline/model/index.js';

/** Falls of one environment that are not yet reported: a person who walks again in the meantime needs no help. */
export class HeldBack {
  #held: readonly Held[] = [];

  /** @param due event time of the report, microseconds */
  add(event: SensedEvent, due: number): void {
    this.#held = [...this.#held, { event, due, upright: null }];
  }

  /** Removes the falls of people who have recovered. @returns these */
  see(poseFrame: PoseFrame): readonly SensedEvent[] {
    if (this.#held.length === 0) return [];
    const seen = this.#held.map((held) => ({ ...held, upright: uprightOf(held, poseFrame) }));
    const isOver = ({ upright }: Held) => upright !== null && hasRecovered(upright, poseFrame.time);
    this.#held = seen.filter((held) => !isOver(held));
    return seen.filter(isOver).map(({ event }) => event);
  }

  /** Those that are due at event time `time`, in order. */
  release(time: number): readonly SensedEvent[] {
    const due = this.#held.filter((held) => held.due <= time);
    if (due.length > 0) this.#held = this.#held.filter((held) => held.due > time);
    return due.map(({ event }) => event);
  }

  snapshot(): HeldBackState {
    return structuredClone(this.#held);
  }

  restore(state: HeldBackState): void {
    this.#held = structuredClone(state);
  }
}

export type HeldBackState = readonly Held[];

interface Held {
  readonly event: SensedEvent;
  readonly due: number;
  readonly upright: Upright | null;
}

/**
 * Since when and from which position somebody has been upright and in sight without interruption, and how far
 * they have moved.
 */
interface Upright {
  readonly since: number;
  readonly x: number;
  readonly y: number;
  readonly metres: number;
}

const RECOVERED_US = 2_000_000;
const RECOVERED_METRES = 1;

function uprightOf({ event, upright }: Held, poseFrame: PoseFrame): Upright | null {
  const person = whoFell(event, poseFrame);
  if (poseFrame.time <= event.time || person?.posture !== 'upright' || person.track?.state !== 'active')
    return null;
  const { x, y } = person.position;
  if (!upright) return { since: poseFrame.time, x, y, metres: 0 };
  return { ...upright, metres: Math.max(upright.metres, Math.hypot(x - upright.x, y - upright.y)) };
}

/** By number if known, otherwise the only person there. */
function whoFell({ person: fallen }: SensedEvent, { persons }: PoseFrame): Person | undefined {
  if (fallen !== null) return persons.find(({ track }) => track?.id === fallen);
  return persons.length === 1 ? persons[0] : undefined;
}

const hasRecovered = ({ since, metres }: Upright, now: number): boolean =>
  now - since >= RECOVERED_US && metres >= RECOVERED_METRES;
