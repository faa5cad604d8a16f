import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import type { FrameMapper, Values } from '../shared/frame-mapper.js';
import { GainBaseline, type BaselineState } from './baseline.js';
import { GainSteps, type GainStepsState } from './gain-steps.js';
import { UnmeasuredRssi, type UnmeasuredRssiState } from './unmeasured-rssi.js';

/** So many frames in a row tell that a link has lost its RSSI, or that a problem is over. */
const LASTING_FRAMES = 100;
/** Noise assumed for a card of the Linux 802.11n CSI Tool that reports none, dBm (`get_scaled_csi.m`). */
const ASSUMED_NOISE_DBM = -92;

/** No receiver reports less: RSSI is a signed byte. */
const LOWEST_DBM = -128;

/** Frames by how they were scaled. */
export interface Used {
  compensated: number;
  /** By the gain of earlier frames; only with `steps`. */
  assumed?: number;
  unchanged: number;
}

/** Tells people what is wrong with a link's RSSI, and what follows. */
type Warn = (link: number, text: string) => void;

/** Inputs of a factor; one object for all frames. */
interface Reading {
  block: CsiBlock;
  frame: number;
  antenna: number;
  /** Mean |H|^2 of the values that are numbers. */
  power: number;
  /** Mean |H| of them, only with `mean`. */
  mean: number;
  /** Gain of the link's baseline, dB, of the antenna. */
  baseline: number;
  /** Gain between its steps, dB: mean power over received power in milliwatts. */
  steady: number;
}

type Method = 'mean' | 'rss' | 'steps' | 'snr' | 'gain' | 'auto';

const toDb = (ratio: number): number => 10 * Math.log10(ratio);
const fromDb = (db: number): number => 10 ** (db / 10);

/** NaN without a level that a receiver can measure: some send 0 or 1 instead of it. */
function rssiOf({ rssi }: CsiBlock, frame: number): number {
  const level = rssi[frame]!;
  return level >= LOWEST_DBM && level < 0 ? level : NaN;
}

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
  rss: ({ block, frame, power }) => Math.sqrt(fromDb(rssiOf(block, frame)) / power),
  steps: ({ steady }) => 10 ** (-steady / 20),
  snr: ({ block, frame, power }) => {
    const { rx, tx } = block.layout;
    // Per pair of antennas, `power` is a mean; this is the tool's sum over all of them, divided by 30
    // subcarriers.
    const scale = fromDb(rssiOf(block, frame)) / (power * rx * tx);
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
  rss: 'has no RSSI: use `method: steps`, which leaves such links as they are',
  steps: null,
  snr: 'has no RSSI: use `method: steps`, which leaves such links as they are',
  gain: 'does not report its gain: use `method: steps`, which reads RSSI',
  auto: 'does not report its gain: use `method: steps`, which reads RSSI',
};

interface ScalingState {
  readonly baselines: readonly BaselineState[];
  readonly steps: GainStepsState;
  readonly unmeasured: UnmeasuredRssiState;
  readonly isCompensated: boolean;
}

/** Checkpoints of earlier versions lack what these did not know. */
type EarlierState = Partial<ScalingState> & Pick<ScalingState, 'baselines'>;

/** Checkpoints before 0.5.0: gain of the first frame of each antenna, dB. */
interface OldState {
  readonly first: Float64Array;
}

/** Scales the frames of one link. */
export class Scaling implements FrameMapper<ScalingState> {
  readonly layout: CsiLayout;
  complaint: string | null = null;
  readonly #method: Method;
  readonly #used: Used;
  readonly #warn: Warn;
  /** Frames in a row without RSSI, and with one. */
  #missing = 0;
  #known = 0;
  /** The log says that the link lacks RSSI, and it has not recovered since. */
  #isTold = false;
  /** Frames in a row that could be scaled. */
  #good = 0;
  #reading: Reading | null = null;
  readonly #baselines: readonly GainBaseline[];
  readonly #steps = new GainSteps();
  readonly #unmeasured = new UnmeasuredRssi();
  /** The firmware compensates: `auto` found a value that no ESP32 measures. */
  #isCompensated = false;

  /** @param used counts all links' frames */
  constructor(layout: CsiLayout, method: Method, used: Used, warn: Warn) {
    this.layout = layout;
    this.#method = method;
    this.#used = used;
    this.#warn = warn;
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
    reading.power = meanOf('power', input, offset, size);
    if (this.#method === 'mean') reading.mean = meanOf('amplitude', input, offset, size);
    if (this.#method === 'steps') reading.steady = this.#steadyOf(reading);
    if (this.#stays(reading, input, offset, size)) return this.#leave(input, offset, size, output, to);
    const row = size / this.layout.rx;
    for (let antenna = 0; antenna < this.layout.rx; antenna++) {
      reading.antenna = antenna;
      reading.baseline = this.#baselineOf(block, frame, antenna);
      const factor = FACTORS[this.#method](reading);
      if (!(factor > 0 && factor < Infinity)) {
        if (!(reading.power > 0)) return 'no_amplitude';
        this.complaint = NEEDS[this.#method];
        this.#good = 0;
        return 'gain_unknown';
      }
      for (let i = antenna * row; i < (antenna + 1) * row; i++) output[to + i] = input[offset + i]! * factor;
    }
    if (++this.#good >= LASTING_FRAMES) this.complaint = null;
    if (this.#missing > 0 || this.#unmeasured.isFound) this.#used.assumed!++;
    else this.#used.compensated++;
    return null;
  }

  /** Whether the link's frames need no correction, or cannot have one. */
  #stays({ power }: Reading, input: Values, offset: number, size: number): boolean {
    if (this.#method === 'steps') return power > 0 && this.#steps.isUnused;
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

  /** Without RSSI, the last gain; NaN if there is none. */
  #steadyOf({ block, frame, power }: Reading): number {
    if (!(power > 0)) return NaN;
    const level = toDb(power);
    const rssi = rssiOf(block, frame);
    if (Number.isFinite(level - rssi)) {
      if (++this.#known >= LASTING_FRAMES) this.#isTold = false;
      this.#missing = 0;
      return this.#gainBy(level, rssi, block.link[frame]!);
    }
    this.#known = 0;
    if (++this.#missing >= LASTING_FRAMES && !this.#isTold) {
      this.#isTold = true;
      const last = this.#unmeasured.isFound ? 'mean' : 'last';
      const what = this.#steps.isUnused ? 'its frames stay as they are' : `its ${last} gain is assumed`;
      this.#warn(block.link[frame]!, `has no RSSI: ${what}`);
    }
    return this.#unmeasured.isFound ? this.#unmeasured.gain : this.#steps.last;
  }

  #gainBy(level: number, rssi: number, link: number): number {
    const steady = this.#steps.see(level - rssi);
    const wasFound = this.#unmeasured.isFound;
    this.#unmeasured.see(level, rssi);
    const { isFound } = this.#unmeasured;
    if (isFound && !wasFound)
      this.#warn(
        link,
        `reports ${rssi} dBm for every packet although its level changes, so RSSI is not measured: its mean gain is assumed`,
      );
    if (wasFound && !isFound) this.#warn(link, 'has changed its RSSI, so it counts as measured again');
    return isFound ? this.#unmeasured.gain : steady;
  }

  snapshot(): ScalingState {
    return {
      steps: this.#steps.snapshot(),
      unmeasured: this.#unmeasured.snapshot(),
      baselines: this.#baselines.map((one) => one.snapshot()),
      isCompensated: this.#isCompensated,
    };
  }

  restore(state: EarlierState | OldState): void {
    const { steps, unmeasured, isCompensated, baselines } = 'first' in state ? fromFirst(state) : state;
    if (steps) this.#steps.restore(steps);
    if (unmeasured) this.#unmeasured.restore(unmeasured);
    for (const [antenna, one] of this.#baselines.entries()) one.restore(baselines[antenna]!);
    this.#isCompensated = isCompensated ?? false;
  }
}

const fromFirst = ({ first }: OldState): EarlierState => ({
  baselines: Array.from(first, (reference) => ({ gains: new Float64Array(0), reference })),
});

/** True if a number cannot be one that an ESP32 measured: they have 8 bits. */
function exceedsByte(values: Values, offset: number, size: number): boolean {
  for (let i = offset; i < offset + size; i++) if (values[i]! < -128 || values[i]! > 127) return true;
  return false;
}

/** Mean power, or mean amplitude, of the values that are numbers. */
function meanOf(what: 'power' | 'amplitude', values: Values, offset: number, size: number): number {
  const isPower = what === 'power';
  let count = 0;
  let sum = 0;
  for (let i = offset; i < offset + size; i += 2) {
    const power = values[i]! * values[i]! + values[i + 1]! * values[i + 1]!;
    if (!(power < Infinity)) continue;
    count++;
    sum += isPower ? power : Math.sqrt(power);
  }
  return sum / count;
}
