import { SequenceTracker, type SequenceState } from '../../pipeline/formats/decoder/sequence.js';
import type { Window, WindowLink } from '../../pipeline/model/index.js';

/** Sums over an interval of one link. */
interface Sums {
  frames: number;
  lost: number;
  /** Frames whose number differs from the one before: without any, the sender does not count. */
  numbered: number;
  rssi: number;
  withRssi: number;
  noise: number;
  withNoise: number;
  windows: number;
  usable: number;
  /** Share of grid points that frames covered, summed over windows. */
  covered: number;
  snr: number;
  withSnr: number;
}

const NO_SUMS: Sums = {
  ...{ frames: 0, lost: 0, numbered: 0, rssi: 0, withRssi: 0, noise: 0, withNoise: 0 },
  ...{ windows: 0, usable: 0, covered: 0, snr: 0, withSnr: 0 },
};

export interface LinkMeterState {
  readonly tracker: SequenceState;
  readonly last: number;
  readonly intervals: readonly (readonly [number: number, sums: Sums])[];
}

/** Numbers of a sender are of 8 to 32 bits, and some count by two: the tracker takes a wrap for a restart. */
const newTracker = () => new SequenceTracker(32, true);

/** What is known of one link in the intervals that are still open, by their number since 1970. */
export class LinkMeter {
  readonly #tracker = newTracker();
  /** Number of the newest frame; -1 before the first. */
  #last = -1;
  #intervals = new Map<number, Sums>();

  /** @param sequence as sent. @param rssi and `noise` in dBm, NaN if unknown */
  frame(interval: number, sequence: number, rssi: number, noise: number): void {
    const sums = this.#of(interval);
    const { lost } = this.#tracker;
    this.#tracker.see(sequence);
    sums.frames++;
    sums.lost += this.#tracker.lost - lost;
    if (sequence !== this.#last && this.#last >= 0) sums.numbered++;
    this.#last = sequence;
    if (Number.isFinite(rssi)) {
      sums.rssi += rssi;
      sums.withRssi++;
    }
    if (Number.isFinite(noise)) {
      sums.noise += noise;
      sums.withNoise++;
    }
  }

  window(interval: number, { gaps, quality }: WindowLink, { points }: Pick<Window, 'points'>): void {
    const sums = this.#of(interval);
    sums.windows++;
    sums.covered += 1 - gaps.reduce((sum, gap) => sum + gap, 0) / points;
    if (quality.fault === null) sums.usable++;
    if (Number.isFinite(quality.snrDb)) {
      sums.snr += quality.snrDb;
      sums.withSnr++;
    }
  }

  /** Adds a window in which the link was silent: it covered nothing, and was not used. */
  silentWindow(interval: number): void {
    this.#of(interval).windows++;
  }

  /** Numbers of the intervals that have a frame or a window. */
  get open(): Iterable<number> {
    return this.#intervals.keys();
  }

  /** The figures of an interval by the names of their measures, and forgets it. @param seconds its length */
  close(interval: number, seconds: number): readonly (readonly [name: string, value: number])[] {
    const sums = this.#intervals.get(interval);
    this.#intervals.delete(interval);
    if (!sums) return [];
    const figures: (readonly [string, number])[] = [];
    const mean = (name: string, sum: number, count: number) => {
      if (count > 0) figures.push([name, rounded(sum / count)]);
    };
    if (sums.frames > 0) figures.push(['link_rate_hz', rounded(sums.frames / seconds)]);
    // A late frame gives back a number that an earlier interval has counted as lost.
    const lost = Math.max(0, sums.lost);
    if (sums.numbered > 0) figures.push(['packet_loss', rounded(lost / (lost + sums.frames))]);
    mean('rssi_dbm', sums.rssi, sums.withRssi);
    mean('noise_dbm', sums.noise, sums.withNoise);
    mean('snr_db', sums.snr, sums.withSnr);
    mean('link_coverage', sums.covered, sums.windows);
    mean('link_usable', sums.usable, sums.windows);
    return figures;
  }

  snapshot(): LinkMeterState {
    const intervals = Array.from(this.#intervals, ([number, sums]) => [number, { ...sums }] as const);
    return { tracker: this.#tracker.snapshot(), last: this.#last, intervals };
  }

  restore({ tracker, last, intervals }: LinkMeterState): void {
    this.#tracker.restore(tracker);
    this.#last = last;
    this.#intervals = new Map(intervals.map(([number, sums]) => [number, { ...sums }]));
  }

  #of(interval: number): Sums {
    const known = this.#intervals.get(interval);
    if (known) return known;
    const made = { ...NO_SUMS };
    this.#intervals.set(interval, made);
    return made;
  }
}

/** Four decimals; minus zero becomes zero. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4 + 0;
