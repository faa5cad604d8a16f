/** Measurements of Intel's AX200 and AX210, which FeitCSI and PicoScenes both store unchanged. */
import { bandOf, type Band, type BandKind } from '../../radio/wifi-bands.js';

/** Bytes of a value: two i16. */
export const RAW = 4;

export interface AxReading {
  readonly band: AxBand;
  readonly tones: number;
  readonly streams: number;
  readonly realFirst: boolean;
}

/**
 * Converts [antenna, stream, carrier], each imaginary part first, to (re, im) at `values[at...]`.
 * @param each bytes of a value: {@link RAW}, or 16 for two doubles
 */
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
  // Exports of its tools hold complex doubles, real part first.
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
export interface AxBand extends Band {
  /** Start of the values, for firmware that writes too many of them. */
  readonly gap: number;
}

/** Kind of a frame, by bits 8 to 10 of its rate. */
const KINDS: Readonly<Record<number, BandKind>> = { 1: 'legacy', 2: 'ht', 3: 'vht', 4: 'he' };

/** Why {@link axBand} knows no carriers of such a frame. */
export const noBand = (kind: number, tones: number): string =>
  kind === EHT
    ? 'its rate has the format EHT (802.11be), which is not read'
    : `${tones} carriers: no frame of its kind has this number`;

const EHT = 5;

/** For firmware that writes more values than a frame of 160 MHz has carriers, by their number. */
const GAPS = new Map([
  [498, 242],
  [2020, 996],
]);

/**
 * The carriers of a frame with this number of values per stream; undefined if no known frame has it.
 * @param kind 1 legacy, 2 HT, 3 VHT, 4 HE
 * @param width 0 to 3: 20 to 160 MHz
 */
export function axBand(kind: number, width: number, tones: number): AxBand | undefined {
  const named = KINDS[kind];
  const found = named && bandOf(named, width);
  if (!found || (named === 'legacy' && width > 0)) return undefined;
  const { training, bandwidthMhz, subcarriers } = found;
  const gap = GAPS.get(tones);
  if (tones !== subcarriers.length && gap === undefined) return undefined;
  if (gap !== undefined && width !== 3) return undefined;
  return { training, bandwidthMhz, subcarriers, gap: gap ?? tones };
}
