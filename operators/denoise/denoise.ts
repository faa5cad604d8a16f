import { Type, type Static } from 'typebox';
import { choice, defineOperator, type Complaint } from '../../pipeline/component/index.js';
import { frameSize, type CsiLayout } from '../../pipeline/model/index.js';
import { filterFrames, type FrameFilter } from '../shared/frame-filter.js';
import { butterworth, Sections } from './butterworth.js';
import { ColumnFilter } from './column-filter.js';
import { SlidingHampel } from './hampel.js';
import { PairSubspaces } from './pca.js';
import { newestWeights, SlidingFit } from './savitzky-golay.js';
import { SlidingShrinkage } from './wavelet.js';

const config = Type.Object(
  {
    method: choice(
      {
        hampel: 'Replaces outliers, at little cost.',
        median:
          'Median of the last frames: removes outliers and noise, keeps edges, delays by half a window.',
        'savitzky-golay': 'Newest value of a polynomial through the last frames: no delay.',
        butterworth: 'Low-pass, high-pass or band-pass filter.',
        wavelet: 'Removes noise by wavelets.',
        pca: 'Keeps what the subcarriers have in common.',
      },
      { default: 'hampel', description: 'How amplitudes are cleaned.' },
    ),
    window: Type.Integer({
      minimum: 3,
      maximum: 101,
      default: 9,
      description:
        'Number of frames that `hampel`, `median` and `savitzky-golay` use, including the newest; an odd number.',
    }),
    threshold: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 3,
      description:
        'For `hampel`: distance from the median, in standard deviations, from which a value is an outlier.',
    }),
    degree: Type.Integer({
      minimum: 0,
      maximum: 5,
      default: 2,
      description: 'For `savitzky-golay`: degree of the polynomial; below `window`.',
    }),
    order: Type.Integer({
      minimum: 1,
      maximum: 8,
      default: 4,
      description:
        'For `butterworth`: order of the filter; with both limits the band-pass has twice as many poles.',
    }),
    low_hz: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description:
          'For `butterworth`: attenuates slower changes, including the constant part. Default: no lower limit.',
      }),
    ),
    high_hz: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: 'For `butterworth`: attenuates faster changes. Default: no upper limit.',
      }),
    ),
    rate_hz: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100_000,
        description: 'For `butterworth`, which requires it: frames per second of each link.',
      }),
    ),
    wavelet: Type.Union([Type.Literal('sym3'), Type.Literal('db4')], {
      default: 'sym3',
      description: 'For `wavelet`: the wavelet.',
    }),
    levels: Type.Integer({
      minimum: 1,
      maximum: 8,
      default: 4,
      description: 'For `wavelet`: number of levels; fewer if the series is too short.',
    }),
    components: Type.Integer({
      minimum: 1,
      maximum: 16,
      default: 3,
      description: 'For `pca`: number of components to retain for each pair of antennas.',
    }),
    history: Type.Integer({
      minimum: 16,
      maximum: 512,
      default: 64,
      description: 'Number of frames that `wavelet` and `pca` use, including the newest.',
    }),
    part: Type.Union([Type.Literal('amplitude'), Type.Literal('complex')], {
      default: 'amplitude',
      description:
        '`amplitude`: leaves phases unchanged. `complex`: filters real and imaginary parts separately, behind `phase-sanitize` or `conjugate-multiply`; not for `hampel` and `median`.',
    }),
    max_gap_ms: Type.Number({
      minimum: 1,
      default: 1000,
      description:
        'Pause of a link after which all methods except `hampel` and `median` restart, milliseconds.',
    }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof config>;

export const denoise = defineOperator({
  name: 'denoise',
  summary: 'Removes outliers and noise from the amplitude of CSI.',
  description: `
Use \`hampel\` directly behind a source, before anything reads the amplitude, and another method behind it if an operator
needs a smooth signal.

| method | effect | cost |
|---|---|---|
| \`hampel\` | replaces outliers | little |
| \`median\` | the median of the last \`window\` frames: removes outliers and noise, keeps edges | \`window / 2\` frames of delay |
| \`savitzky-golay\` | the newest value of a polynomial through the last \`window\` frames | no delay; the higher the \`degree\`, the less noise it removes |
| \`butterworth\` | passes a band of frequencies | delay near the limits of the band |
| \`wavelet\` | shrinks details below the universal threshold of the last \`history\` frames | one transform per value |
| \`pca\` | retains what the subcarriers of a pair of antennas have in common: the strongest \`components\` | some work per frame |

All methods are causal: they use only earlier frames of the same link and layout.

- \`hampel\` compares each subcarrier's amplitude with the last \`window\` frames: if it is further than \`threshold\` standard
  deviations (1.4826 times the median absolute deviation) from their median, it becomes that median; its phase stays.
- \`butterworth\` uses second-order sections at \`rate_hz\` and starts in the steady state of the first frame. \`low_hz\` alone
  gives a high-pass, \`high_hz\` alone a low-pass, both a band-pass.
- \`wavelet\` thresholds softly by sqrt(2 ln n) times the noise of the finest details (\`sqtwolog\`, \`sln\`).
- \`pca\` tracks the components by one step of orthogonal iteration per frame, and passes frames unchanged until
  \`history\` frames have arrived.

Gotchas: being causal, \`hampel\` also flattens a value that reverses quickly after a long rise. A step of the
receiver's gain looks like an outlier until it fills half of the window. If more than half of a window holds the
same number (coarse quantisation of a still channel), every other number is an outlier. \`savitzky-golay\`,
\`butterworth\`, \`wavelet\` and \`pca\` assume evenly spaced frames: put \`resample\` before them otherwise. A
filter that removes the constant part yields negative amplitudes: the phase turns by half a circle.

With \`hampel\` and \`median\`, a value that is not a number becomes the median with phase 0; with the others it counts as the
previous one.

Sources: Davies and Gather, The identification of multiple outliers (1993); Savitzky and Golay (1964); Donoho, De-noising by
soft-thresholding (1995), with \`sym3\` as in FallDeFi (2018); Wang et al., CARM (MobiCom 2015), for components.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  module: import.meta.url,
  stateFields: [
    'method',
    'window',
    'degree',
    'order',
    'low_hz',
    'high_hz',
    'rate_hz',
    'components',
    'history',
    'part',
  ],
  timeFields: ['time'],
  config,
  examples: [
    { title: 'Remove outliers', config: { method: 'hampel' } },
    { title: 'Only gross outliers, judged by a longer history', config: { window: 21, threshold: 5 } },
    {
      title: 'Pass human movement: 0.3 to 30 Hz',
      config: { method: 'butterworth', low_hz: 0.3, high_hz: 30, rate_hz: 100 },
    },
    { title: 'Wavelets', config: { method: 'wavelet', wavelet: 'db4', history: 128 } },
    { title: 'What subcarriers have in common', config: { method: 'pca', components: 3 } },
  ],
  check: (settings) => [
    ...checkWindow(settings),
    ...(settings.method === 'butterworth' ? checkBand(settings) : []),
    ...checkPart(settings),
  ],
  create: (settings, context) =>
    filterFrames<unknown>(context, makeFilter(settings), (count) => {
      if (settings.method === 'hampel') context.metrics.count('outliers_replaced', count);
    }),
});

function checkWindow({ method, window, degree }: Config): Complaint[] {
  if (window % 2 === 0)
    return [
      {
        path: ['window'],
        message: `must be odd, for example ${window + 1}: then the median is one of the frames`,
      },
    ];
  return method === 'savitzky-golay' && degree >= window
    ? [{ path: ['degree'], message: `must be below window (${window}), otherwise nothing is smoothed` }]
    : [];
}

function checkBand({ low_hz, high_hz, rate_hz }: Config): Complaint[] {
  if (rate_hz === undefined)
    return [
      { path: [], message: '`method: butterworth` requires `rate_hz`, the frames per second of each link' },
    ];
  if (low_hz === undefined && high_hz === undefined)
    return [{ path: [], message: '`method: butterworth` requires `low_hz`, `high_hz` or both' }];
  if (low_hz !== undefined && high_hz !== undefined && low_hz >= high_hz)
    return [{ path: ['low_hz'], message: `must be below high_hz (${high_hz})` }];
  const field = high_hz === undefined ? 'low_hz' : 'high_hz';
  return (high_hz ?? low_hz!) >= rate_hz / 2
    ? [{ path: [field], message: `must be below half of rate_hz (${rate_hz / 2})` }]
    : [];
}

const checkPart = ({ method, part }: Config): Complaint[] =>
  part === 'complex' && (method === 'hampel' || method === 'median')
    ? [{ path: ['part'], message: `must be amplitude: \`${method}\` compares amplitudes` }]
    : [];

/** Creates the filter of one link and layout. */
function makeFilter(settings: Config): (layout: CsiLayout) => FrameFilter<unknown> {
  const { method, window, threshold, part, components, history } = settings;
  const maxGap = settings.max_gap_ms * 1000;
  switch (method) {
    case 'hampel':
      return (layout) => new SlidingHampel(frameSize(layout) / 2, window, threshold);
    case 'median':
      // Every value that differs from the median becomes the median.
      return (layout) => new SlidingHampel(frameSize(layout) / 2, window, 0);
    case 'savitzky-golay': {
      const weights = newestWeights(window, settings.degree);
      return (layout) =>
        new ColumnFilter(layout, part, maxGap, (columns) => new SlidingFit(columns, weights));
    }
    case 'butterworth': {
      const { low_hz: low, high_hz: high, rate_hz: rate } = settings;
      const sections = butterworth(settings.order, { low, high, rate: rate! });
      return (layout) =>
        new ColumnFilter(layout, part, maxGap, (columns) => new Sections(sections, columns, true));
    }
    case 'wavelet':
      return (layout) =>
        new ColumnFilter(
          layout,
          part,
          maxGap,
          (columns) => new SlidingShrinkage(columns, settings.wavelet, settings.levels, history),
        );
    case 'pca':
      return (layout) =>
        new ColumnFilter(
          layout,
          part,
          maxGap,
          (columns) => new PairSubspaces(columns, layout.rx * layout.tx, components, history),
        );
  }
}
