/** Carriers of a frame. IEEE 802.11-2020, 802.11ax-2021. */
import type { TrainingField } from '../../model/index.js';

export type BandKind = 'legacy' | 'ht' | 'vht' | 'he';

export interface Band {
  readonly training: TrainingField;
  readonly bandwidthMhz: number;
  /** Ascending, relative to the centre. */
  readonly subcarriers: readonly number[];
}

const sides = (...ranges: readonly (readonly [inner: number, outer: number])[]): readonly number[] => {
  const upper = ranges.flatMap(([inner, outer]) =>
    Array.from({ length: outer - inner + 1 }, (_, i) => inner + i),
  );
  return [...upper.map((carrier) => -carrier).reverse(), ...upper];
};

/** For older frames in a channel of 20 MHz. */
const LEGACY = sides([1, 26]);
/** Wider channels carry a copy in each 20 MHz. */
const copies = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => 64 * i - 32 * (count - 1)).flatMap((middle) =>
    LEGACY.map((carrier) => middle + carrier),
  );

/** Carriers by width: 20, 40, 80, 160 MHz. */
const BANDS: Readonly<
  Record<BandKind, { readonly training: TrainingField; readonly widths: readonly (readonly number[])[] }>
> = {
  legacy: { training: 'lltf', widths: [LEGACY, copies(2), copies(4)] },
  ht: { training: 'ht-ltf', widths: [sides([1, 28]), sides([2, 58])] },
  vht: {
    training: 'vht-ltf',
    widths: [sides([1, 28]), sides([2, 58]), sides([2, 122]), sides([6, 126], [130, 250])],
  },
  he: {
    training: 'he-ltf',
    widths: [sides([2, 122]), sides([3, 244]), sides([3, 500]), sides([12, 509], [515, 1012])],
  },
};

/** Undefined if no such frame has this width. @param width 0 to 3: 20 to 160 MHz */
export function bandOf(kind: BandKind, width: number): Band | undefined {
  const { training, widths } = BANDS[kind];
  const subcarriers = widths[width];
  return subcarriers && { training, bandwidthMhz: 20 << width, subcarriers };
}
