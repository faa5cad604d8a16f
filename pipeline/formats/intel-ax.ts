/** How Intel's AX200 and AX210 write a measurement, which FeitCSI and PicoScenes both keep as it is. */
import type { TrainingField } from '../model/index.js';

/** Bytes of a value: two i16. */
export const RAW = 4;

export interface AxReading {
  readonly band: AxBand;
  readonly tones: number;
  readonly streams: number;
  readonly realFirst: boolean;
}

/** [antenna, stream, carrier], each the imaginary part first, to (re, im) at `values[at...]`. @param each bytes of a value: {@link RAW}, or 16 for two doubles */
export function fillAx(
  view: DataView,
  each: number,
  { band, tones, streams, realFirst }: AxReading,
  values: Float32Array,
  at: number,
): void {
  const half = each / 2;
  const read = (from: number): number =>
    each === RAW ? view.getInt16(from, true) : view.getFloat64(from, true);
  // Exports of its tools hold complex doubles, the real part first.
  const first = realFirst || each !== RAW ? 0 : half;
  for (let stream = 0; stream < streams; stream++) {
    for (let tone = 0; tone < tones; tone++) {
      if (tone >= band.gap && tone < band.gap + tones - band.subcarriers.length) continue;
      const from = (stream * tones + tone) * each;
      values[at++] = read(from + first);
      values[at++] = read(from + half - first);
    }
  }
}

/** The carriers of a frame. */
export interface AxBand {
  readonly training: TrainingField;
  readonly bandwidthMhz: number;
  readonly subcarriers: readonly number[];
  /** Where values begin that some firmware writes too many of. */
  readonly gap: number;
}

const sides = (...ranges: readonly (readonly [inner: number, outer: number])[]): readonly number[] => {
  const upper = ranges.flatMap(([inner, outer]) =>
    Array.from({ length: outer - inner + 1 }, (_, i) => inner + i),
  );
  return [...upper.map((carrier) => -carrier).reverse(), ...upper];
};

/** By the kind of frame (bits 8 to 10 of its rate): carriers by the width (bits 11 to 13). IEEE 802.11-2020, 802.11ax. */
const BANDS: Readonly<Record<number, { training: TrainingField; widths: readonly (readonly number[])[] }>> = {
  1: { training: 'lltf', widths: [sides([1, 26])] },
  2: { training: 'ht-ltf', widths: [sides([1, 28]), sides([2, 58])] },
  3: {
    training: 'vht-ltf',
    widths: [sides([1, 28]), sides([2, 58]), sides([2, 122]), sides([6, 126], [130, 250])],
  },
  4: {
    training: 'he-ltf',
    widths: [sides([2, 122]), sides([3, 244]), sides([3, 500]), sides([12, 509], [515, 1012])],
  },
};

/** Where some firmware writes more values than a frame of 160 MHz has carriers, by their number. */
const GAPS = new Map([
  [498, 242],
  [2020, 996],
]);

/**
 * The carriers of a frame with so many values a stream; undefined where there is no such frame.
 * @param kind 1 legacy, 2 HT, 3 VHT, 4 HE
 * @param width 0 to 3: 20 to 160 MHz
 */
export function axBand(kind: number, width: number, tones: number): AxBand | undefined {
  const found = BANDS[kind];
  const subcarriers = found?.widths[width];
  if (!found || !subcarriers) return undefined;
  const gap = GAPS.get(tones);
  if (tones !== subcarriers.length && gap === undefined) return undefined;
  if (gap !== undefined && width !== 3) return undefined;
  return { training: found.training, bandwidthMhz: 20 << width, subcarriers, gap: gap ?? tones };
}
