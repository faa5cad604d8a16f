import type { Random } from './shared/random.js';
import { Ellipsoids, type Reflector, type SemiAxes } from './shared/reflector.js';
import type { Size, Vec3 } from './shared/room.js';
import { somewhere, type ThingKind, type Thing, type ThingOptions } from './thing.js';
import { Pet } from './pet.js';
import { FallingObject } from './falling-object.js';

/** A thing with a plan of `seconds`, which is then repeated. */
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

/**
 * A fan: three to five blades about a horizontal axis that swings to and fro, or about a vertical one at the
 * ceiling.
 */
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
      // Across the axis: two horizontal directions, or one horizontal and one up.
      const [wx, wy, wz] = this.#upright ? [a, b, 0] : [-sin * a, cos * a, b];
      const [lx, ly, lz] = this.#upright ? [-b, a, 0] : [sin * b, -cos * b, a];
      const out = this.#radius / 2;
      this.put(blade, x + out * wx, y + out * wy, z + out * wz, wx, wy, wz, lx, ly, lz);
    }
    this.outline();
    return true;
  }
}

/** A curtain at a wall: strips that swing in the gusts of a draught. */
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
    const drawn = somewhere(random, size, size.z - 0.1);
    const [x, y] = position ?? drawn;
    const onX = position ? Math.min(x, size.x - x) < Math.min(y, size.y - y) : wall < 2;
    const far = position ? (onX ? x > size.x / 2 : y > size.y / 2) : (wall & 1) === 1;
    const off = 0.15;
    this.#middle = onX ? [far ? size.x - off : off, y, drawn[2]] : [x, far ? size.y - off : off, drawn[2]];
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
