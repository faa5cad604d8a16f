import type { Random } from './random.js';
import { Ellipsoids, type Reflector, type SemiAxes } from './reflector.js';
import { clamp, type Size, type Vec3 } from './room.js';

/** What moves in a room and is nobody: a fan, a pet, a curtain, something that falls from a shelf. */
export const THINGS = ['fan', 'pet', 'curtain', 'falling_object'] as const;
export type ThingKind = (typeof THINGS)[number];

export interface Thing {
  readonly kind: ThingKind;
  readonly reflector: Reflector;
  /** Puts the reflector where it is at `time` seconds; returns whether it moves. A pose depends on the time alone. */
  at(time: number): boolean;
}

export interface ThingOptions {
  /** Metres; default by chance. */
  readonly position?: Vec3 | undefined;
  /** Turns of a fan a minute; default by chance. */
  readonly rpm?: number | undefined;
}

/** A thing whose plan is `seconds` long, and is then repeated. */
export function makeThing(
  kind: ThingKind,
  random: Random,
  size: Size,
  seconds: number,
  options: ThingOptions = {},
): Thing {
  switch (kind) {
    case 'fan':
      return new Fan(random, size, options);
    case 'pet':
      return new Pet(random, size, seconds, options.position);
    case 'curtain':
      return new Curtain(random, size, options.position);
    case 'falling_object':
      return new FallingObject(random, size, seconds, options.position);
  }
}

const somewhere = (random: Random, { x, y }: Size, z: number): Vec3 => [
  random.uniform(0.4, x - 0.4),
  random.uniform(0.4, y - 0.4),
  z,
];

/** A fan: three to five blades about a level axis, which swings to and fro, or about an upright one at the ceiling. */
class Fan extends Ellipsoids implements Thing {
  readonly kind = 'fan';
  readonly #centre: Vec3;
  readonly #blades: number;
  readonly #radius: number;
  readonly #rate: number;
  readonly #upright: boolean;
  readonly #facing: number;
  readonly #swing: number;
  readonly #phase: number;

  constructor(random: Random, size: Size, { position, rpm }: ThingOptions) {
    const upright = position ? position[2] > size.z - 0.6 : random.chance(0.3);
    const blades = 3 + random.below(3);
    const radius = upright ? random.uniform(0.4, 0.6) : random.uniform(0.15, 0.22);
    const blade: SemiAxes = [0.03, upright ? 0.07 : 0.06, radius / 2];
    super(
      Array.from({ length: blades }, () => blade),
      upright ? 0.6 : 0.35,
      0.3,
    );
    this.#upright = upright;
    this.#blades = blades;
    this.#radius = radius;
    this.#rate =
      (2 * Math.PI * (rpm ?? (upright ? random.uniform(60, 220) : random.uniform(600, 1400)))) / 60;
    const height = upright ? size.z - 0.3 : random.uniform(0.4, 1.3);
    this.#centre = position ?? somewhere(random, size, height);
    this.#facing = random.uniform(-Math.PI, Math.PI);
    this.#swing = !upright && random.chance(0.5) ? random.uniform(0.3, 0.8) : 0;
    this.#phase = random.uniform(0, 2 * Math.PI);
  }

  get reflector(): Reflector {
    return this;
  }

  at(time: number): boolean {
    const [x, y, z] = this.#centre;
    const facing = this.#facing + this.#swing * Math.sin(2 * Math.PI * 0.07 * time + this.#phase);
    const [cos, sin] = [Math.cos(facing), Math.sin(facing)];
    for (let blade = 0; blade < this.#blades; blade++) {
      const turn = this.#phase + this.#rate * time + (2 * Math.PI * blade) / this.#blades;
      const [a, b] = [Math.cos(turn), Math.sin(turn)];
      // Across the axis: two level directions, or one level and one up.
      const [wx, wy, wz] = this.#upright ? [a, b, 0] : [-sin * a, cos * a, b];
      const [lx, ly, lz] = this.#upright ? [-b, a, 0] : [sin * b, -cos * b, a];
      const out = this.#radius / 2;
      this.put(blade, x + out * wx, y + out * wy, z + out * wz, wx, wy, wz, lx, ly, lz);
    }
    this.outline();
    return true;
  }
}

/** What a pet does from one time to the next. */
interface Doing {
  readonly start: number;
  readonly end: number;
  readonly from: Vec3;
  readonly to: Vec3;
  /** Height of the jump between; 0: it walks or stays. */
  readonly hop: number;
  readonly heading: number;
}

/** A cat or a small dog: walks, sleeps, jumps on furniture and down again. */
class Pet extends Ellipsoids implements Thing {
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
    // Back to where it began, so that the plan can be repeated.
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
    this.#place(from[0] + share * dx, from[1] + share * dy, level + still, heading, gait);
    return moving;
  }

  #place(x: number, y: number, z: number, heading: number, gait: number): void {
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

/** A jump's length away, at another height. */
function stepped(random: Random, [x, y]: Vec3, z: number, size: Size): Vec3 {
  const angle = random.uniform(-Math.PI, Math.PI);
  return [
    clamp(x + 0.5 * Math.cos(angle), 0.3, size.x - 0.3),
    clamp(y + 0.5 * Math.sin(angle), 0.3, size.y - 0.3),
    z,
  ];
}

/** A curtain at a wall: strips that swing in a draught, in gusts. */
class Curtain extends Ellipsoids implements Thing {
  readonly kind = 'curtain';
  readonly #middle: Vec3;
  readonly #along: Vec3;
  readonly #width: number;
  readonly #height: number;
  readonly #swing: number;
  readonly #rate: number;
  readonly #gust: number;
  readonly #phase: number;

  constructor(random: Random, size: Size, position?: Vec3) {
    const height = random.uniform(1.4, Math.min(2.2, size.z - 0.1));
    const width = random.uniform(0.8, 1.8);
    super(
      Array.from({ length: STRIPS }, (): SemiAxes => [0.04, width / STRIPS / 2, height / 2]),
      0.25,
      0.15,
    );
    this.#height = height;
    this.#width = width;
    const wall = random.below(4);
    const place = somewhere(random, size, size.z - 0.1);
    const [x, y] = position ?? place;
    const onX = position ? Math.min(x, size.x - x) < Math.min(y, size.y - y) : wall < 2;
    const far = position ? (onX ? x > size.x / 2 : y > size.y / 2) : (wall & 1) === 1;
    const off = 0.15;
    this.#middle = onX ? [far ? size.x - off : off, y, place[2]] : [x, far ? size.y - off : off, place[2]];
    this.#along = onX ? [0, 1, 0] : [1, 0, 0];
    this.#swing = random.uniform(0.02, 0.1);
    this.#rate = 2 * Math.PI * random.uniform(0.3, 0.8);
    this.#gust = 2 * Math.PI * random.uniform(0.02, 0.08);
    this.#phase = random.uniform(0, 2 * Math.PI);
  }

  get reflector(): Reflector {
    return this;
  }

  at(time: number): boolean {
    const [x, y, top] = this.#middle;
    const [ax, ay] = this.#along;
    const gust = Math.max(0, Math.sin(this.#gust * time + this.#phase));
    for (let strip = 0; strip < STRIPS; strip++) {
      const side = ((strip + 0.5) / STRIPS - 0.5) * this.#width;
      const angle =
        (this.#swing * (0.1 + gust) * Math.sin(this.#rate * time + 0.8 * strip + this.#phase)) / this.#height;
      const out = 0.5 * this.#height * Math.sin(angle);
      const down = 0.5 * this.#height * Math.cos(angle);
      const [wx, wy, wz] = [-ay * Math.sin(angle), ax * Math.sin(angle), -Math.cos(angle)];
      this.put(strip, x + side * ax - out * ay, y + side * ay + out * ax, top - down, wx, wy, wz, ax, ay, 0);
    }
    this.outline();
    return gust > 0.05;
  }
}

const STRIPS = 5;
const GRAVITY = 9.81;
/** Seconds that something lies where it fell, and in which it is put back. */
const LIES = 15;
const PUT_BACK = 3;

/** A box that falls from a shelf now and then, bounces, lies there, and is put back. */
class FallingObject extends Ellipsoids implements Thing {
  readonly kind = 'falling_object';
  readonly #shelf: Vec3;
  readonly #half: number;
  readonly #falls: number[] = [];
  readonly #bounce: number;
  readonly #period: number;

  constructor(random: Random, size: Size, seconds: number, position?: Vec3) {
    const half = random.uniform(0.05, 0.14);
    super([[half, half, half * random.uniform(1, 1.6)]], random.uniform(0.3, 0.9), 0.5);
    this.#half = half;
    this.#shelf = position ?? somewhere(random, size, random.uniform(0.6, 1.6));
    this.#bounce = random.uniform(0.1, 0.4);
    // Within a short scene at least once.
    let time = random.uniform(0, Math.min(0.8 * seconds, 60));
    while (time < seconds) {
      this.#falls.push(time);
      time += LIES + PUT_BACK + random.uniform(10, 120);
    }
    this.#period = time;
  }

  get reflector(): Reflector {
    return this;
  }

  at(time: number): boolean {
    const [x, y, z] = this.#shelf;
    const local = time % this.#period;
    const since = local - (this.#falls.findLast((fall) => fall <= local) ?? Infinity);
    const height = since >= 0 ? this.#heightAt(since, z) : z;
    this.put(0, x, y, height, 0, 0, 1, 0, 1, 0);
    this.outline();
    return since >= 0 && height < z && Math.abs(this.#heightAt(since + 0.05, z) - height) > 1e-3;
  }

  #heightAt(since: number, shelf: number): number {
    const drop = shelf - this.#half;
    let time = since;
    let flight = Math.sqrt((2 * drop) / GRAVITY);
    if (time < flight) return shelf - 0.5 * GRAVITY * time * time;
    time -= flight;
    // Bounces, each with a share of the speed of the one before.
    for (let speed = GRAVITY * flight * this.#bounce; speed > 0.2; speed *= this.#bounce) {
      flight = (2 * speed) / GRAVITY;
      if (time < flight) return this.#half + time * (speed - 0.5 * GRAVITY * time);
      time -= flight;
    }
    const back = clamp((since - LIES) / PUT_BACK, 0, 1);
    return this.#half + back * drop;
  }
}
