/** Bands of the receivers in simulated rooms. */
export const BANDS = ['2.4-ghz', '5-ghz'] as const;
export type Band = (typeof BANDS)[number];
