/** What an error says; what else was thrown, as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What was thrown, as an error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
