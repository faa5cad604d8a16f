import type { Random } from './shared/random.js';
import { Ellipsoids, type Reflector, type SemiAxes } from './shared/reflector.js';
import { clamp, type Size, type Vec3 } from './shared/room.js';
import { somewhere, type Thing } from './thing.js';

/** Activity of a pet between two times. */
interface Doing {
  readonly start: number;
  readonly end: number;
  readonly from: Vec3;
  readonly to: Vec3;
  /** Height of the jump in between; 0: it walks or stays. */
  readonly hop: number;
  readonly heading: number;
}

/** A cat or a small dog: walks, sleeps, jumps onto furniture and down again. */
export class Pet extends Ellipsoids implements Thing {
  readonly kind = 'pet';
  readonly #scale: number;
  readonly #doings: Doing[] = [];
  readonly #cadence: number;

  constructor(random: Random, size: Size, seconds: number, position?: Vec3) {
    const scale = random.uniform(0.8, 1.5);
    const parts: SemiAxes[] = [
      [0.08, 0.08, 0.2],
      [0.05, 0.05, 0.06],
      [0.03, 0.05, 0.09],
      [0.03, 0.05, 0.09],
    ];
    super(
      parts.map(([a, b, c]): SemiAxes => [a * scale, b * scale, c * scale]),
      0.8,
      0.8,
    );
    this.#scale = scale;
    this.#cadence = random.uniform(1.5, 2.5);
    this.#plan(random, size, seconds, position ?? somewhere(random, size, 0));
  }

  get reflector(): Reflector {
    return this;
  }

  #plan(random: Random, size: Size, seconds: number, start: Vec3): void {
    let time = 0;
    let at = start;
    let heading = random.uniform(-Math.PI, Math.PI);
    const go = (to: Vec3, long: number, hop = 0): void => {
      const [dx, dy] = [to[0] - at[0], to[1] - at[1]];
      if (Math.hypot(dx, dy) > 0.01) heading = Math.atan2(dy, dx);
      this.#doings.push({ start: time, end: time + long, from: at, to, hop, heading });
      [time, at] = [time + long, to];
    };
    while (time < seconds) {
      const kind = random.weighted([3, 1.5, 1, 1]);
      const [x, y] = somewhere(random, size, 0);
      if (at[2] > 0 && kind !== 2) go(stepped(random, at, 0, size), 0.45, 0.1);
      if (kind === 0) go([x, y, 0], Math.max(0.3, Math.hypot(x - at[0], y - at[1]) / random.uniform(0.3, 1)));
      else if (kind === 1) go(at, random.uniform(2, 8));
      else if (kind === 2) go(at, random.uniform(15, 300));
      else go(stepped(random, at, random.uniform(0.35, 0.75), size), 0.55, random.uniform(0.1, 0.25));
    }
    // Back to the starting position, so that the plan can be repeated.
    if (at[2] > 0) go([at[0], at[1], 0], 0.45);
    go(start, Math.max(0.3, Math.hypot(start[0] - at[0], start[1] - at[1]) / 0.6));
  }

  at(time: number): boolean {
    const local = time % this.#doings.at(-1)!.end;
    const { start, end, from, to, hop, heading } = this.#doings.find((one) => local < one.end)!;
    const share = clamp((local - start) / (end - start), 0, 1);
    const level = from[2] + share * (to[2] - from[2]) + 4 * hop * share * (1 - share);
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const moving = Math.hypot(dx, dy) > 0.01 || from[2] !== to[2];
    const gait = moving && hop === 0 ? Math.sin(2 * Math.PI * this.#cadence * time) : 0;
    const still = moving ? 0 : breath(time);
    this.#moveTo(from[0] + share * dx, from[1] + share * dy, level + still, heading, gait);
    return moving;
  }

  #moveTo(x: number, y: number, z: number, heading: number, gait: number): void {
    const s = this.#scale;
    const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
    this.put(0, x, y, z + 0.2 * s, cos, sin, 0, -sin, cos, 0);
    this.put(
      1,
      x + 0.24 * s * cos,
      y + 0.24 * s * sin,
      z + 0.27 * s + 0.01 * gait,
      cos,
      sin,
      0,
      -sin,
      cos,
      0,
    );
    for (const [part, along] of [
      [2, 0.13],
      [3, -0.13],
    ] as const) {
      const swing = along + 0.05 * gait * (part === 2 ? 1 : -1);
      this.put(part, x + swing * s * cos, y + swing * s * sin, z + 0.09 * s, 0, 0, 1, -sin, cos, 0);
    }
    this.outline();
  }
}

const breath = (time: number): number => 0.002 * Math.sin(2 * Math.PI * 0.45 * time);

/** One jump away, at another height. */
function stepped(random: Random, [x, y]: Vec3, z: number, size: Size): Vec3 {
  const angle = random.uniform(-Math.PI, Math.PI);
  return [
    clamp(x + 0.5 * Math.cos(angle), 0.3, size.x - 0.3),
    clamp(y + 0.5 * Math.sin(angle), 0.3, size.y - 0.3),
    z,
  ];
}
