import { point, type Environment, type Window, type WindowLink } from '../../../pipeline/model/index.js';
import { mean } from '../../shared/mean.js';
import { quantile } from '../../shared/median.js';
import { withUsableLinks } from '../../shared/usable-links.js';
import { changeOf, logAmplitudes } from '../inputs/features.js';
import { meanEcho } from '../inputs/geometry.js';
import { MOST_REDUCED_DB } from '../model/calibration.js';
import { Coverage } from './coverage.js';
import { MAX_GAPS } from './profiles.js';
import { problemOf, shareOf } from './request.js';

/**
 * Learns by how much people change the channels of a room more than those of training, while one person walks about
 * in it. The strength of changes alone cannot tell it in daily life: three people change a channel as much as one
 * whose echo is 8 dB stronger (docs/decisions/0163-one-who-walks-shows-the-echo.md).
 */
export class EchoLearner {
  readonly #environment: string;
  /** Mean power of a body's echo by link, over the floor, relative to the direct path. */
  readonly #expected: ReadonlyMap<string, number>;
  /** The echo of each link in each window, dB. */
  readonly #windows: ReadonlyMap<string, number>[] = [];
  readonly #measured = new Set<string>();
  readonly #coverage = new Coverage();
  #isHeard = false;
  #unfit: string | null = null;
  /** Kept until the next window: an hour of windows takes long to sort. */
  #found: Found | null = null;

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
    const links = withUsableLinks(window).links.filter(
      ({ id, gaps }) => this.#expected.has(id) && shareOf(gaps) <= MAX_GAPS,
    );
    if (links.length === 0) return;
    this.#isHeard = true;
    this.#found = null;
    this.#coverage.add(window);
    this.#unfit ??= problemOf(window);
    if (this.#unfit !== null) return;
    // Without an RSSI, steps of the gain cannot be taken out, and would pass for movement.
    const measured = links.filter(({ rssi }) => !Number.isNaN(rssi));
    if (measured.length > 0)
      this.#windows.push(new Map(measured.map((link) => [link.id, this.#echoOf(link)])));
  }

  #echoOf(link: WindowLink): number {
    this.#measured.add(link.id);
    const change = Math.max(LEAST, changeOf(logAmplitudes(link)));
    return (10 * Math.log10(change / this.#expected.get(link.id)!) - USUAL) / RISE;
  }

  /** Seconds of event time that were heard, without gaps between and within windows. */
  get heardSeconds(): number {
    return this.#coverage.seconds;
  }

  /** Whether a link is part of the result. */
  isMeasured(link: string): boolean {
    return this.#measured.has(link);
  }

  /** The echo, dB, to a tenth; null if there is a {@link problem}. */
  get echoDb(): number | null {
    return this.problem === null ? this.#measure().echo : null;
  }

  /** Why there is no echo, and what to do, for people; null if there is one. */
  get problem(): string | null {
    const room = this.#environment;
    if (!this.#isHeard) return `no link of ${room} sent frames: check that they send`;
    if (this.#unfit !== null) return this.#unfit;
    if (this.#windows.length === 0)
      return `the links of ${room} report no RSSI: without it, steps of their gain pass for movement, and the echo cannot be measured`;
    const { echo, moving } = this.#measure();
    const walk = 'let one person walk about, all over the room and without a pause';
    if (moving < LEAST_MOVING)
      return `people moved for ${Math.round(100 * moving)} % of the time only: ${walk}`;
    if (echo >= WEAKEST_DB) return null;
    return `hardly anything moved in ${room}: ${walk}; if one did all the time, their echo is weak, and needs no calibration`;
  }

  /** Why the result may be wrong, for people; null if nothing says so. */
  get doubt(): string | null {
    if (this.echoDb === null) return null;
    const doubts = [
      ...(this.echoDb <= MOST_REDUCED_DB
        ? []
        : [`More than ${MOST_REDUCED_DB} dB are not taken into account. Was more than one person there?`]),
      ...(this.heardSeconds >= ENOUGH_S
        ? []
        : [`A walk of ${this.heardSeconds.toFixed(0)} s is short: a minute is more exact.`]),
    ];
    return doubts.length === 0 ? null : doubts.join(' ');
  }

  #measure(): Found {
    return (this.#found ??= this.#find());
  }

  /**
   * The mean of the links' lower quartiles, weighted by their windows: moments close to a link would dominate a mean
   * over all. Windows in which the walker paused do not count.
   */
  #find(): Found {
    const levels = this.#windows.map((links) => mean([...links.values()]));
    const walking = quantile(levels, WALKING) - PAUSE_DB;
    const moving = this.#windows.filter((_, i) => levels[i]! >= walking);
    let [sum, count] = [0, 0];
    for (const link of this.#measured) {
      const echoes = moving.flatMap((links) => links.get(link) ?? []);
      if (echoes.length === 0) continue;
      sum += echoes.length * quantile(echoes, 0.25);
      count += echoes.length;
    }
    return { echo: Math.round((10 * sum) / count) / 10, moving: moving.length / this.#windows.length };
  }
}

/** The echo, dB, and the share of windows in which the walker moved. */
interface Found {
  readonly echo: number;
  readonly moving: number;
}

/** Changes below this are rounding errors. */
const LEAST = 1e-7;
/**
 * A line through the changes of simulated rooms with echoes of 4 to 15 dB, relative to the mean echo of the floor, dB:
 * checked by bench/referee/walker-echo.ts. Weaker echoes are measured too strong (0 dB as 2 dB).
 */
const USUAL = -22.2;
const RISE = 0.93;
/** Less may be the noise of links in an empty room. */
const WEAKEST_DB = -3;
/** Somebody who walks has this share of the windows above all pauses; a pause is so much weaker. */
const WALKING = 0.8;
const PAUSE_DB = 15;
/** Least share of windows in which somebody walks. */
const LEAST_MOVING = 0.5;
/** A walk of this many seconds reaches most of a room. */
const ENOUGH_S = 20;
