/**
 * The order in which a receiver writes the tones of its Fourier transform, if not documented: from the lowest
 * frequency up (`ascending`), or from the middle up and then from the lowest up to the middle (`fft`). No
 * frame uses the tones at both ends of the channel, so the position of quiet tones reveals the order.
 */
export const TONE_ORDERS = ['fft', 'ascending'] as const;
export type ToneOrder = (typeof TONE_ORDERS)[number];

/** For a format's summary; null means that the quiet tones determine the order. */
export const orderText = (order: ToneOrder | null): string =>
  order === null
    ? 'tones in the order revealed by the quiet ones'
    : `tones in ${order === 'fft' ? 'the order of an FFT' : 'ascending order'}`;

/** Position of the carrier among `size` tones. */
export const toneOf = (order: ToneOrder, carrier: number, size: number): number =>
  order === 'fft' ? (carrier + size) % size : carrier + size / 2;

/** The unused tones are quiet if the ratio of their power to that of the used ones is below this: -20 dB. */
const QUIET = 0.01;

/**
 * The order in which the tones outside of `carriers` are quiet; null if neither or both fit. Without any
 * power, the order makes no difference.
 * @param carriers ascending, relative to the middle of the tones
 * @param power of a tone, over all antennas
 */
export function orderByQuietTones(
  size: number,
  carriers: readonly number[],
  power: (tone: number) => number,
): ToneOrder | null {
  const powers = Float64Array.from({ length: size }, (_, tone) => power(tone));
  if (powers.every((value) => value === 0)) return 'fft';
  const unused = Array.from({ length: size }, (_, i) => i - size / 2).filter(
    (carrier) => carrier < carriers[0]! || carrier > carriers.at(-1)!,
  );
  const quiet = TONE_ORDERS.filter((order) => {
    const mean = (list: readonly number[]): number =>
      list.reduce((sum, carrier) => sum + powers[toneOf(order, carrier, size)]!, 0) / list.length;
    return mean(unused) < QUIET * mean(carriers);
  });
  return quiet.length === 1 ? quiet[0]! : null;
}

/**
 * Fault of a measurement whose order is unknown.
 * @param format name; its `-fft` and `-ascending` variants set the order
 */
export const unknownOrder = (format: string) => ({
  fault: 'tone_order',
  reason:
    'the tones at the ends of its channel are not quiet, so the order of its tones cannot be detected: ' +
    `read it as ${format}-fft or ${format}-ascending`,
});
