import { Type } from 'typebox';
import { choice, defineOperator } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import { GainBaseline, type BaselineState } from './baseline.js';
import { GainSteps, type GainStepsState } from './gain-steps.js';
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
| \`steps\` | the gain cancels that \`rss\` would remove, averaged over ten frames between its steps of more than 1 dB | RSSI; links that never had one stay as they are |
| \`snr\` | its mean power is the signal-to-noise ratio, quantisation noise included (\`get_scaled_csi.m\` of the Linux 802.11n CSI Tool) | RSSI; noise (default: -92 dBm) |
| \`gain\` | the receiver's reported gain cancels: divided by 10^((agc - agc0 + fft - fft0) / 20), where agc0 and fft0 are those of the frame with the median agc among the link's first 50 (until then, among those so far); each antenna separately | gain columns in dB (ESP32-C3, S3, C5, C6, C61; Intel 5300) |
| \`auto\` | as \`gain\`, until a value does not fit a signed byte: then the firmware compensates already, and that link's frames stay as they are | gain columns of an ESP32 |

Frames without the required values are dropped as \`gain_unknown\`, and the node is degraded and names the link; frames without any amplitude are dropped as \`no_amplitude\`. If only the gain of the analogue stages is known, the other one counts as constant.

Before \`infer-pose\`, use \`steps\`: the gain of many receivers, such as an ESP32, follows the level of the packets, and hides
what positions rely on. Where the gain is steady, it changes little.

Gotchas: \`mean\` also removes the effect of a body on all subcarriers together. Behind it, \`infer-pose\` sees nobody. RSSI is in whole decibels, so \`rss\` and
\`snr\` jitter by up to 6 % of the amplitude, and \`steps\` does where the gain changes by more than 1 dB from frame to frame; a
frame whose RSSI is wrong keeps that error, and \`denoise\` takes out single ones. Recent firmware of Espressif compensates the gain before it prints the values,
which must not be done twice: \`auto\` recognises most of it by its values, and health shows how many frames were compensated. The format \`intel5300-scaled\` already applies \`snr\`.

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
      method: choice(
        {
          mean: 'To a mean amplitude of 1; requires nothing.',
          rss: 'To the received power in milliwatts; requires RSSI.',
          steps:
            'As `rss`, with a gain that is averaged between its steps; links without RSSI stay as they are.',
          snr: 'To the signal-to-noise ratio; requires RSSI.',
          gain: 'By the gain that the receiver reports; requires its columns.',
          auto: 'As `gain`, unless the firmware compensates already; requires the columns of an ESP32.',
        },
        { default: 'mean', description: 'What frames are scaled to.' },
      ),
    },
    { additionalProperties: false },
  ),
  examples: [
    { title: 'A mean amplitude of 1', config: {} },
    { title: 'A receiver with steps of gain that it does not report', config: { method: 'steps' } },
    { title: 'By the gain that the receiver reports', config: { method: 'gain' } },
  ],
  create: ({ method }, context) => {
    const used = { compensated: 0, unchanged: 0 };
    const operator = mapFrames(context, (layout) => new Scaling(layout, method, used));
    return method === 'auto' || method === 'steps'
      ? { ...operator, describe: () => ({ frames: { ...used } }) }
      : operator;
  },
});

/** Inputs of a factor; one object for all frames. */
interface Reading {
  block: CsiBlock;
  frame: number;
  antenna: number;
  /** Mean |H|^2 and mean |H| of the values that are numbers. */
  power: number;
  mean: number;
  /** Gain of the link's baseline, dB, of the antenna. */
  baseline: number;
  /** Gain between its steps, dB: mean power over received power in milliwatts. */
  steady: number;
}

type Method = 'mean' | 'rss' | 'steps' | 'snr' | 'gain' | 'auto';

const toDb = (ratio: number): number => 10 * Math.log10(ratio);
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
  steps: ({ steady }) => 10 ** (-steady / 20),
  snr: ({ block, frame, power }) => {
    const { rx, tx } = block.layout;
    // Per pair of antennas, `power` is a mean; this is the tool's sum over all of them, divided by 30
    // subcarriers.
    const scale = fromDb(block.rssi[frame]!) / (power * rx * tx);
    const noise = Number.isNaN(block.noise[frame]!) ? ASSUMED_NOISE_DBM : block.noise[frame]!;
    const streams = tx === 2 ? Math.SQRT2 : tx === 3 ? Math.sqrt(fromDb(4.5)) : 1;
    return Math.sqrt(scale / (fromDb(noise) + scale * rx * tx)) * streams;
  },
  gain: byGain,
  auto: byGain,
};

function byGain({ block, frame, antenna, baseline }: Reading): number {
  return 10 ** ((baseline - gainOf(block, frame, antenna)) / 20);
}

const NEEDS: Readonly<Record<Method, string | null>> = {
  mean: null,
  rss: 'has no RSSI: use `method: mean`',
  steps: 'no longer has an RSSI: remove this node, or use `method: gain` if the receiver reports its gain',
  snr: 'has no RSSI: use `method: mean`',
  gain: 'does not report its gain: use `method: mean`',
  auto: 'does not report its gain: use `method: mean`',
};

interface ScalingState {
  readonly baselines: readonly BaselineState[];
  readonly steps: GainStepsState;
  readonly isCompensated: boolean;
}

/** Checkpoints before 0.5.0: gain of the first frame of each antenna, dB. */
interface OldState {
  readonly first: Float64Array;
}

/** Scales the frames of one link. */
class Scaling implements FrameMapper<ScalingState> {
  readonly layout: CsiLayout;
  complaint: string | null = null;
  readonly #method: Method;
  readonly #used: { compensated: number; unchanged: number };
  #reading: Reading | null = null;
  readonly #baselines: readonly GainBaseline[];
  readonly #steps = new GainSteps();
  /** The firmware compensates: `auto` found a value that no ESP32 measures. */
  #isCompensated = false;

  /** @param used counts frames with and without a correction */
  constructor(layout: CsiLayout, method: Method, used: { compensated: number; unchanged: number }) {
    this.layout = layout;
    this.#method = method;
    this.#used = used;
    this.#baselines = Array.from({ length: layout.rx }, () => new GainBaseline());
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
    const reading = (this.#reading ??= {
      block,
      frame,
      antenna: 0,
      power: 0,
      mean: 0,
      baseline: 0,
      steady: 0,
    });
    reading.block = block;
    reading.frame = frame;
    measure(input, offset, size, reading);
    reading.steady = this.#steadyOf(reading);
    if (this.#stays(reading, input, offset, size)) return this.#leave(input, offset, size, output, to);
    const row = size / this.layout.rx;
    for (let antenna = 0; antenna < this.layout.rx; antenna++) {
      reading.antenna = antenna;
      reading.baseline = this.#baselineOf(block, frame, antenna);
      const factor = FACTORS[this.#method](reading);
      if (!(factor > 0 && factor < Infinity)) {
        if (!(reading.power > 0)) return 'no_amplitude';
        this.complaint = NEEDS[this.#method];
        return 'gain_unknown';
      }
      for (let i = antenna * row; i < (antenna + 1) * row; i++) output[to + i] = input[offset + i]! * factor;
    }
    this.complaint = null;
    this.#used.compensated++;
    return null;
  }

  /** Whether the link's frames need no correction, or cannot have one. */
  #stays({ block, frame }: Reading, input: Values, offset: number, size: number): boolean {
    if (this.#method === 'steps') return Number.isNaN(block.rssi[frame]!) && this.#steps.isUnused;
    if (this.#method !== 'auto') return false;
    this.#isCompensated ||= exceedsByte(input, offset, size);
    return this.#isCompensated;
  }

  /** Copies a frame. */
  #leave(input: Values, offset: number, size: number, output: Values, to: number): null {
    for (let i = 0; i < size; i++) output[to + i] = input[offset + i]!;
    this.complaint = null;
    this.#used.unchanged++;
    return null;
  }

  #baselineOf(block: CsiBlock, frame: number, antenna: number): number {
    if (this.#method !== 'gain' && this.#method !== 'auto') return NaN;
    // Without a gain the frame is dropped.
    if (Number.isNaN(gainOf(block, frame, antenna))) return NaN;
    return this.#baselines[antenna]!.see(
      block.agc[frame * block.layout.rx + antenna]!,
      block.fftGain[frame]!,
    );
  }

  /** Without a gain the frame is dropped. */
  #steadyOf({ block, frame, power }: Reading): number {
    if (this.#method !== 'steps') return NaN;
    const gain = toDb(power) - block.rssi[frame]!;
    return Number.isFinite(gain) ? this.#steps.see(gain) : NaN;
  }

  snapshot(): ScalingState {
    return {
      steps: this.#steps.snapshot(),
      baselines: this.#baselines.map((one) => one.snapshot()),
      isCompensated: this.#isCompensated,
    };
  }

  restore(state: ScalingState | Omit<ScalingState, 'steps'> | OldState): void {
    const baselines =
      'first' in state
        ? Array.from(state.first, (reference) => ({ gains: new Float64Array(0), reference }))
        : state.baselines;
    if ('steps' in state) this.#steps.restore(state.steps);
    for (const [antenna, one] of this.#baselines.entries()) one.restore(baselines[antenna]!);
    this.#isCompensated = 'isCompensated' in state && state.isCompensated;
  }
}

/** True if a number cannot be one that an ESP32 measured: they have 8 bits. */
function exceedsByte(values: Values, offset: number, size: number): boolean {
  for (let i = offset; i < offset + size; i++) if (values[i]! < -128 || values[i]! > 127) return true;
  return false;
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
