import type { TrainingField } from '../../../model/index.js';

/**
 * Which carriers the bytes of an ESP32's CSI buffer are (ESP-IDF, "Wi-Fi Channel State Information";
 * espressif/esp-csi). The buffer consists of consecutive training fields of pairs (imaginary, real). Carriers
 * without a signal (guards, the middle) are dropped; those of a 20 MHz field in a 40 MHz channel are counted
 * from the middle of the primary channel.
 */
export interface EspField {
  readonly training: TrainingField;
  readonly bandwidthMhz: 20 | 40;
  /** Ascending. */
  readonly subcarriers: Int16Array;
  /** Pair of each of them in the buffer. */
  readonly pairs: Uint16Array;
}

/** Properties of a buffer besides its pairs. */
export interface EspBuffer {
  readonly pairs: number;
  /** True if the columns are those of an ESP32-C5, C6 or C61: carriers ascend, and there is only one field. */
  readonly ascending: boolean;
  /** 0 none, 1 above, 2 below; null if unknown, as the chip then is. */
  readonly secondary: number | null;
  readonly wide: boolean | null;
  readonly stbc: boolean | null;
  /** False for a frame of 802.11a or g; null if unknown. */
  readonly ht: boolean | null;
  /** True if carriers without a signal were removed (esp-radar). */
  readonly filtered: boolean;
}

/** True if a pair is (0, 0). */
export type IsZero = (pair: number) => boolean;

/** Fields of a buffer; undefined if no frame has that many pairs. If the columns do not decide, the pairs do. */
export function espFields(buffer: EspBuffer, isZero: IsZero): readonly EspField[] | undefined {
  const { pairs, filtered, ascending, secondary } = buffer;
  if (filtered && FILTERED.has(pairs)) return FILTERED.get(pairs);
  if (C5.has(pairs)) return C5.get(pairs);
  if (ascending) return c6Fields(pairs, isZero);
  if (secondary !== 1 && secondary !== 2) return fftFields(buffer, isZero);
  return centredFields(buffer, secondary === 1, isZero);
}

/** Carriers of a field: IEEE 802.11-2020 17.3.5.10, 19.3.9.3.3; 802.11ax 27.3.11.10. */
const EDGES: Readonly<Record<string, readonly [inner: number, outer: number]>> = {
  'lltf 20': [1, 26],
  'ht-ltf 20': [1, 28],
  'stbc-ht-ltf 20': [1, 28],
  'ht-ltf 40': [2, 58],
  'stbc-ht-ltf 40': [2, 58],
  'he-ltf 20': [2, 122],
};

/** A field whose pairs begin at `start`; `carriers` in the order of the buffer. */
function field(
  training: TrainingField,
  start: number,
  carriers: readonly number[],
  bandwidthMhz: 20 | 40,
): EspField {
  const [inner, outer] = EDGES[`${training} ${bandwidthMhz}`]!;
  const active = carriers
    .filter((carrier) => Math.abs(carrier) >= inner && Math.abs(carrier) <= outer)
    .sort((a, b) => a - b);
  return {
    training,
    bandwidthMhz,
    subcarriers: Int16Array.from(active),
    pairs: Uint16Array.from(active, (carrier) => start + carriers.indexOf(carrier)),
  };
}

/** 0, 1, ... and then the negative ones. */
const fft = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => (i < count / 2 ? i : i - count));
const from = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first + i);
/** Both sides, without the part in between. */
const sides = (inner: number, outer: number): readonly number[] => [
  ...from(-outer, outer - inner + 1),
  ...from(inner, outer - inner + 1),
];

/** The 26 pairs of a 12-bit LLTF: every second carrier. The middle one is not a measurement. */
export const LLTF_12_BIT: readonly EspField[] = [
  field(
    'lltf',
    0,
    from(-13, 26).map((i) => 2 * i),
    20,
  ),
];

const STBC = 'stbc-ht-ltf';
const C5 = new Map<number, readonly EspField[]>([
  [53, [field('lltf', 0, from(-26, 53), 20)]],
  [57, [field('ht-ltf', 0, from(-28, 57), 20)]],
  [114, [field('ht-ltf', 0, from(-28, 57), 20), field(STBC, 57, from(-28, 57), 20)]],
  [117, [field('ht-ltf', 0, from(-58, 117), 40)]],
  [234, [field('ht-ltf', 0, from(-58, 117), 40), field(STBC, 117, from(-58, 117), 40)]],
  [245, [field('he-ltf', 0, from(-122, 245), 20)]],
]);

/** esp-radar removes guards and the middle (its table of valid bytes). */
const FILTERED = new Map<number, readonly EspField[]>([
  [52, [field('lltf', 0, sides(1, 26), 20)]],
  [56, [field('ht-ltf', 0, sides(1, 28), 20)]],
  [114, [field('ht-ltf', 0, sides(2, 58), 40)]],
  [242, [field('he-ltf', 0, sides(2, 122), 20)]],
]);

const C6_LEGACY = [field('lltf', 0, from(-32, 64), 20)];
const C6_HT20 = [field('ht-ltf', 0, from(-32, 64), 20)];
const C6_HT20_STBC = [...C6_HT20, field(STBC, 64, from(-32, 64), 20)];
const C6_HT40 = [field('ht-ltf', 0, from(-64, 128), 40)];
const C6_HT40_STBC = [...C6_HT40, field(STBC, 128, from(-64, 128), 40)];
const C6_HE20 = [field('he-ltf', 0, from(-128, 256), 20)];

function c6Fields(pairs: number, isZero: IsZero): readonly EspField[] | undefined {
  // Carriers of +-28 have a signal in HT only.
  if (pairs === 64) return [4, 60].some(isZero) ? C6_LEGACY : C6_HT20;
  // Guards separate two fields; within a wide one only its middle is empty.
  if (pairs === 128) return [61, 62, 66, 67].every(isZero) ? C6_HT20_STBC : C6_HT40;
  if (pairs === 256) return [123, 124, 125, 131, 132, 133].every(isZero) ? C6_HT40_STBC : C6_HE20;
  return undefined;
}

// Lists that are the same object each time: decoders look up layouts by them.
const FFT_LLTF = [field('lltf', 0, fft(64), 20)];
const FFT_HT20_ALONE = [field('ht-ltf', 0, fft(64), 20)];
const FFT_HT20 = [...FFT_LLTF, field('ht-ltf', 64, fft(64), 20)];
const FFT_HT20_STBC = [...FFT_HT20, field(STBC, 128, fft(64), 20)];
const FFT_HE20 = [field('he-ltf', 0, fft(256), 20)];
const CENTRED_LLTF = field('lltf', 0, from(-32, 64), 20);
const CENTRED_LLTF_ALONE = [CENTRED_LLTF];
const CENTRED_HT20_ALONE = [field('ht-ltf', 0, from(-32, 64), 20)];
const CENTRED_HT20 = [CENTRED_LLTF, field('ht-ltf', 64, from(-32, 64), 20)];
const CENTRED_HT20_STBC = [...CENTRED_HT20, field(STBC, 128, from(-32, 64), 20)];
const HT40_ALONE = [field('ht-ltf', 0, fft(128), 40)];
const HT40 = [CENTRED_LLTF, field('ht-ltf', 64, fft(128), 40)];
const HT40_STBC = [CENTRED_LLTF, field('ht-ltf', 64, fft(121), 40), field(STBC, 185, fft(121), 40)];

/** Without a secondary channel: the order of an FFT. If that is unknown, the zeros show whether carriers ascend. */
function fftFields(buffer: EspBuffer, isZero: IsZero): readonly EspField[] | undefined {
  const { pairs, ht, secondary } = buffer;
  if (secondary === null && ascends(pairs, isZero)) return ascendingFields(buffer, isZero);
  if (pairs === 64)
    return ht !== false && [28, 36].every((pair) => !isZero(pair)) ? FFT_HT20_ALONE : FFT_LLTF;
  if (pairs === 128) return buffer.wide === true ? HT40_ALONE : FFT_HT20;
  if (pairs === 192) return isWide(buffer, isZero) ? HT40 : FFT_HT20_STBC;
  if (secondary !== null) return pairs === 306 ? HT40_STBC : undefined;
  // Only channels with a second one beside them have the other lengths.
  return pairs === 256 ? FFT_HE20 : ascendingFields(buffer, isZero);
}

/**
 * True if there are guards at both ends of the first field, and a signal within it. The first two pairs may hold
 * anything.
 */
const ascends = (pairs: number, isZero: IsZero): boolean =>
  // Asked for each frame: lists of pairs would be made anew each time.
  isZero(2) && isZero(3) && !isZero(30) && (pairs === 192 || (isZero(pairs - 2) && isZero(pairs - 1)));

/** Fields of a C6, or of another chip whose channel has a second one beside it: the zeros decide. */
function ascendingFields(buffer: EspBuffer, isZero: IsZero): readonly EspField[] | undefined {
  const { pairs } = buffer;
  // An LLTF has no signal at +-28.
  const isLegacy = [4, 60].some(isZero);
  if (pairs === 64 || pairs === 256) return c6Fields(pairs, isZero);
  if (pairs === 128)
    return isLegacy && [61, 62, 66, 67].every(isZero) ? CENTRED_HT20 : c6Fields(pairs, isZero);
  if (pairs === 190) return centredFields(buffer, !isZero(64 + 3), isZero);
  return centredFields(buffer, false, isZero);
}

/**
 * An HT-LTF of 64 pairs without other fields.
 * @param ascending null if the chip is unknown: the guards then decide
 */
export function htLtfOf64(ascending: boolean | null, isZero: IsZero): EspField {
  const isAscending = ascending ?? ([0, 1, 2, 62, 63].every(isZero) && !isZero(31));
  return (isAscending ? CENTRED_HT20_ALONE : FFT_HT20_ALONE)[0]!;
}

/** With a secondary channel: fields of 20 MHz ascend, and the middle of the primary channel is their pair 32. */
function centredFields(buffer: EspBuffer, above: boolean, isZero: IsZero): readonly EspField[] | undefined {
  const { pairs, ht } = buffer;
  if (pairs === 64)
    return ht !== false && [4, 60].every((pair) => !isZero(pair)) ? CENTRED_HT20_ALONE : CENTRED_LLTF_ALONE;
  if (pairs === 128) return buffer.wide === true ? HT40_ALONE : CENTRED_HT20;
  if (pairs === 188) return STBC_62;
  if (pairs === 190) return above ? STBC_63_ABOVE : STBC_63_BELOW;
  if (pairs === 192) return isWide(buffer, isZero) ? HT40 : CENTRED_HT20_STBC;
  return pairs === 306 ? HT40_STBC : undefined;
}

const centredStbc = (first: number, count: number): readonly EspField[] => [
  CENTRED_LLTF,
  field('ht-ltf', 64, from(first, count), 20),
  field(STBC, 64 + count, from(first, count), 20),
];
const STBC_62 = centredStbc(-30, 62);
const STBC_63_ABOVE = centredStbc(-31, 63);
const STBC_63_BELOW = centredStbc(-32, 63);

/** HT40 beside an LLTF, or HT20 with STBC: both have 192 pairs. */
function isWide({ wide, stbc }: EspBuffer, isZero: IsZero): boolean {
  if (wide !== null) return wide && stbc !== true;
  // Guards of HT40, carriers 59 to 63 and -64 to -59.
  return !isZero(64 + 58) && Array.from({ length: 11 }, (_, i) => 64 + 59 + i).every(isZero);
}
