import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import type { CsiBlock, CsiLayout } from '../../pipeline/model/index.js';
import { mapFrames, type FrameMapper, type Values } from '../shared/frame-mapper.js';

export const passOnChange = defineOperator({
  name: 'pass-on-change',
  summary: 'Passes frames only if the channel changed.',
  description: `
Use it at the edge of a network, before a sink where battery or bandwidth matter. IEEE 802.11bf calls it threshold-based
reporting by CSI variation.

The variation is the distance between the amplitudes of a frame and those of the link's last frame that passed, both
scaled to a length of 1: 0 if they are the same except for a factor (so the receiver's gain does not matter), and at most
1.41. Phases are ignored. A frame passes if its variation exceeds \`threshold\`, or if none has passed for \`max_interval_ms\`:
downstream nodes can then distinguish "no change" from "link lost". All others are dropped as \`unchanged\`.

Noise counts as change: at a signal-to-noise ratio of 20 dB two frames of a still channel differ by about 0.1, at 30 dB by 0.03.

Gotchas: operators that evaluate noise, rates or spectra (\`detect-motion\`, \`doppler\`, \`estimate-vitals\`, the quality of links in
\`window\`) expect all frames. A frame without valid amplitudes passes.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  stateFields: [],
  timeFields: ['time'],
  config: Type.Object(
    {
      threshold: Type.Number({
        minimum: 0,
        maximum: 1.42,
        default: 0.15,
        description: 'Variation above which a frame passes.',
      }),
      max_interval_ms: Type.Number({
        minimum: 1,
        maximum: 3_600_000,
        default: 1000,
        description: 'A frame passes at least this often, milliseconds.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Changes, and one frame per second', config: {} },
    {
      title: 'Large changes only, and one frame per minute',
      config: { threshold: 0.4, max_interval_ms: 60_000 },
    },
  ],
  create: ({ threshold, max_interval_ms }, context) =>
    mapFrames(context, (layout) => new Variation(layout, threshold, max_interval_ms * 1000)),
});

interface VariationState {
  readonly time: number;
  readonly passed: Float64Array;
}

/** The last frame of a link that passed. */
class Variation implements FrameMapper<VariationState> {
  readonly layout: CsiLayout;
  readonly #threshold: number;
  readonly #maxInterval: number;
  /** Amplitudes of the frame, and of the last one that passed, scaled to a length of 1. */
  readonly #now: Float64Array;
  readonly #passed: Float64Array;
  #time = -Infinity;

  constructor(layout: CsiLayout, threshold: number, maxInterval: number) {
    const columns = layout.rx * layout.tx * layout.subcarriers.length;
    this.layout = layout;
    this.#threshold = threshold;
    this.#maxInterval = maxInterval;
    this.#now = new Float64Array(columns);
    this.#passed = new Float64Array(columns);
  }

  apply(
    input: Values,
    offset: number,
    output: Values,
    to: number,
    block: CsiBlock,
    frame: number,
  ): string | null {
    const time = block.time[frame]!;
    const variation = this.#variation(input, offset);
    if (variation <= this.#threshold && time - this.#time < this.#maxInterval) return 'unchanged';
    this.#time = time;
    this.#passed.set(this.#now);
    for (let i = 0; i < 2 * this.#now.length; i++) output[to + i] = input[offset + i]!;
    return null;
  }

  snapshot(): VariationState {
    return { time: this.#time, passed: this.#passed.slice() };
  }

  restore({ time, passed }: VariationState): void {
    this.#time = time;
    this.#passed.set(passed);
  }

  /** NaN if the frame has no amplitude, or an invalid one. */
  #variation(input: Values, offset: number): number {
    const now = this.#now;
    let power = 0;
    for (let i = 0; i < now.length; i++) {
      const re = input[offset + 2 * i]!;
      const im = input[offset + 2 * i + 1]!;
      now[i] = Math.sqrt(re * re + im * im);
      power += re * re + im * im;
    }
    const norm = 1 / Math.sqrt(power);
    let sum = 0;
    for (let i = 0; i < now.length; i++) {
      now[i]! *= norm;
      sum += (now[i]! - this.#passed[i]!) ** 2;
    }
    return Math.sqrt(sum);
  }
}
