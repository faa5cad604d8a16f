import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import type { CsiBlock, CsiLayout } from '../../pipeline/model/index.js';
import { mapFrames, type FrameMapper, type Values } from '../shared/frame-mapper.js';

export const passOnChange = defineOperator({
  name: 'pass-on-change',
  summary: 'Passes frames on only where the channel changed.',
  description: `
Use it at the edge of a network, before a sink that costs battery or bandwidth. IEEE 802.11bf calls it threshold-based
reporting by CSI variation.

The variation is the distance between the amplitudes of a frame and those of the link's frame that was passed on last, both
scaled to a length of 1: 0 where they are the same but for a factor (so that the receiver's gain does not count), and at most
1.41. Phases do not count. A frame is passed on where it exceeds \`threshold\`, and where none was for \`max_interval_ms\`:
what follows can then tell "no change" from "link lost". All others are dropped as \`unchanged\`.

Noise counts as change: at a signal-to-noise ratio of 20 dB two frames of a still channel differ by about 0.1, at 30 dB by 0.03.

Gotchas: what looks at noise, rates or spectra (\`detect-motion\`, \`doppler\`, \`estimate-vitals\`, the quality of links in
\`window\`) expects all frames. A frame without amplitudes that are numbers is passed on.
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
        description: 'Variation above which a frame is passed on.',
      }),
      max_interval_ms: Type.Number({
        minimum: 1,
        maximum: 3_600_000,
        default: 1000,
        description: 'A frame is passed on at least this often, milliseconds.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Changes, and a frame a second', config: {} },
    {
      title: 'Great changes only, and a frame a minute',
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

/** The frame of a link that was passed on last. */
class Variation implements FrameMapper<VariationState> {
  readonly layout: CsiLayout;
  readonly #threshold: number;
  readonly #maxInterval: number;
  /** Amplitudes of the frame, and of the one that was passed on last, scaled to a length of 1. */
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

  /** NaN where the frame has no amplitude, or one that is no number. */
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
