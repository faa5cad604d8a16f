import { Antenna, type AntennaState } from './antenna.js';
import { DropFinder, type DropFinderState } from './drops.js';
import { LOOK_AHEAD, LOOK_BACK, type Burst } from './features.js';
import { POOLED_AHEAD, POOLED_BACK, pooledFeatures } from './pooled.js';
import { KEPT, RATE_HZ } from './tracks.js';

/** Amplitudes of a link at one point of the 20 Hz grid, or a gap. */
export interface LinkSample {
  readonly id: string;
  readonly antennas: number;
  readonly subcarriers: number;
  /** [antenna, subcarrier] from `at`. */
  readonly amplitudes: ArrayLike<number>;
  readonly at: number;
  readonly gap: boolean;
}

/** A local maximum of a room's motion, as each antenna saw it. */
export interface Candidate {
  /** Number of its grid point: `sample / RATE_HZ` seconds since 1970. */
  readonly sample: number;
  /** Features of each antenna of each link that has seen enough. */
  readonly views: readonly View[];
  /** Links that deliver, those with too many gaps for a view of the burst among them. */
  readonly links: number;
  /** Samples that the least learnt of their noise floors rests on; old ones fade, so it stays below {@link FADING_SAMPLES}. */
  readonly learnt: number;
}

export interface View extends Burst {
  readonly link: string;
}

/** A sudden end of a room's motion, as all its links together saw it and what came after. */
export interface PooledCandidate {
  /** As of {@link Candidate}. */
  readonly sample: number;
  /** {@link POOLED_FEATURES}. */
  readonly features: Float64Array;
  /** Links that have seen enough; two or more. */
  readonly links: number;
  readonly learnt: number;
  /** Highest motion of a link over its noise floor before the end, log10 of relative power. */
  readonly peak: number;
  /** Seconds of the last five that a link saw more than half of that. */
  readonly duration: number;
}

/** What a sample of a room made known. */
export interface Found {
  readonly burst: Candidate | null;
  readonly pooled: PooledCandidate | null;
}

/** A candidate is the highest within this many samples on either side ... */
const APART = 1.5 * RATE_HZ;
/** ... of motion's power in a box of 0.6 s. */
const HALF_BOX = 6;
/** Where the smoothed motion of the candidate finder ends, samples before now: what S_8 and the box look ahead. */
const MOTION_DELAY = 8;

/**
 * Follows the motion of a room's links and finds candidates: peaks that may be falls. A candidate comes
 * {@link LOOK_AHEAD} after its peak, when all that its features are made of is there. Memory is bounded by
 * the number of antennas.
 */
export class Room {
  readonly #links = new Map<string, Antenna[]>();
  readonly #drops = new DropFinder(POOLED_AHEAD);
  /** Number of the next grid point, -1 before the first. */
  #next = -1;
  /** Samples since the tracks began. */
  #count = 0;
  /** Power of motion, mean of the antennas in log, by sample; smoothed beside it. */
  readonly #power = new Float64Array(KEPT);
  readonly #smooth = new Float64Array(KEPT);

  get next(): number {
    return this.#next;
  }

  /** Begins the tracks anew at grid point `next` and keeps the noise floors: after an interruption. */
  restart(next: number): void {
    this.#next = next;
    this.#count = 0;
    this.#drops.restart();
    for (const antennas of this.#links.values()) for (const antenna of antennas) antenna.restart();
  }

  /** Takes all links at the grid point {@link next}. A link that is not among them has a gap. */
  push(samples: readonly LinkSample[]): Found {
    for (const sample of samples) this.#push(sample);
    for (const antennas of this.#links.values())
      for (const antenna of antennas) antenna.keepUp(this.#count + 1);
    this.#count++;
    this.#next++;
    this.#follow();
    const c = this.#count - 1 - LOOK_AHEAD;
    const drop = this.#drops.follow(
      this.#count,
      this.#meanOf((antenna, n) => antenna.bandMotionAt(n)),
    );
    return {
      burst: c >= LOOK_BACK && this.#isPeak(c) ? this.#candidate(c) : null,
      pooled: drop === null ? null : this.#pooled(drop),
    };
  }

  #push({ id, antennas, subcarriers, amplitudes, at, gap }: LinkSample): void {
    let list = this.#links.get(id);
    if (list?.length !== antennas || list[0]!.subcarriers !== subcarriers) {
      list = Array.from({ length: antennas }, () => new Antenna(subcarriers, this.#count));
      this.#links.set(id, list);
    }
    list.forEach((antenna, i) => {
      antenna.push(amplitudes, at + i * subcarriers, gap);
    });
  }

  /** Mean over the antennas of their log motion at the newest sample where it is complete; null where none has any. */
  #meanOf(motionAt: (antenna: Antenna, n: number) => number | null): number | null {
    const c = this.#count - 1 - MOTION_DELAY;
    let sum = 0;
    let seen = 0;
    for (const antennas of this.#links.values()) {
      for (const antenna of antennas) {
        const e = motionAt(antenna, c);
        if (e === null) continue;
        sum += e;
        seen++;
      }
    }
    return seen > 0 ? sum / seen : null;
  }

  #follow(): void {
    const c = this.#count - 1 - MOTION_DELAY;
    if (c < 0) return;
    const mean = this.#meanOf((antenna, n) => antenna.motionAt(n));
    this.#power[c % KEPT] = mean === null ? 0 : 10 ** mean;
    const s = c - HALF_BOX;
    if (s < HALF_BOX) return;
    let box = 0;
    for (let n = s - HALF_BOX; n <= s + HALF_BOX; n++) box += this.#power[n % KEPT]!;
    this.#smooth[s % KEPT] = box / (2 * HALF_BOX + 1);
  }

  #isPeak(c: number): boolean {
    const height = this.#smooth[c % KEPT]!;
    for (let n = c - APART; n < c; n++) if (this.#smooth[n % KEPT]! >= height) return false;
    for (let n = c + 1; n <= c + APART; n++) if (this.#smooth[n % KEPT]! > height) return false;
    return height > 0;
  }

  #candidate(c: number): Candidate {
    const views: View[] = [];
    let learnt = Infinity;
    let links = 0;
    for (const [link, antennas] of this.#links) {
      if (antennas.some((antenna) => antenna.about(c, LOOK_BACK, LOOK_AHEAD))) links++;
      for (const antenna of antennas) {
        const seen = antenna.burstAt(c);
        if (!seen) continue;
        views.push({ link, ...seen });
        learnt = Math.min(learnt, antenna.learnt);
      }
    }
    return { sample: this.#next - 1 - LOOK_AHEAD, views, links, learnt };
  }

  /** Null where fewer than two links have seen enough. */
  #pooled(c: number): PooledCandidate | null {
    const seen = [...this.#links.values()].map((antennas) =>
      antennas.flatMap((antenna) => {
        const about = antenna.about(c, POOLED_BACK, POOLED_AHEAD);
        return about ? [{ about, learnt: antenna.bandsLearnt }] : [];
      }),
    );
    const links = seen.filter((antennas) => antennas.length > 0).length;
    if (links < 2) return null;
    const all = seen.flat();
    return {
      sample: this.#next - this.#count + c,
      links,
      learnt: Math.min(...all.map(({ learnt }) => learnt)),
      ...pooledFeatures(all.map(({ about }) => about)),
    };
  }

  snapshot(): RoomState {
    return {
      next: this.#next,
      count: this.#count,
      power: this.#power.slice(),
      smooth: this.#smooth.slice(),
      drops: this.#drops.snapshot(),
      links: [...this.#links].map(([id, antennas]) => ({ id, antennas: antennas.map((a) => a.snapshot()) })),
    };
  }

  restore(state: RoomState): void {
    this.#next = state.next;
    this.#count = state.count;
    this.#power.set(state.power);
    this.#smooth.set(state.smooth);
    this.#drops.restore(state.drops);
    this.#links.clear();
    for (const { id, antennas } of state.links)
      this.#links.set(
        id,
        antennas.map((a) => Antenna.restore(a)),
      );
  }
}

export interface RoomState {
  readonly next: number;
  readonly count: number;
  readonly power: Float64Array;
  readonly smooth: Float64Array;
  readonly drops: DropFinderState;
  readonly links: readonly { readonly id: string; readonly antennas: readonly AntennaState[] }[];
}
