/** The message of an error; anything else that was thrown, as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The message of an error's cause if it has one: `fetch` itself says no more than "fetch failed". Errors without
 * a message, such as that of a host with several addresses that all refuse, are described by code or name.
 */
export function causeText(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error) || cause.message !== '') return errorText(cause);
  return 'code' in cause ? String(cause.code) : cause.name;
}

/** An error with its stack, for the log; anything else that was thrown, as text. */
export const stackText = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? errorText(error);

/** The thrown value as an error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
