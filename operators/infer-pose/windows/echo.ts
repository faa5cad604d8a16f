import { point, type Environment, type Window } from '../../../pipeline/model/index.js';
import { quantile } from '../../shared/median.js';
import { changeOf, logAmplitudes } from '../inputs/features.js';
import { meanEcho } from '../inputs/geometry.js';
import { MOVES, strongestMotion } from '../memory/movement.js';
import { Coverage } from './coverage.js';
import { MAX_GAPS } from './profiles.js';
import { shareOf } from './request.js';

/**
 * Learns by how much people change the channels of a room more than those of training, while one person walks about
 * in it. The strength of changes alone cannot tell it in daily life: three people change a channel as much as one
 * whose echo is 8 dB stronger (docs/decisions/0163-one-who-walks-shows-the-echo.md).
 */
export class EchoLearner {
  readonly #environment: string;
  /** Mean power of a body's echo by link, over the floor, relative to the direct path. */
  readonly #expected: ReadonlyMap<string, number>;
  /** Changes of links in windows relative to that, dB. */
  readonly #changes: number[] = [];
  readonly #coverage = new Coverage();
  #windows = 0;
  #moving = 0;

  constructor({ id, links, size }: Environment) {
    this.#environment = id;
    this.#expected = new Map(
      links.map((link) => {
        const place = { transmitter: point(link.transmitter), receiver: point(link.receiver) };
        return [link.id, meanEcho(place, size)];
      }),
    );
  }

  add(window: Window): void {
    if (window.environment !== this.#environment) return;
    const links = window.links.filter(({ id, gaps }) => this.#expected.has(id) && shareOf(gaps) <= MAX_GAPS);
    if (links.length === 0) return;
    this.#coverage.add(window);
    this.#windows++;
    if (!(strongestMotion(window) >= MOVES)) return;
    this.#moving++;
    for (const link of links) {
      const change = Math.max(LEAST, changeOf(logAmplitudes(link)));
      this.#changes.push(10 * Math.log10(change / this.#expected.get(link.id)!));
    }
  }

  /** Seconds of event time that were heard, without gaps between and within windows. */
  get heardSeconds(): number {
    return this.#coverage.seconds;
  }

  /** Lower quartile over links and windows with movement, dB; NaN before the first. Moments close to a link would dominate a mean. */
  get change(): number {
    return quantile(this.#changes, 0.25);
  }

  /** The echo, dB, to a tenth; null if most windows show no movement. */
  get echoDb(): number | null {
    if (2 * this.#moving <= this.#windows) return null;
    return Math.round((10 * (this.change - USUAL)) / RISE) / 10;
  }
}

/** Changes below this are rounding errors. */
const LEAST = 1e-7;
/** Change in simulated rooms whose echo is 0 dB, and its rise with each decibel: see bench/referee. */
const USUAL = -20.5;
const RISE = 0.72;
