/** Ascending numbers from one to another, both included. */
const range = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

/** The carriers of the upper half, and their mirror images. */
const mirrored = (upper: readonly number[]): readonly number[] => [
  ...upper.map((carrier) => -carrier).reverse(),
  ...upper,
];

/** Upper halves: all data carriers (those without pilots) of VHT by width. IEEE 802.11-2020, table 9-82. */
const without = (from: number, to: number, pilots: readonly number[]): readonly number[] =>
  range(from, to, 1).filter((carrier) => !pilots.includes(carrier));

/** By the width (20, 40, 80, 160 MHz) and the grouping (the number of carriers per value). */
const VHT: readonly Readonly<Record<number, readonly number[]>>[] = [
  {
    1: without(1, 28, [7, 21]),
    2: [1, ...range(2, 28, 2)],
    4: [1, ...range(4, 28, 4)],
  },
  {
    1: without(2, 58, [11, 25, 53]),
    2: range(2, 58, 2),
    4: range(2, 58, 4),
  },
  {
    1: without(2, 122, [11, 39, 75, 103]),
    2: range(2, 122, 2),
    4: range(2, 122, 4),
  },
  {
    1: [...without(6, 126, [25, 53, 89, 117]), ...without(130, 250, [139, 167, 203, 231])],
    2: [...range(6, 126, 2), ...range(130, 250, 2)],
    4: [...range(6, 126, 4), ...range(130, 250, 4)],
  },
];

/** IEEE 802.11ax-2021, table 9-93b, for reports of the whole band. */
const HE: typeof VHT = [
  { 4: [2, ...range(4, 120, 4), 122], 16: [2, ...range(4, 116, 16), 122] },
  { 4: range(4, 244, 4), 16: range(4, 244, 16) },
  { 4: range(4, 500, 4), 16: range(4, 500, 16) },
  {
    4: [...range(12, 508, 4), ...range(516, 1012, 4)],
    16: [...range(12, 508, 16), ...range(516, 1012, 16)],
  },
];

const tableOf = (sets: typeof VHT): ReadonlyMap<string, Int16Array> =>
  new Map(
    sets.flatMap((byGrouping, width) =>
      Object.entries(byGrouping).map(([grouping, upper]): [string, Int16Array] => [
        `${width}/${grouping}`,
        Int16Array.from(mirrored(upper)),
      ]),
    ),
  );

const TABLES = { vht: tableOf(VHT), he: tableOf(HE) };

/** Carriers of a report, ascending; undefined for an unknown grouping. @param width 0 to 3: 20 to 160 MHz */
export const reportCarriers = (kind: 'vht' | 'he', width: number, grouping: number): Int16Array | undefined =>
  TABLES[kind].get(`${width}/${grouping}`);
