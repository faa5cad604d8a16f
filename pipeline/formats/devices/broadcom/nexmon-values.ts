/** The values of a datagram of nexmon_csi; bytes: docs/formats/nexmon.md. */

import { endianness } from 'node:os';

export const HEADER_BYTES = 18;

/** Bits of the two mantissas and of the common exponent in a chip's encoding of a value. */
export interface Packing {
  readonly mantissa: number;
  readonly exponent: number;
}

/** The carriers of a width. */
export interface Carriers {
  readonly count: number;
  readonly subcarriers: readonly number[];
  /** {@link runOf} the bins below and above the middle of the channel that hold them. */
  readonly runs: readonly Int16Array[];
}

/** A datagram and the encoding of its values. */
export interface Values {
  readonly record: Uint8Array;
  readonly carriers: Carriers;
  readonly packing: Packing | null;
}

/**
 * Each datagram is copied here, where its values are aligned for typed arrays. Creating typed arrays for each
 * datagram takes longer than the copy.
 */
const ALIGNED = new ArrayBuffer(2 + HEADER_BYTES + 4 * 256);
const RECORD = new Uint8Array(ALIGNED, 2);
const WORDS = new Int32Array(ALIGNED, 2 + HEADER_BYTES);
const INTEGERS = new Int16Array(ALIGNED, 2 + HEADER_BYTES);
const IS_BIG_ENDIAN = endianness() === 'BE';

function align({ record, packing }: Values): void {
  RECORD.set(record);
  if (!IS_BIG_ENDIAN) return;
  const values = Buffer.from(ALIGNED, 2 + HEADER_BYTES);
  if (packing === null) values.swap16();
  else values.swap32();
}

/** The values of the bins `from` to `to` in the datagram that was unpacked last. */
export const runOf = (from: number, to: number): Int16Array => INTEGERS.subarray(2 * from, 2 * to + 2);

/** Writes the values of a datagram, (re, im), to `values[at...]`. `top`: see {@link topOf}. */
export function unpack(datagram: Values, top: number, values: Float32Array, at: number): void {
  const { packing, carriers } = datagram;
  align(datagram);
  if (packing !== null) wordsToIntegers(packing, carriers.count, top);
  for (const run of carriers.runs) {
    values.set(run, at);
    at += run.length;
  }
}

/** Bits of the largest number of a measurement after its leading one. */
const SCALED_BITS = 10;

/** Exponent of two of the largest packed value, by which the values are scaled; -64 if all are 0. */
export function topOf(datagram: Values): number {
  const { packing, carriers } = datagram;
  if (packing === null) return 0;
  align(datagram);
  const { mantissa, exponent } = packing;
  const magnitude = (1 << (mantissa - 1)) - 1;
  const sign = 1 << (exponent - 1);
  let top = -64;
  for (let i = 0; i < carriers.count; i++) {
    const word = WORDS[i]!;
    const bits = ((word >>> (exponent + mantissa)) | (word >>> exponent)) & magnitude;
    const largest = ((word & (2 * sign - 1)) ^ sign) - sign + 31 - Math.clz32(bits);
    if (largest > top && bits !== 0) top = largest;
  }
  return top;
}

/**
 * Replaces the first `count` words of the aligned datagram by pairs of whole numbers, the largest of which has
 * {@link SCALED_BITS} bits, as in the tool's MATLAB reader. A word contains, from its top: sign and magnitude
 * of the real part, sign and magnitude of the imaginary part (`mantissa` bits each), and a common exponent in
 * two's complement.
 */
function wordsToIntegers({ mantissa, exponent }: Packing, count: number, top: number): void {
  const magnitude = (1 << (mantissa - 1)) - 1;
  const sign = 1 << (exponent - 1);
  const real = exponent + mantissa;
  for (let i = 0; i < count; i++) {
    const word = WORDS[i]!;
    // Up by 16 and down again: applies signs and shifts without branches, which would be mispredicted.
    const by = ((word & (2 * sign - 1)) ^ sign) - sign + SCALED_BITS - top;
    const down = Math.min(31, 16 - by);
    const re = (((word >>> real) & magnitude) << 16) >> down;
    const im = (((word >>> exponent) & magnitude) << 16) >> down;
    const reSign = (word << (32 - real - mantissa)) >> 31;
    const imSign = (word << (32 - real)) >> 31;
    INTEGERS[2 * i] = (re ^ reSign) - reSign;
    INTEGERS[2 * i + 1] = (im ^ imSign) - imSign;
  }
}
