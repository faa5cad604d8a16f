import type { Random } from './shared/random.js';
import { Ellipsoids, type Reflector } from './shared/reflector.js';
import { clamp, type Size, type Vec3 } from './shared/room.js';
import { somewhere, type Thing } from './thing.js';

const GRAVITY = 9.81;
/** Seconds that an object lies after its fall, and that putting it back takes. */
const LIES = 15;
const PUT_BACK = 3;

/** A box that sometimes falls from a shelf, bounces, lies on the floor, and is put back. */
export class FallingObject extends Ellipsoids implements Thing {
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
    // At least once within a short scene.
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
    // Bounces, each with a fraction of the previous one's speed.
    for (let speed = GRAVITY * flight * this.#bounce; speed > 0.2; speed *= this.#bounce) {
      flight = (2 * speed) / GRAVITY;
      if (time < flight) return this.#half + time * (speed - 0.5 * GRAVITY * time);
      time -= flight;
    }
    const back = clamp((since - LIES) / PUT_BACK, 0, 1);
    return this.#half + back * drop;
  }
}
