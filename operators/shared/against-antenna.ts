import { csiLayout, type CsiLayout } from '../../pipeline/model/index.js';
import { MAX_MEASURED } from './max-measured.js';
import type { FrameMapper, Values } from './frame-mapper.js';
import type { ReferenceAntenna, ReferenceState } from './reference-antenna.js';

/** Writes the result for each of a frame's antennas except `antenna`, in order; 0 for invalid values. */
export type AgainstAntenna = (
  layout: CsiLayout,
  antenna: number,
  input: Values,
  offset: number,
  output: Values,
  to: number,
) => void;

/** H_a conj(H_b), divided by `divisor` of H_b = u + iv. */
const againstAntenna =
  (divisor: (u: number, v: number) => number): AgainstAntenna =>
  (layout, antenna, input, offset, output, to) => {
    const row = layout.tx * layout.subcarriers.length * 2;
    const reference = offset + antenna * row;
    for (let other = 0, at = to; other < layout.rx; other++) {
      if (other === antenna) continue;
      for (let i = 0, from = offset + other * row; i < row; i += 2, at += 2) {
        const x = input[from + i]!;
        const y = input[from + i + 1]!;
        const u = input[reference + i]!;
        const v = input[reference + i + 1]!;
        const by = divisor(u, v);
        const re = (x * u + y * v) / by;
        const im = (y * u - x * v) / by;
        const usable = Math.abs(re) < MAX_MEASURED && Math.abs(im) < MAX_MEASURED;
        output[at] = usable ? re : 0;
        output[at + 1] = usable ? im : 0;
      }
    }
  };

/** H_a / H_b. */
export const divideByAntenna = againstAntenna((u, v) => u * u + v * v);

/** H_a conj(H_b). */
export const multiplyByConjugate = againstAntenna(() => 1);

/** Frames of one link against its reference antenna. */
export class AgainstReference implements FrameMapper<ReferenceState> {
  readonly layout: CsiLayout;
  readonly #from: CsiLayout;
  readonly #reference: ReferenceAntenna;
  readonly #combine: AgainstAntenna;
  readonly #waits: boolean;

  /** @param waits for all frames to learn from, even if the reference is known before */
  constructor(from: CsiLayout, reference: ReferenceAntenna, combine: AgainstAntenna, waits = false) {
    this.layout = csiLayout({ ...from, rx: from.rx - 1 });
    this.#from = from;
    this.#reference = reference;
    this.#combine = combine;
    this.#waits = waits;
  }

  apply(input: Values, offset: number, output: Values, to: number): string | null {
    const reference = this.#reference;
    reference.see(input, offset);
    if (reference.antenna < 0 || (this.#waits && !reference.learnt)) return 'reference_unknown';
    this.#combine(this.#from, reference.antenna, input, offset, output, to);
    return null;
  }

  get antennas(): readonly number[] {
    return this.#reference.others;
  }

  snapshot(): ReferenceState {
    return this.#reference.snapshot();
  }

  restore(state: ReferenceState): void {
    this.#reference.restore(state);
  }
}
