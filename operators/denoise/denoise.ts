import { Type } from 'typebox';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock } from '../../pipeline/model/index.js';
import { LinkStates, type LinkSnapshot } from '../shared/per-link.js';
import { SlidingHampel, type SlidingHampelState } from './hampel.js';

export const denoise = defineOperator({
  name: 'denoise',
  summary: 'Removes outliers and noise from the amplitude of CSI.',
  description: `
Use it right behind a source, before anything looks at the amplitude.

\`hampel\` compares each subcarrier's amplitude with the last \`window\` frames of the same link and layout: where it is
further than \`threshold\` standard deviations (1.4826 times the median absolute deviation) from their median, it becomes
that median and keeps its phase. It is causal: it looks back only, and adds no delay.

Gotchas: looking back only, it also flattens a value that turns back quickly after a long rise. A step of the receiver's gain looks like an outlier until half of the window lies behind it. Where more than
half of a window is one and the same number (coarse quantisation of a still channel), every other number is an outlier.
A value that is not a number becomes the median with phase 0.

Sources: Davies and Gather, The identification of multiple outliers (1993); threshold 3 as in most CSI work.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  stateFields: ['window'],
  config: Type.Object(
    {
      method: Type.Union([Type.Literal('hampel')], {
        default: 'hampel',
        description: 'How: `hampel` replaces outliers by the median of the last frames.',
      }),
      window: Type.Integer({
        minimum: 3,
        maximum: 101,
        default: 9,
        description: 'Frames looked back on, the newest included; an odd number.',
      }),
      threshold: Type.Number({
        minimum: 0,
        maximum: 100,
        default: 3,
        description: 'Distance from the median, in standard deviations, from which a value is an outlier.',
      }),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'Remove outliers', config: { method: 'hampel' } },
    { title: 'Only gross ones, judged by a longer past', config: { window: 21, threshold: 5 } },
  ],
  check: ({ window }) =>
    window % 2 === 1
      ? []
      : [
          {
            path: ['window'],
            message: `must be odd, for example ${window + 1}: the median is then one of the frames`,
          },
        ],
  create: ({ window, threshold }, context) => {
    const columns = (layout: CsiBlock['layout']) => frameSize(layout) / 2;
    const filters = new LinkStates(
      context.links,
      (layout) => new SlidingHampel(columns(layout), window, threshold),
    );
    return {
      process: (block): Output<CsiBlock> => {
        const { layout, count, link, values } = block;
        const size = frameSize(layout);
        const output = new Float32Array(values.length);
        let replaced = 0;
        for (let frame = 0; frame < count; frame++)
          replaced += filters.of(link[frame]!, layout).apply(values, output, frame * size);
        if (replaced > 0) context.metrics.count('outliers_replaced', replaced);
        return { data: [{ ...block, values: output }] };
      },
      snapshot: () => filters.snapshot((filter) => filter.snapshot()),
      restore: (state) => {
        filters.restore(state as readonly LinkSnapshot<SlidingHampelState>[], (layout, saved) => {
          const filter = new SlidingHampel(columns(layout), window, threshold);
          filter.restore(saved);
          return filter;
        });
      },
    };
  },
});
