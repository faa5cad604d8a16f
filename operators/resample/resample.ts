import { Type } from 'typebox';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock } from '../../pipeline/model/index.js';
import { LinkStates, type LinkSnapshot } from '../shared/per-link.js';
import { withRows } from '../shared/frame-rows.js';
import { Resampler, type ResamplerState } from './resampler.js';

/** Largest number of frames that fill one gap. */
const MAX_FILLED = 100_000;

export const resample = defineOperator({
  name: 'resample',
  summary: 'Resamples the frames of each link to an even rate.',
  description: `
Use it before operators that assume evenly spaced frames: \`denoise\` with \`butterworth\`, \`savitzky-golay\`, \`wavelet\` or \`pca\`, and
\`doppler\`. Put \`phase-sanitize\`, \`csi-ratio\` or \`conjugate-multiply\` before it, so that neighbouring frames agree in phase.
\`window\` resamples itself and does not need it.

Frames lie on multiples of the period since 1970, so they do not depend on when a run began. Between two frames of a link the
amplitude is linear in time, and the phase takes the shorter way round. All other columns come from the later frame;
\`sequence\` counts the grid points of the link.

**Gaps.** Between two frames more than \`max_gap_ms\` apart nothing is interpolated: the output frames are omitted, and \`sequence\` jumps by
their number, as with frames lost on the way. They are counted as \`points_in_gaps\`.

Gotchas: it is not a low-pass. Frames that arrive much faster than \`rate_hz\` alias: put \`denoise\` before it. A grid point is
known once the next frame has arrived, so it adds one frame interval to the latency, and delays event time by as
much. Frames older than their link's newest are dropped as \`late\`, and those with invalid values as
\`not_finite\`.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  stateFields: [],
  timeFields: ['time'],
  config: Type.Object(
    {
      rate_hz: Type.Number({
        exclusiveMinimum: 0,
        maximum: 100_000,
        default: 100,
        description: 'Frames per second.',
      }),
      max_gap_ms: Type.Number({
        minimum: 1,
        maximum: 60_000,
        default: 200,
        description: 'Longest hole between two frames to interpolate, milliseconds.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'A hundred frames per second', config: { rate_hz: 100 } },
    { title: 'For Doppler at 1,000 frames per second', config: { rate_hz: 1000, max_gap_ms: 10 } },
  ],
  check: ({ rate_hz, max_gap_ms }) =>
    rate_hz * max_gap_ms > MAX_FILLED * 1000
      ? [
          {
            path: ['max_gap_ms'],
            message: `must be at most ${(MAX_FILLED * 1000) / rate_hz} at this rate_hz`,
          },
        ]
      : [],
  create: ({ rate_hz, max_gap_ms }, context) => {
    const make = (layout: CsiBlock['layout']): Resampler =>
      new Resampler(frameSize(layout), rate_hz, max_gap_ms * 1000);
    const resamplers = new LinkStates(context.links, make);
    return {
      process: (block): Output<CsiBlock> => {
        const rows: number[] = [];
        const times: number[] = [];
        const sequence: number[] = [];
        const size = frameSize(block.layout);
        let values = new Float32Array(block.values.length);
        let skipped = 0;
        const refused = { late: 0, not_finite: 0 };
        for (let frame = 0; frame < block.count; frame++) {
          const resampler = resamplers.of(block.link[frame]!, block.layout);
          const answer = resampler.add(block.time[frame]!, block.values, frame * size);
          if (answer !== null) {
            refused[answer]++;
            continue;
          }
          skipped += resampler.skipped;
          for (let point = resampler.from; point < resampler.until; point++) {
            if ((rows.length + 1) * size > values.length) values = grown(values);
            sequence.push(resampler.sequence);
            resampler.write(point, block.values, frame * size, values, rows.length * size);
            rows.push(frame);
            times.push(resampler.timeOf(point));
          }
          resampler.keep(block.values, frame * size);
        }
        for (const reason of ['late', 'not_finite'] as const)
          if (refused[reason] > 0) context.metrics.dropped(reason, refused[reason]);
        if (skipped > 0) context.metrics.count('points_in_gaps', skipped);
        if (rows.length === 0) return NOTHING;
        const out = withRows(block, rows, undefined, block.layout, values.subarray(0, rows.length * size));
        out.time.set(times);
        out.sequence.set(sequence);
        return { data: [out] };
      },
      holdWatermark: (time) => {
        let held = time;
        resamplers.each((resampler) => {
          held = Math.min(held, resampler.holds(time));
        });
        return held;
      },
      snapshot: () => resamplers.snapshot((resampler) => resampler.snapshot()),
      restore: (state: readonly LinkSnapshot<ResamplerState>[]) => {
        resamplers.restore(state, (layout, saved) => {
          const resampler = make(layout);
          resampler.restore(saved);
          return resampler;
        });
      },
    };
  },
});

function grown(values: Float32Array): Float32Array<ArrayBuffer> {
  const more = new Float32Array(2 * values.length);
  more.set(values);
  return more;
}
