/** Red, green, blue from weak to strong: colours that also differ in lightness. */
const RAMP = [
  [38, 18, 74],
  [52, 84, 140],
  [32, 144, 140],
  [110, 205, 90],
  [252, 232, 60],
] as const;

/** @param share 0 to 1; beyond, the end of the ramp */
export function colourOf(share: number): readonly number[] {
  const along = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const from = Math.min(Math.floor(along), RAMP.length - 2);
  return RAMP[from]!.map((value, part) => value + (along - from) * (RAMP[from + 1]![part]! - value));
}
