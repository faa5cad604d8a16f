import { Type } from 'typebox';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock } from '../../pipeline/model/index.js';
import { filterFrames } from '../shared/frame-filter.js';
import { PhaseSanitizer } from './sanitizer.js';
import { SharpSanitizer, type SharpState } from './sharp.js';

export const phaseSanitize = defineOperator({
  name: 'phase-sanitize',
  summary: 'Removes the phase offsets that a receiver adds to CSI.',
  description: `
Use it before anything that reads the phase, and before \`window\`, so that neighbouring frames agree in phase.

A receiver adds a random phase to each packet and, because it detects the packet's start slightly early or late, a slope over the
subcarriers. \`linear\` and \`spotfi\` unwrap the phase over the subcarriers, fit a line and subtract it.
Amplitudes do not change.

- \`linear\`: per antenna, slope through the two outermost subcarriers and the mean as offset. Each antenna loses its own
  offset, and with it the phase between antennas.
- \`spotfi\`: one least-squares line for all receive antennas of a transmit stream. Preserves the phase between antennas (and
  with it the angle of arrival). With one antenna it is a plain least-squares fit, which tolerates weak outermost subcarriers.
- \`sharp\`: per antenna, explains a packet by few delays, rotates all of them by the conjugate of the strongest, and removes
  the least-squares line against the previous packet. The remaining change over time is the movement of the weaker paths. It takes
  a hundred times the work of the others.

Values of amplitude zero (nulls of the spectrum, lost subcarriers) have no phase and are excluded from the fit. A frame with
fewer than two values passes unchanged.

Sources: Sen et al., MobiSys 2012, and \`calib\` of csiread; Kotaru et al., SpotFi (SIGCOMM 2015), algorithm 1; Meneghello et
al., SHARP: Environment and Person Independent Activity Recognition with Commodity IEEE 802.11 Access Points (TMC 2022).
`,
  inputs: ['csi'],
  outputs: ['csi'],
  module: import.meta.url,
  config: Type.Object(
    {
      method: Type.Union([Type.Literal('linear'), Type.Literal('spotfi'), Type.Literal('sharp')], {
        default: 'linear',
        description:
          '`linear`: a line per antenna through its outermost subcarriers. `spotfi`: one least-squares line for all receive antennas. `sharp`: relative to the strongest path.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'One antenna', config: { method: 'linear' } },
    { title: 'Preserve the phase between antennas', config: { method: 'spotfi' } },
    { title: 'Relative to the strongest path', config: { method: 'sharp' } },
  ],
  create: ({ method }, context) => {
    if (method === 'sharp') return filterFrames<SharpState>(context, (layout) => new SharpSanitizer(layout));
    let sanitizer: PhaseSanitizer | undefined;
    let layout: CsiBlock['layout'] | undefined;
    return {
      process: (block): Output<CsiBlock> => {
        // Buffers of the newest layout only: allocating them is cheap compared with a block, and senders may
        // invent layouts.
        if (!sanitizer || layout?.key !== block.layout.key)
          sanitizer = new PhaseSanitizer(block.layout, method);
        layout = block.layout;
        const size = frameSize(layout);
        const values = new Float32Array(block.values.length);
        for (let frame = 0; frame < block.count; frame++) sanitizer.apply(block.values, values, frame * size);
        return { data: [{ ...block, values }] };
      },
    };
  },
});
