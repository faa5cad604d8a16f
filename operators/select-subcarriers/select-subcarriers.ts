import { Type, type Static } from 'typebox';
import { choice, defineOperator } from '../../pipeline/component/index.js';
import { csiLayout, type CsiLayout } from '../../pipeline/model/index.js';
import { mapFrames, type FrameMapper, type Values } from '../shared/frame-mapper.js';
import { pilots } from './pilots.js';
import { calmest, SubcarrierStatistics, widest, type SubcarrierState } from './statistics.js';

const config = Type.Object(
  {
    drop_nulls: Type.Boolean({
      default: true,
      description: 'Removes subcarriers that are zero in all of the first frames: direct current and guards.',
    }),
    drop_pilots: Type.Boolean({
      default: false,
      description: 'Removes pilots, by the tables of IEEE 802.11 for the training field and bandwidth.',
    }),
    keep: choice(
      {
        all: 'All of them.',
        variance: 'Those that vary most while somebody walks.',
        nbvi: 'The strongest and calmest of the quiet room.',
      },
      { default: 'all', description: 'Which of the others to output.' },
    ),
    count: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 12,
      description: 'Number of subcarriers that `variance` and `nbvi` output.',
    }),
    learn_frames: Type.Integer({
      minimum: 2,
      maximum: 100_000,
      default: 100,
      description: "Number of a link's first frames to learn from.",
    }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof config>;

export const selectSubcarriers = defineOperator({
  name: 'select-subcarriers',
  summary: 'Selects the informative subcarriers.',
  description: `
Use it directly behind a source whose frames include nulls and pilots, or if few good subcarriers are better than many.

- Nulls (direct current, guards) carry no signal; a subcarrier is one where all antennas were zero in all of the first frames.
- Pilots (-21, -7, 7, 21 of 20 MHz, and so on) carry known symbols; some receivers process them differently from data.
- \`keep: variance\` selects the \`count\` subcarriers that vary most relative to their mean while the link learns: have somebody
  walk through the room during that time.
- \`keep: nbvi\` selects the \`count\` strongest and calmest ones of the quiet room, by the Normalized Baseline Variability Index
  0.5 sigma / mu^2 + 0.5 sigma / mu: none of the weakest quarter, and no two neighbours as long as there are others. Nobody may
  move during that time.

Everything except pilots requires learning: the first \`learn_frames\` frames of each link and layout are dropped and
counted as \`learning\`; then the selection is fixed and survives restarts. To learn again, change \`learn_frames\` or another field. Links
may get different layouts.

Gotchas: networks and \`detect-falls\` interpolate over all subcarriers of a layout and need all of them. If every
subcarrier would be removed, all remain.

Source of NBVI: Pace, ESPectre (github.com/francescopace/espectre).
`,
  inputs: ['csi'],
  outputs: ['csi'],
  config,
  examples: [
    { title: 'Without nulls and pilots', config: { drop_pilots: true } },
    { title: 'The twelve calmest subcarriers, as in ESPectre', config: { keep: 'nbvi', count: 12 } },
  ],
  create: (settings, context) => mapFrames(context, (layout) => new Selection(layout, settings)),
});

interface SelectionState {
  /** The selected indices; checkpoints of earlier versions have this name. */
  readonly kept: readonly number[] | null;
  readonly statistics: SubcarrierState | null;
}

/** The selected subcarriers of one link. */
class Selection implements FrameMapper<SelectionState> {
  readonly #from: CsiLayout;
  readonly #settings: Config;
  #layout: CsiLayout;
  /** Indices of the selected subcarriers in the layout; null until they are known. */
  #selected: readonly number[] | null = null;
  #statistics: SubcarrierStatistics | null = null;

  constructor(from: CsiLayout, settings: Config) {
    this.#from = from;
    this.#settings = settings;
    this.#layout = from;
    if (settings.drop_nulls || settings.keep !== 'all') this.#statistics = new SubcarrierStatistics(from);
    else this.#select(this.#withoutPilots());
  }

  get layout(): CsiLayout {
    return this.#layout;
  }

  apply(input: Values, offset: number, output: Values, to: number): string | null {
    const selected = this.#selected;
    if (!selected) {
      this.#learn(input, offset);
      return 'learning';
    }
    const { rx, tx, subcarriers } = this.#from;
    for (let pair = 0, at = to; pair < rx * tx; pair++) {
      const start = offset + 2 * pair * subcarriers.length;
      for (let i = 0; i < selected.length; i++, at += 2) {
        output[at] = input[start + 2 * selected[i]!]!;
        output[at + 1] = input[start + 2 * selected[i]! + 1]!;
      }
    }
    return null;
  }

  snapshot(): SelectionState {
    return { kept: this.#selected?.slice() ?? null, statistics: this.#statistics?.snapshot() ?? null };
  }

  restore({ kept: selected, statistics }: SelectionState): void {
    if (selected) this.#select(selected);
    if (statistics) this.#statistics?.restore(statistics);
  }

  #learn(input: Values, offset: number): void {
    const statistics = this.#statistics!;
    statistics.add(input, offset);
    const { learn_frames, drop_nulls, keep, count } = this.#settings;
    if (statistics.frames < learn_frames) return;
    const usable = this.#withoutPilots().filter((k) => !drop_nulls || !statistics.isNull(k));
    if (keep === 'all' || usable.length === 0) this.#select(usable);
    else
      this.#select(keep === 'nbvi' ? calmest(statistics, usable, count) : widest(statistics, usable, count));
  }

  #withoutPilots(): readonly number[] {
    const all = Array.from(this.#from.subcarriers, (_, k) => k);
    if (!this.#settings.drop_pilots) return all;
    const known = pilots(this.#from);
    return all.filter((k) => !known.has(this.#from.subcarriers[k]!));
  }

  #select(indices: readonly number[]): void {
    const all = Array.from(this.#from.subcarriers, (_, k) => k);
    this.#selected = indices.length > 0 ? indices : all;
    this.#statistics = null;
    const subcarriers = this.#selected.map((k) => this.#from.subcarriers[k]!);
    this.#layout = csiLayout({ ...this.#from, subcarriers });
  }
}
