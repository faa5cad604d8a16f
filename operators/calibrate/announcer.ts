import type { Context } from '../../pipeline/component/index.js';
import { currentKey, type Measure } from '../../pipeline/model/index.js';
import { linkMeasures } from '../shared/measures.js';
import type { Drift } from './correction.js';
import type { Thresholds } from './link-calibration.js';

interface Known {
  /** Event time at which the next measures are due. */
  due: number;
  drift: Drift | null;
  /** By key of the layout. */
  readonly thresholds: Record<string, Thresholds>;
}

export type AnnouncerState = readonly (readonly [link: string, known: Known])[];

/** Publishes the state of each link at intervals: thresholds, and how well the calibration fits. */
export class Announcer {
  readonly #context: Context;
  readonly #interval: number;
  /** By link number. */
  readonly #known: Known[] = [];

  /** @param interval microseconds */
  constructor(context: Context, interval: number) {
    this.#context = context;
    this.#interval = interval;
  }

  /** A link was calibrated: publish it with the link's next frame. */
  calibrated(link: number, layout: string, { motion, noiseDb }: Thresholds): void {
    const known = (this.#known[link] ??= { due: -Infinity, drift: null, thresholds: {} });
    const before = known.thresholds[layout];
    if (before?.motion === motion && before.noiseDb === noiseDb) return;
    known.thresholds[layout] = { motion, noiseDb };
    known.due = -Infinity;
  }

  judged(link: number, drift: Drift | null): void {
    const known = this.#known[link];
    if (known) known.drift = drift;
  }

  /** Measures due at this frame. If frames come in several layouts, thresholds apply to all: the highest ones count. */
  due(link: number, time: number): readonly Measure[] {
    const known = this.#known[link];
    if (!known || !(time >= known.due)) return [];
    known.due = (Math.floor(time / this.#interval) + 1) * this.#interval;
    const all = Object.values(known.thresholds);
    const measures: (readonly [string, number])[] = [
      ['motion_threshold', Math.max(...all.map(({ motion }) => motion))],
      ['noise_level_db', Math.max(...all.map(({ noiseDb }) => noiseDb))],
    ];
    if (known.drift) measures.push(['calibration_drift', known.drift.amplitude]);
    if (known.drift && known.drift.phase !== null)
      measures.push(['calibration_phase_drift_deg', (known.drift.phase * 180) / Math.PI]);
    return linkMeasures(this.#context, link, time, measures);
  }

  snapshot(): AnnouncerState {
    // Skips links without a calibration.
    return this.#known.flatMap((known, link) => [
      [this.#context.links.at(link).link.id, { ...known, thresholds: { ...known.thresholds } }] as const,
    ]);
  }

  restore(state: AnnouncerState): void {
    this.#known.length = 0;
    for (const [id, known] of state) {
      const entry = this.#context.links.byId(id);
      const thresholds = Object.entries(known.thresholds).map(
        ([key, one]) => [currentKey(key), one] as const,
      );
      if (entry) this.#known[entry.index] = { ...known, thresholds: Object.fromEntries(thresholds) };
    }
  }
}
