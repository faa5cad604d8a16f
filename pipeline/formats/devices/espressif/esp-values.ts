import { csiLayout, type CsiLayout } from '../../../model/index.js';
import type { EspField } from './esp-carriers.js';
import type { ReadFrame } from '../../decoder/frame-decoder.js';
import { channelMhz } from '../../radio/wifi-channel.js';

/** Numbers of an ESP32's buffer in its order: imaginary, real, imaginary, ... */
export type EspNumbers = Int16Array | Int8Array;

/** Position and encoding of a frame's numbers. */
export interface EspReading {
  /** Primary channel; 0 if unknown. */
  readonly channel: number;
  /** 0 none, 1 above, 2 below; null if unknown. */
  readonly secondary: number | null;
  /** The first four bytes hold no measurement. */
  readonly firstWordInvalid: boolean;
  /** The real part of each pair is first: 12-bit buffers. */
  readonly realFirst?: boolean;
}

/** The channel of most ESP-IDF examples: assumed if a record has none. */
const ASSUMED_CHANNEL = 6;

/**
 * The fields of a buffer as parts of a frame. The lower half of 40 MHz is rotated by 90 degrees: see {@link
 * copyField}.
 */
export function espParts(
  numbers: EspNumbers,
  fields: readonly EspField[],
  reading: EspReading,
): ReadFrame['parts'] {
  const skipped = reading.firstWordInvalid ? 2 : 0;
  return fields.map((of) => {
    const field = skipped === 0 ? of : withoutPairs(of, skipped);
    return {
      layout: layoutOf(field, reading),
      fill: (values, at) => {
        copyField(numbers, field, reading.realFirst === true, values, at);
      },
    };
  });
}

/**
 * Copies a field's pairs as (real, imaginary). A 40 MHz frame is sent with its upper half rotated by +90
 * degrees (IEEE 802.11-2020 19.3.9.3.3), and an ESP32 does not undo that: the lower half is rotated by the
 * same angle, so that the phase is one line over both.
 */
function copyField(
  numbers: EspNumbers,
  { pairs, subcarriers, bandwidthMhz }: EspField,
  realFirst: boolean,
  values: Float32Array,
  at: number,
): void {
  for (let i = 0; i < pairs.length; i++) {
    const first = numbers[2 * pairs[i]!]!;
    const second = numbers[2 * pairs[i]! + 1]!;
    const re = realFirst ? first : second;
    const im = realFirst ? second : first;
    const turned = bandwidthMhz === 40 && subcarriers[i]! < 0;
    // 0 - im, because comparisons of results distinguish -0 from 0.
    values[at++] = turned ? 0 - im : re;
    values[at++] = turned ? re : im;
  }
}

/** The inverse of {@link copyField}: puts values at their positions in a buffer. */
export function fillField(
  numbers: EspNumbers,
  { pairs, subcarriers, bandwidthMhz }: EspField,
  values: ArrayLike<number>,
  realFirst = false,
): void {
  for (let i = 0; i < pairs.length; i++) {
    const turned = bandwidthMhz === 40 && subcarriers[i]! < 0;
    const re = turned ? values[2 * i + 1]! : values[2 * i]!;
    const im = turned ? -values[2 * i]! : values[2 * i + 1]!;
    numbers[2 * pairs[i]!] = realFirst ? re : im;
    numbers[2 * pairs[i]! + 1] = realFirst ? im : re;
  }
}

const shortened = new WeakMap<EspField, EspField>();

/** The field without the carriers of the buffer's first pairs. */
function withoutPairs(field: EspField, count: number): EspField {
  let rest = shortened.get(field);
  if (!rest) {
    const active = Array.from(field.pairs.keys()).filter((i) => field.pairs[i]! >= count);
    rest = {
      ...field,
      subcarriers: Int16Array.from(active, (i) => field.subcarriers[i]!),
      pairs: Uint16Array.from(active, (i) => field.pairs[i]!),
    };
    shortened.set(field, rest);
  }
  return rest;
}

/** By field, and in it by the centre's MHz: a bounded number of both. */
const layouts = new WeakMap<EspField, Map<number, CsiLayout>>();

function layoutOf(field: EspField, { channel, secondary }: EspReading): CsiLayout {
  const primary = channelMhz(channel) ?? channelMhz(ASSUMED_CHANNEL)!;
  const offset = secondary === 1 ? 10 : secondary === 2 ? -10 : 0;
  const centreMhz = primary + (field.bandwidthMhz === 40 ? offset : 0);
  let known = layouts.get(field);
  if (!known) layouts.set(field, (known = new Map<number, CsiLayout>()));
  let layout = known.get(centreMhz);
  if (!layout) {
    const { bandwidthMhz, subcarriers, training } = field;
    layout = csiLayout({ rx: 1, tx: 1, subcarriers, bandwidthMhz, centreMhz, training });
    known.set(centreMhz, layout);
  }
  return layout;
}

/**
 * Whole numbers separated by commas or blanks; null if there is anything else in between, or a number exceeds
 * 16 bits.
 */
export function parseNumbers(text: string): Int16Array | null {
  const numbers = new Int16Array(text.length);
  let count = 0;
  for (let i = 0; i < text.length;) {
    let code = text.charCodeAt(i);
    if (code === COMMA || code === BLANK) {
      i++;
      continue;
    }
    const negative = code === MINUS;
    if (negative) code = text.charCodeAt(++i);
    let value = -1;
    for (; code >= ZERO && code <= ZERO + 9; code = text.charCodeAt(++i)) {
      value = Math.max(value, 0) * 10 + code - ZERO;
      if (value > 32_767) return null;
    }
    if (value < 0) return null;
    numbers[count++] = negative ? -value : value;
  }
  return numbers.subarray(0, count);
}

const COMMA = 0x2c;
const BLANK = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;

/** True if a number of the buffer does not fit a signed byte. */
export const exceedsByte = (numbers: EspNumbers): boolean =>
  numbers.some((value) => value < -128 || value > 127);

/** The ESP32's clock: microseconds since it was started, wrapping after 71.6 minutes. */
export const ESP_CLOCK = { unit: 1, period: 2 ** 32, confirm: 3 };

/** A stamp of that clock, which some programs print with a sign; null if it is not one. */
export const espStamp = (stamp: number): number | null =>
  Number.isInteger(stamp) && Math.abs(stamp) < 2 ** 32 ? stamp >>> 0 : null;
