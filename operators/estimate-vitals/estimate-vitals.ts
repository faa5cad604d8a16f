import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { Failure, Measure, Window } from '../../pipeline/model/index.js';
import { withUsableLinks } from '../shared/usable-links.js';
import { BIN, LinkBins, type LinkBinsState, type Series } from './bins.js';
import { BreathingEstimator, moved } from './breathing.js';
import { WRITES } from './written.js';

export const estimateVitals = defineOperator({
  name: 'estimate-vitals',
  summary: 'Estimates the breathing rate of one person who keeps still.',
  description: `
Use it behind \`window\` (a grid step of 100 ms or less). Every \`interval_ms\` it analyses the last \`length_ms\` and outputs two measures of the
room at their end, or nothing:

- \`breathing_rate_bpm\`, breaths per minute, from 8 (6 with \`length_ms: 45000\`) to 30;
- \`breathing_quality\`, from \`min_quality\` to 1.

**It outputs nothing** if somebody moved within the window, without a clear peak, or if the quality is below \`min_quality\`.

Method. The amplitude of each frame is divided by its mean over the subcarriers of the antenna, which removes the receiver's gain,
and averaged in bins of 200 ms and at most 16 columns (groups of neighbouring subcarriers) per link. Each column's linear trend
is removed, and its power spectrum is computed with a Hann window. The spectra of all columns of all links, each relative to the
noise of its own column above 0.65 Hz, are averaged; the highest peak from 0.1 to 0.5 Hz, interpolated by a parabola, is the rate. The quality is
the excess of that peak over the next one (except its double), divided by its height; it is lower if the height is below 8 standard deviations of the noise,
and 0 below 4. It is also lower for fewer than 4.5 breaths within the period, and 0 for fewer than 4, because drifts and other slow movements look the same. Somebody moved if in some second changes faster than breathing are louder than chance allows relative to a quiet second of the window, in the mean over links.

**Gotchas.** It does not identify the person; with two people who keep still it outputs the stronger rate or nothing. Any other rhythm of 6 to
30 per minute (a rotating fan, a waving arm) looks the same. It uses only amplitudes, and at some
positions breathing changes only the phase of a link: several links help. It is not a medical device. \`docs/reports/vitals.md\` describes
its validation, which used simulated breathing and no person with a known rate.

Sources: Wang et al., Human respiration detection with commodity WiFi devices (2016); Wang et al., PhaseBeat (2017), for the choice of
subcarriers; Fisher (1929) for the peak's share.
`,
  inputs: ['window'],
  outputs: ['measure'],
  writes: WRITES,
  stateFields: ['length_ms'],
  config: Type.Object(
    {
      length_ms: Type.Integer({
        minimum: 15_000,
        maximum: 120_000,
        multipleOf: 1000,
        default: 30_000,
        description:
          'Length of the analysed period, milliseconds: longer periods find weaker breathing and are more precise, but the person must keep still throughout.',
      }),
      interval_ms: Type.Integer({
        minimum: 1000,
        maximum: 3_600_000,
        multipleOf: 1000,
        default: 5000,
        description: 'Time between estimates, milliseconds.',
      }),
      min_quality: Type.Number({
        minimum: 0,
        maximum: 1,
        default: 0.35,
        description: 'Lowest quality of an output.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Breathing, every five seconds', config: {} },
    { title: 'Only very clear breathing, over a minute', config: { length_ms: 60_000, min_quality: 0.7 } },
  ],
  create: (config, context) => {
    const settings = {
      bins: (config.length_ms * 1000) / BIN,
      every: (config.interval_ms * 1000) / BIN,
      minQuality: config.min_quality,
    };
    const estimator = new BreathingEstimator(settings.bins);
    const rooms = new Map(context.environments.map(({ id }) => [id, new Room(settings, estimator)]));
    return {
      process: (window): Output<Measure> => {
        const room = rooms.get(window.environment);
        const failure = !room ? strange(window) : window.step > BIN / 2 ? coarse(window) : null;
        if (failure) return { data: [], failed: [failure] };
        const measures = room!.take(withUsableLinks(window)).flatMap((found) => measuresOf(found, window));
        return measures.length === 0 ? NOTHING : { data: measures };
      },
      reanchor: () => {
        for (const room of rooms.values()) room.restore({ next: -Infinity, bin: -1, links: [] });
        return NOTHING;
      },
      snapshot: () => Array.from(rooms, ([environment, room]) => ({ environment, ...room.snapshot() })),
      restore: (state: readonly (RoomState & { readonly environment: string })[]) => {
        for (const saved of state) rooms.get(saved.environment)?.restore(saved);
      },
    };
  },
});

interface Settings {
  /** Bins of an analysis. */
  readonly bins: number;
  /** Bins between two analyses. */
  readonly every: number;
  readonly minQuality: number;
}

interface Found {
  readonly time: number;
  readonly rate: number;
  readonly quality: number;
}

interface RoomState {
  readonly next: number;
  readonly bin: number;
  readonly links: readonly LinkBinsState[];
}

/** One environment. */
class Room {
  readonly #settings: Settings;
  readonly #estimator: BreathingEstimator;
  readonly #links = new Map<string, LinkBins>();
  /** Event time of the first new point: windows overlap. */
  #next = -Infinity;
  /** Number of the open bin since 1970, -1 before the first. */
  #bin = -1;

  constructor(settings: Settings, estimator: BreathingEstimator) {
    this.#settings = settings;
    this.#estimator = estimator;
  }

  take(window: Window): Found[] {
    const found: Found[] = [];
    const { start, step, points, links } = window;
    for (let at = Math.max(0, Math.ceil((this.#next - start) / step)); at < points; at++) {
      this.#advance(Math.floor((start + at * step) / BIN), found);
      for (const link of links) this.#of(link).add(link, at);
    }
    this.#next = Math.max(this.#next, start + points * step);
    return found;
  }

  snapshot(): RoomState {
    const links = Array.from(this.#links.values(), (link) => link.snapshot());
    return { next: this.#next, bin: this.#bin, links };
  }

  restore({ next, bin, links }: RoomState): void {
    this.#next = next;
    this.#bin = bin;
    this.#links.clear();
    for (const state of links) this.#links.set(state.id, new LinkBins(state));
  }

  /** Closes the bins before `bin`. After a hole as long as an analysis, everything restarts. */
  #advance(bin: number, found: Found[]): void {
    if (this.#bin < 0 || bin - this.#bin > this.#settings.bins) {
      this.#links.clear();
      this.#bin = bin;
    }
    while (this.#bin < bin) {
      for (const link of this.#links.values()) link.close(this.#bin);
      this.#bin++;
      if (this.#bin % this.#settings.every !== 0) continue;
      const estimate = this.#look();
      if (estimate) found.push(estimate);
    }
  }

  #look(): Found | null {
    const series = [...this.#links.values()].map((link) => link.before(this.#bin));
    const links = series.filter((one): one is Series => one !== null);
    if (links.length === 0 || moved(links)) return null;
    const breathing = this.#estimator.estimate(links);
    if (!breathing || !(breathing.quality >= this.#settings.minQuality)) return null;
    return { time: this.#bin * BIN, ...breathing };
  }

  /** A link that changes its layout restarts. */
  #of(link: Window['links'][number]): LinkBins {
    const known = this.#links.get(link.id);
    if (known?.layout === link.layout) return known;
    const fresh = LinkBins.of(link, this.#settings.bins, this.#bin);
    this.#links.set(link.id, fresh);
    return fresh;
  }
}

const measuresOf = ({ time, rate, quality }: Found, { environment, provenance }: Window): Measure[] =>
  [
    { name: 'breathing_rate_bpm', value: Math.round(10 * rate) / 10 },
    { name: 'breathing_quality', value: Math.round(1000 * quality) / 1000 },
  ].map(({ name, value }) => ({
    port: 'measure',
    name,
    environment,
    subject: null,
    time,
    value,
    source: 'csiflow',
    provenance,
  }));

const recordOf = ({ environment, index, start, step }: Window) => ({ environment, index, start, step });

const strange = (window: Window): Failure => ({
  record: recordOf(window),
  code: 'vitals.environment',
  reason: `the topology has no environment '${window.environment}': add its file to 'environment'`,
  retriable: false,
});

const coarse = (window: Window): Failure => ({
  record: recordOf(window),
  code: 'vitals.grid.coarse',
  reason: `windows have a point every ${window.step / 1000} ms; breathing detection needs ${BIN / 2000} ms or less: raise \`points\` of the window operator or lower its \`length_ms\``,
  retriable: false,
});
