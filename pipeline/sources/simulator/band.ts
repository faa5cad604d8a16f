/** The subcarriers of a channel. */
export interface Band {
  /** Hz. */
  readonly carrier: number;
  /** Frequency of each subcarrier relative to the carrier, Hz. */
  readonly offsets: Float64Array;
}

/** The middles of 13 groups of 4 of the 52 subcarriers of the legacy training field. */
export const GROUPS: readonly number[] = Array.from(
  { length: 13 },
  (_, group) => -24.5 + 4 * group + (group > 6 ? 1 : group === 6 ? 0.5 : 0),
);

const SUBCARRIER_SPACING = 312_500;
const CARRIER = 2.437e9;

/** @param indices of subcarriers, relative to the carrier @param carrier Hz @param spacing Hz */
export const bandOf = (
  indices: readonly number[],
  carrier = CARRIER,
  spacing = SUBCARRIER_SPACING,
): Band => ({
  carrier,
  offsets: Float64Array.from(indices, (index) => index * spacing),
});
