/** The message of an error; anything else that was thrown, as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The thrown value as an error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
