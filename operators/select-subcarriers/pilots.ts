import type { CsiLayout } from '../../pipeline/model/index.js';

/** Pilots right of the centre; those left of it mirror them (IEEE 802.11-2020, 17.3.5.9, 19.3.11.10, 21.3.10.10). */
const VHT: Readonly<Record<number, readonly number[]>> = {
  20: [7, 21],
  40: [11, 25, 53],
  80: [11, 39, 75, 103],
  160: [25, 53, 89, 117, 139, 167, 203, 231],
};

/** For one resource unit over the whole channel (IEEE 802.11ax-2021, 27.3.12.13). */
const HE: Readonly<Record<number, readonly number[]>> = {
  20: [22, 48, 90, 116],
  40: [10, 36, 78, 104, 144, 170, 212, 238],
  80: [24, 92, 158, 226, 266, 334, 400, 468],
  160: [44, 112, 178, 246, 286, 354, 420, 488, 536, 604, 670, 738, 778, 846, 912, 980],
};

/** Indices of a layout's subcarriers that are pilots. */
export function pilots({ training, bandwidthMhz }: CsiLayout): ReadonlySet<number> {
  const high = training === 'he-ltf' || training === 'eht-ltf';
  // Each 20 MHz has a separate legacy field: in wider channels its pilots lie around the middle of each.
  const right = high ? HE[bandwidthMhz] : training === 'lltf' ? legacy(bandwidthMhz) : VHT[bandwidthMhz];
  return new Set((right ?? []).flatMap((index) => [index, -index]));
}

function legacy(bandwidthMhz: number): readonly number[] {
  if (bandwidthMhz <= 20) return VHT[20]!;
  // Middles of the 20 MHz channels right of the centre: 32, 96, ...
  const middles = Array.from({ length: bandwidthMhz / 40 }, (_, i) => 32 + 64 * i);
  return middles.flatMap((middle) => [-21, -7, 7, 21].map((pilot) => middle + pilot));
}
