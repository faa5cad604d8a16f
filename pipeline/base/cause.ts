/** A message without its numbers: two records with the same problem have the same cause. */
export const causeOf = (message: string): string => message.replace(/-?\d+(\.\d+)?/g, '#');
