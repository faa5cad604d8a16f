/** Colours from one end of a scale to the other, as red, green, blue of 0 to 255. */
export type Scale = readonly (readonly [number, number, number])[];

const scale = (...stops: readonly string[]): Scale =>
  stops.map((hex) => {
    const at = (from: number): number => Number.parseInt(hex.slice(from, from + 2), 16);
    return [at(0), at(2), at(4)];
  });

/** Dark blue to yellow, even in lightness: matplotlib's viridis (S. van der Walt, N. Smith; CC0). */
export const VIRIDIS = scale(
  '440154',
  '472d7b',
  '3b528b',
  '2c728e',
  '21918c',
  '28ae80',
  '5ec962',
  'addc30',
  'fde725',
);
/** Black to light yellow: matplotlib's magma (as above). */
export const MAGMA = scale(
  '000004',
  '180f3d',
  '440f76',
  '721f81',
  '9e2f7f',
  'cd4071',
  'f1605d',
  'fd9668',
  'feca8d',
  'fcfdbf',
);
/** Blue over white to red, for signed values. */
export const BOTH_WAYS = scale('2166ac', '67a9cf', 'd1e5f0', 'f7f7f7', 'fddbc7', 'ef8a62', 'b2182b');

/** The colour at `share` of a scale, 0 to 1. */
export function colourAt(colours: Scale, share: number): readonly [number, number, number] {
  const at = Math.min(1, Math.max(0, share)) * (colours.length - 1);
  const below = Math.min(Math.floor(at), colours.length - 2);
  const mixed = (part: 0 | 1 | 2): number =>
    Math.round(colours[below]![part] + (at - below) * (colours[below + 1]![part] - colours[below]![part]));
  return [mixed(0), mixed(1), mixed(2)];
}
