import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import { mapFrames, type FrameMapper, type Values } from '../shared/frame-mapper.js';

/** Noise assumed for a card of the Linux 802.11n CSI Tool that reports none, dBm (`get_scaled_csi.m`). */
const ASSUMED_NOISE_DBM = -92;

export const normalizeGain = defineOperator({
  name: 'normalize-gain',
  summary: "Removes the receiver's gain from the amplitudes.",
  description: `
Use it before anything that compares amplitudes of different packets, on receivers whose automatic gain control changes
between them. It scales each frame as a whole; phases, and amplitudes within the frame, keep their ratios.

| method | each frame is scaled so that | requires |
|---|---|---|
| \`mean\` | its mean amplitude is 1 (SHARP) | nothing |
| \`rss\` | its mean power is the received power in milliwatts | RSSI |
| \`snr\` | its mean power is the signal-to-noise ratio, quantisation noise included (\`get_scaled_csi.m\` of the Linux 802.11n CSI Tool) | RSSI; noise (default: -92 dBm) |
| \`gain\` | the receiver's reported gain cancels: divided by 10^((agc - agc0 + fft - fft0) / 20), where agc0 and fft0 are those of the link's first frame; each antenna separately | gain columns in dB (ESP32-C3, S3, C5, C6, C61; Intel 5300) |

Frames without the required values are dropped as \`gain_unknown\`, and the node is degraded and names the link; frames without any amplitude are dropped as \`no_amplitude\`. If only the gain of the analogue stages is known, the other one counts as constant.

Gotchas: \`mean\` also removes the effect of a body on all subcarriers together. RSSI is in whole decibels, so \`rss\` and
\`snr\` jitter by up to 6 % of the amplitude. Recent firmware of Espressif compensates the gain before it prints the values: do
not do it twice. The format \`intel5300-scaled\` already applies \`snr\`.

Sources: Meneghello et al., SHARP (TMC 2022); Halperin et al., Tool Release (CCR 2011); \`scale_csi_frame\` of CSIKit; esp-csi,
\`compensate_rx_gain\`.
`,
  inputs: ['csi'],
  outputs: ['csi'],
  stateFields: ['method'],
  needsAmplitude: ({ method }) =>
    method === 'mean' ? undefined : `to scale them by \`method: ${method}\`; \`mean\` works without them`,
  config: Type.Object(
    {
      method: Type.Union(
        [Type.Literal('mean'), Type.Literal('rss'), Type.Literal('snr'), Type.Literal('gain')],
        { default: 'mean', description: 'The method; see above.' },
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'A mean amplitude of 1', config: {} },
    { title: 'By the gain that the receiver reports', config: { method: 'gain' } },
  ],
  create: ({ method }, context) =>
    mapFrames(context, (layout) => new Scaling(layout, FACTORS[method], NEEDS[method])),
});

/** Inputs of a factor; one object for all frames. */
interface Reading {
  block: CsiBlock;
  frame: number;
  antenna: number;
  /** Mean |H|^2 and mean |H| of the values that are numbers. */
  power: number;
  mean: number;
  /** Gain of the link's first frame, dB, of the antenna; NaN before it. */
  first: number;
}

type Method = 'mean' | 'rss' | 'snr' | 'gain';

const fromDb = (db: number): number => 10 ** (db / 10);

/** Gain of an antenna, dB; NaN if the receiver reports none. */
function gainOf({ agc, fftGain, layout }: CsiBlock, frame: number, antenna: number): number {
  const analogue = agc[frame * layout.rx + antenna]!;
  const digital = fftGain[frame]!;
  return (
    (Number.isNaN(analogue) ? 0 : analogue) +
    (Number.isNaN(digital) ? (Number.isNaN(analogue) ? NaN : 0) : digital)
  );
}

/** The factor for amplitudes; not finite if unknown. */
const FACTORS: Readonly<Record<Method, (reading: Reading) => number>> = {
  mean: ({ mean }) => 1 / mean,
  rss: ({ block, frame, power }) => Math.sqrt(fromDb(block.rssi[frame]!) / power),
  snr: ({ block, frame, power }) => {
    const { rx, tx } = block.layout;
    // Per pair of antennas, `power` is a mean; this is the tool's sum over all of them, divided by 30
    // subcarriers.
    const scale = fromDb(block.rssi[frame]!) / (power * rx * tx);
    const noise = Number.isNaN(block.noise[frame]!) ? ASSUMED_NOISE_DBM : block.noise[frame]!;
    const streams = tx === 2 ? Math.SQRT2 : tx === 3 ? Math.sqrt(fromDb(4.5)) : 1;
    return Math.sqrt(scale / (fromDb(noise) + scale * rx * tx)) * streams;
  },
  gain: ({ block, frame, antenna, first }) => 10 ** ((first - gainOf(block, frame, antenna)) / 20),
};

const NEEDS: Readonly<Record<Method, string | null>> = {
  mean: null,
  rss: 'has no RSSI: use `method: mean`',
  snr: 'has no RSSI: use `method: mean`',
  gain: 'does not report its gain: use `method: mean`',
};

interface ScalingState {
  /** Gain of the first frame of each antenna, dB; NaN before it. */
  readonly first: Float64Array;
}

/** Scales the frames of one link. */
class Scaling implements FrameMapper<ScalingState> {
  readonly layout: CsiLayout;
  complaint: string | null = null;
  readonly #factor: (reading: Reading) => number;
  readonly #need: string | null;
  #reading: Reading | null = null;
  readonly #first: Float64Array;

  constructor(layout: CsiLayout, factor: (reading: Reading) => number, need: string | null) {
    this.layout = layout;
    this.#factor = factor;
    this.#need = need;
    this.#first = new Float64Array(layout.rx).fill(NaN);
  }

  apply(
    input: Values,
    offset: number,
    output: Values,
    to: number,
    block: CsiBlock,
    frame: number,
  ): string | null {
    const size = frameSize(this.layout);
    const reading = (this.#reading ??= { block, frame, antenna: 0, power: 0, mean: 0, first: 0 });
    reading.block = block;
    reading.frame = frame;
    measure(input, offset, size, reading);
    const row = size / this.layout.rx;
    for (let antenna = 0; antenna < this.layout.rx; antenna++) {
      if (Number.isNaN(this.#first[antenna]!)) this.#first[antenna] = gainOf(block, frame, antenna);
      reading.antenna = antenna;
      reading.first = this.#first[antenna]!;
      const factor = this.#factor(reading);
      if (!(factor > 0 && factor < Infinity)) {
        if (!(reading.power > 0)) return 'no_amplitude';
        this.complaint = this.#need;
        return 'gain_unknown';
      }
      for (let i = antenna * row; i < (antenna + 1) * row; i++) output[to + i] = input[offset + i]! * factor;
    }
    this.complaint = null;
    return null;
  }

  snapshot(): ScalingState {
    return { first: this.#first.slice() };
  }

  restore({ first }: ScalingState): void {
    this.#first.set(first);
  }
}

/** Mean amplitude and mean power of the values that are numbers. */
function measure(values: Values, offset: number, size: number, reading: Reading): void {
  let [count, sum, squares] = [0, 0, 0];
  for (let i = offset; i < offset + size; i += 2) {
    const power = values[i]! ** 2 + values[i + 1]! ** 2;
    if (!(power < Infinity)) continue;
    count++;
    sum += Math.sqrt(power);
    squares += power;
  }
  reading.mean = sum / count;
  reading.power = squares / count;
}
