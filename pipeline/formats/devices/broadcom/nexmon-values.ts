/** The values of a datagram of nexmon_csi; bytes: docs/formats/nexmon.md. */

export const HEADER_BYTES = 18;

/** Bits of the two mantissas and of the common exponent in a chip's encoding of a value. */
export interface Packing {
  readonly mantissa: number;
  readonly exponent: number;
}

/** The carriers of a width, and the bins below and above the middle of the channel, `from` to `to`, that hold them. */
export interface Carriers {
  readonly count: number;
  readonly subcarriers: readonly number[];
  readonly runs: readonly { readonly from: number; readonly to: number }[];
}

/** Position and encoding of a datagram's values. */
export interface Values {
  /** Length of the whole datagram. */
  readonly view: DataView;
  readonly carriers: Carriers;
  readonly packing: Packing | null;
}

/** Writes the values of a datagram, (re, im), to `values[at...]`. `top`: see {@link topOf}. */
export function unpack(
  { view, packing, carriers }: Values,
  top: number,
  values: Float32Array,
  at: number,
): void {
  if (packing === null) copyIntegers(view, carriers, values, at);
  else unpackFloats(view, packing, carriers, top, values, at);
}

/** The byte order of this machine, and so of typed arrays. */
const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function copyIntegers(view: DataView, { count, runs }: Carriers, values: Float32Array, at: number): void {
  const start = view.byteOffset + HEADER_BYTES;
  if (IS_LITTLE && start % 2 === 0) {
    // Copying it as a whole takes a third of the time.
    const numbers = new Int16Array(view.buffer, start, 2 * count);
    for (const { from, to } of runs) {
      const run = numbers.subarray(2 * from, 2 * to + 2);
      values.set(run, at);
      at += run.length;
    }
    return;
  }
  for (const { from, to } of runs) {
    const end = HEADER_BYTES + 4 * to;
    for (let word = HEADER_BYTES + 4 * from; word <= end; word += 4) {
      values[at++] = view.getInt16(word, true);
      values[at++] = view.getInt16(word + 2, true);
    }
  }
}

/** Bits of the largest number of a measurement after its leading one. */
const SCALED_BITS = 10;

/** Exponent of two of the largest packed value, by which the values are scaled; -64 if all are 0. */
export function topOf({ view, packing, carriers }: Values): number {
  if (packing === null) return 0;
  const { mantissa, exponent } = packing;
  const magnitude = (1 << (mantissa - 1)) - 1;
  const unused = 32 - exponent;
  let top = -64;
  for (let i = 0; i < carriers.count; i++) {
    const word = view.getUint32(HEADER_BYTES + 4 * i, true);
    const bits = ((word >>> (exponent + mantissa)) | (word >>> exponent)) & magnitude;
    if (bits !== 0) top = Math.max(top, ((word << unused) >> unused) + 31 - Math.clz32(bits));
  }
  return top;
}

/**
 * Values as whole numbers, the largest of which has {@link SCALED_BITS} bits, as in the tool's MATLAB reader.
 * A word contains, from its top: sign and magnitude of the real part, sign and magnitude of the imaginary
 * part (`mantissa` bits each), and a common exponent in two's complement.
 */
function unpackFloats(
  view: DataView,
  { mantissa, exponent }: Packing,
  { runs }: Carriers,
  top: number,
  values: Float32Array,
  at: number,
): void {
  const magnitude = (1 << (mantissa - 1)) - 1;
  const unused = 32 - exponent;
  for (const { from, to } of runs)
    for (let i = from; i <= to; i++) {
      const word = view.getUint32(HEADER_BYTES + 4 * i, true);
      const by = ((word << unused) >> unused) + SCALED_BITS - top;
      // Up by 16 and down again: applies signs and shifts without branches, which would be mispredicted.
      const down = Math.min(31, 16 - by);
      const re = (((word >>> (exponent + mantissa)) & magnitude) << 16) >> down;
      const im = (((word >>> exponent) & magnitude) << 16) >> down;
      const reSign = -((word >>> (exponent + 2 * mantissa - 1)) & 1);
      const imSign = -((word >>> (exponent + mantissa - 1)) & 1);
      values[at++] = (re ^ reSign) - reSign;
      values[at++] = (im ^ imSign) - imSign;
    }
}
