import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { frameSize } from '../../pipeline/model/index.js';
import { filterFrames, type FrameFilter } from '../shared/frame-filter.js';

export const removeStatic = defineOperator({
  name: 'remove-static',
  summary: 'Subtracts the static part of the channel.',
  description: `
Use it behind \`phase-sanitize\`, \`csi-ratio\` or \`conjugate-multiply\`, before \`doppler\` and other operators that only evaluate movement.
Without one of these the phase of each packet is random, so there is no static part to subtract.

Walls, furniture and the direct path contribute a constant part to each value. An exponential mean over
\`time_constant_ms\` of event time estimates it, and it is subtracted: a high-pass with the limit 1 / (2 pi time constant), 0.03 Hz by
default. During the first time constant after a start, or after a long pause, it is the plain mean of the frames so far.

Gotchas: somebody who keeps still for several time constants becomes part of the room. A value that is not a number becomes
0, and does not change the mean; frames without a finite value are dropped and counted as \`not_finite\`.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  stateFields: [],
  timeFields: ['time'],
  config: Type.Object(
    {
      time_constant_ms: Type.Number({
        minimum: 10,
        maximum: 3_600_000,
        default: 5000,
        description: 'Time after which 63 % of a change has become part of the static channel, milliseconds.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Movement of people', config: {} },
    { title: 'Slow movement as well', config: { time_constant_ms: 30_000 } },
  ],
  create: ({ time_constant_ms }, context) =>
    filterFrames(context, (layout) => new StaticPart(frameSize(layout), time_constant_ms * 1000)),
});

interface StaticState {
  readonly time: number;
  readonly weight: number;
  readonly mean: Float64Array;
}

/** Static part of one link. */
class StaticPart implements FrameFilter<StaticState> {
  readonly #constant: number;
  readonly #mean: Float64Array;
  #time = -Infinity;
  /** Number of frames in the mean; grows to the number in one time constant. */
  #weight = 0;

  constructor(size: number, constant: number) {
    this.#constant = constant;
    this.#mean = new Float64Array(size);
  }

  apply(input: Float32Array, output: Float32Array, offset: number, time: number): number {
    const share = this.#share(time);
    for (let i = 0; i < this.#mean.length; i++) {
      const value = input[offset + i]!;
      const usable = Math.abs(value) < Infinity;
      if (usable) this.#mean[i]! += share * (value - this.#mean[i]!);
      output[offset + i] = usable ? value - this.#mean[i]! : 0;
    }
    return 0;
  }

  snapshot(): StaticState {
    return { time: this.#time, weight: this.#weight, mean: this.#mean.slice() };
  }

  restore({ time, weight, mean }: StaticState): void {
    this.#time = time;
    this.#weight = weight;
    this.#mean.set(mean);
  }

  /** Weight of the newest frame: 1 - exp(-dt / constant), more during the first frames. */
  #share(time: number): number {
    const remaining = Math.exp(-Math.max(0, time - this.#time) / this.#constant);
    this.#time = Math.max(this.#time, time);
    this.#weight = this.#weight * remaining + 1;
    return Math.max(1 - remaining, 1 / this.#weight);
  }
}
