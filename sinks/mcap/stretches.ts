/** A stretch of time with a message at both ends, and in between none further than {@link JOINED} from the next. */
interface Stretch {
  from: bigint;
  until: bigint;
}

/** From a time to another one, which is excluded; nanoseconds. */
export interface Covered {
  readonly from: bigint;
  readonly until: bigint;
}

/** Nanoseconds between neighbours in a stretch, at most. */
const JOINED = 2_000_000_000n;
/** Beyond these, the two that are nearest to each other become one, as if there were messages between them. */
const MAX_STRETCHES = 256;

/**
 * The times at which a topic has messages, nanoseconds. After the clock was set back, a recording has times without
 * any before its newest ones. The order of the messages in the file does not matter.
 */
export class Stretches {
  /** Earliest first; they do not overlap. */
  readonly #stretches: Stretch[] = [];

  /** The times around this one that have a message up to `gap` before them, or one on each side; null if it has not. */
  covered(time: bigint, gap: bigint): Covered | null {
    const before = this.#stretches.findLast(({ from }) => from <= time);
    if (before === undefined || time - before.until >= gap) return null;
    return { from: before.from, until: before.until + gap };
  }

  add(time: bigint): void {
    const last = this.#stretches.at(-1);
    if (last && time >= last.from && time <= last.until + JOINED) {
      // Nearly always.
      if (time > last.until) last.until = time;
      return;
    }
    const near = this.#stretches.filter(({ from, until }) => time >= from - JOINED && time <= until + JOINED);
    const [first = { from: time, until: time }] = near;
    const joined = {
      from: first.from < time ? first.from : time,
      until: near.reduce((until, one) => (one.until > until ? one.until : until), time),
    };
    const at = this.#stretches.findIndex(({ until }) => until + JOINED >= joined.from);
    this.#stretches.splice(at < 0 ? this.#stretches.length : at, near.length, joined);
    if (this.#stretches.length > MAX_STRETCHES) this.#joinNearest();
  }

  #joinNearest(): void {
    const gapAfter = (at: number): bigint => this.#stretches[at + 1]!.from - this.#stretches[at]!.until;
    let nearest = 0;
    for (let at = 1; at < this.#stretches.length - 1; at++)
      if (gapAfter(at) < gapAfter(nearest)) nearest = at;
    const [one, other] = this.#stretches.slice(nearest) as [Stretch, Stretch];
    this.#stretches.splice(nearest, 2, { from: one.from, until: other.until });
  }
}

/** Those of a channel, which are empty at first. */
export function stretchesOf(channels: Map<number, Stretches>, channel: number): Stretches {
  let stretches = channels.get(channel);
  if (!stretches) channels.set(channel, (stretches = new Stretches()));
  return stretches;
}
