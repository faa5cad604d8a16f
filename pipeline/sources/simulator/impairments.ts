import type { Band } from './band.js';
import { GainControl, STEADY, type FollowingOptions } from './gain-control.js';
import { EXACT, RssiMeter, type RssiOptions } from './rssi.js';
import type { Random } from './shared/random.js';

/**
 * Effects of a cheap receiver on the channel. Every value is configurable; `NO_IMPAIRMENTS` turns all of them
 * off.
 */
export interface ImpairmentOptions {
  /** Signal-to-noise ratio of each link, decibels, drawn from this range; Infinity for no noise. */
  readonly snrDb: readonly [number, number];
  /** Standard deviation of the packet detection delay, nanoseconds: a new phase slope in each packet. */
  readonly delayNs: number;
  /** A new phase in each packet (carrier frequency offset). */
  readonly randomPhase: boolean;
  /** Standard deviation of the device's own frequency response: relative amplitude, and radians. */
  readonly response: readonly [number, number];
  /**
   * Steps of the automatic gain control per second, and their maximum size after correction by RSSI,
   * decibels.
   */
  readonly gain: { readonly stepsPerSecond: number; readonly residualDb: number };
  /** Gain control that follows the level, besides `gain`. */
  readonly following: FollowingOptions;
  readonly rssi: RssiOptions;
  /**
   * Share of packets lost, in bursts of `burst` packets on average; each link draws its own share from this
   * range.
   */
  readonly loss: readonly [number, number];
  readonly burst: number;
  /** Bits of the real and of the imaginary part; 0: not quantised. */
  readonly bits: number;
  /** Error of the measured profile of the empty room, decibels. */
  readonly calibrationDb: number;
  /**
   * Standard deviation of a packet's time, milliseconds. For the source component; training sequences stay on
   * their grid.
   */
  readonly jitterMs: number;
}

export const IMPAIRMENTS: ImpairmentOptions = {
  snrDb: [15, 35],
  delayNs: 30,
  randomPhase: true,
  response: [0.12, 0.2],
  gain: { stepsPerSecond: 0.4, residualDb: 1 },
  following: STEADY,
  rssi: EXACT,
  loss: [0, 0.2],
  burst: 3,
  bits: 8,
  calibrationDb: 0.4,
  jitterMs: 1,
};

export const NO_IMPAIRMENTS: ImpairmentOptions = {
  snrDb: [Infinity, Infinity],
  delayNs: 0,
  randomPhase: false,
  response: [0, 0],
  gain: { stepsPerSecond: 0, residualDb: 0 },
  following: STEADY,
  rssi: EXACT,
  loss: [0, 0],
  burst: 1,
  bits: 0,
  calibrationDb: 0,
  jitterMs: 0,
};

/** Mean amplitude of a link in the empty room after gain control, in steps of the converter. */
const LEVEL = 30;

/** Effects on each packet of a link besides noise. */
export interface PacketPlan {
  /** 1 if the packet arrives. */
  readonly present: Uint8Array;
  /** Gain not explained by RSSI, as a factor. */
  readonly gain: Float32Array;
}

/** The receiver of one link: Y = g(n) e^{-j 2 pi f tau(n)} e^{j phi(n)} q(k) H(k) + w, quantised. */
export class Receiver {
  readonly #options: ImpairmentOptions;
  readonly #offsets: Float64Array;
  /** [antennas, subcarriers, 2], the level included. */
  readonly #response: Float64Array;
  readonly #noise: number;
  readonly #loss: number;
  readonly control: GainControl;
  readonly rssi: RssiMeter;
  /** Mean received power in the empty room relative to the transmitted power, decibels. */
  readonly pathGainDb: number;
  /** In the empty room, decibels. */
  readonly snrDb: number;

  /**
   * `empty` is the clean channel of the empty room, [antennas, subcarriers, 2]; `control` draws its gain control and
   * the errors of its RSSI.
   */
  constructor(random: Random, control: Random, options: ImpairmentOptions, band: Band, empty: Float64Array) {
    this.#options = options;
    this.control = new GainControl(control, options.following);
    this.rssi = new RssiMeter(control, options.rssi);
    this.#offsets = band.offsets;
    let power = 0;
    for (const value of empty) power += value * value;
    const mean = Math.sqrt((2 * power) / empty.length);
    this.pathGainDb = 20 * Math.log10(mean);
    const count = band.offsets.length;
    this.#response = new Float64Array(empty.length);
    for (let antenna = 0; antenna < empty.length / (2 * count); antenna++) {
      const shared = options.randomPhase ? random.uniform(0, 2 * Math.PI) : 0;
      for (let k = 0; k < count; k++) {
        const amplitude = (LEVEL / mean) * Math.max(0.3, 1 + options.response[0] * random.normal());
        const phase = shared + options.response[1] * random.normal();
        this.#response[2 * (antenna * count + k)] = amplitude * Math.cos(phase);
        this.#response[2 * (antenna * count + k) + 1] = amplitude * Math.sin(phase);
      }
    }
    this.snrDb = Number.isFinite(options.snrDb[0]) ? random.uniform(...options.snrDb) : Infinity;
    this.#noise = (LEVEL * 10 ** (-this.snrDb / 20)) / Math.SQRT2;
    this.#loss = random.uniform(...options.loss);
  }

  /** Loss and gain of `count` packets at `rate` per second. */
  plan(random: Random, count: number, rate: number): PacketPlan {
    const present = new Uint8Array(count);
    const gain = new Float32Array(count);
    const { burst, gain: agc } = this.#options;
    // Gilbert's two-state chain: bursts of `burst` packets that add up to the share of loss. Bursts are
    // longer if back-to-back bursts of that length would not reach it.
    const odds = this.#loss / (1 - this.#loss);
    const leave = 1 / Math.max(1, burst, odds);
    const enter = leave * odds;
    let lost = random.chance(this.#loss);
    const step = () => 10 ** ((agc.residualDb * random.uniform(-1, 1)) / 20);
    let level = step();
    for (let n = 0; n < count; n++) {
      lost = random.chance(lost ? 1 - leave : enter);
      if (random.chance(agc.stepsPerSecond / rate)) level = step();
      present[n] = lost ? 0 : 1;
      gain[n] = level;
    }
    return { present, gain };
  }

  /**
   * Converts one packet: `clean` [antennas, subcarriers, 2] at `from` to the receiver's report, in `out` at
   * `to`.
   *
   * @param amplification the gain of its control, which amplifies the noise as well
   */
  receive(
    random: Random,
    gain: number,
    clean: Float64Array,
    from: number,
    out: Float32Array | Float64Array,
    to: number,
    amplification = 1,
  ): void {
    const { bits, delayNs, randomPhase } = this.#options;
    const response = this.#response;
    const offsets = this.#offsets;
    const delay = 2 * Math.PI * delayNs * 1e-9 * (delayNs > 0 ? random.normal() : 0);
    const phase = randomPhase ? random.uniform(0, 2 * Math.PI) : 0;
    const limit = bits > 0 ? 2 ** (bits - 1) - 1 : Infinity;
    const total = gain * amplification;
    const noise = this.#noise * amplification;
    const count = offsets.length;
    for (let antenna = 0, i = 0; i < response.length; antenna++) {
      for (let k = 0; k < count; k++, i += 2) {
        const turn = phase - delay * offsets[k]!;
        const cos = total * Math.cos(turn);
        const sin = total * Math.sin(turn);
        const a = clean[from + i]! * response[i]! - clean[from + i + 1]! * response[i + 1]!;
        const b = clean[from + i]! * response[i + 1]! + clean[from + i + 1]! * response[i]!;
        let re = a * cos - b * sin;
        let im = a * sin + b * cos;
        if (noise > 0) {
          re += noise * random.normal();
          im += noise * random.normal();
        }
        if (bits > 0) {
          re = Math.round(Math.max(-limit, Math.min(limit, re)));
          im = Math.round(Math.max(-limit, Math.min(limit, im)));
        }
        out[to + i] = re;
        out[to + i + 1] = im;
      }
    }
  }

  /** Error of the receiver's level when the empty room was measured, as a factor. */
  drift(random: Random): number {
    return 10 ** ((this.#options.calibrationDb * random.normal()) / 20);
  }

  /**
   * The profile that a calibration of the empty room measures: long averages, so only its level has an error.
   */
  calibrate(random: Random, empty: Float64Array, out: Float32Array, to: number): void {
    const response = this.#response;
    const error = this.drift(random);
    for (let i = 0; i < response.length; i += 2) {
      out[to + i] = error * (empty[i]! * response[i]! - empty[i + 1]! * response[i + 1]!);
      out[to + i + 1] = error * (empty[i]! * response[i + 1]! + empty[i + 1]! * response[i]!);
    }
  }
}
