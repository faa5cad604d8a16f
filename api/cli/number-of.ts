/** A number with its noun: `1 frame`, `2 frames`. */
export const numberOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
