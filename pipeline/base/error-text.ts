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

/** The code of an error, such as `ENOENT` of the system's; empty if it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** An error with a code. */
export const codedError = (code: string, message: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

/** An error with its stack, for the log; anything else that was thrown, as text. */
export const stackText = (error: unknown): string =>
  (error instanceof Error ? error.stack : undefined) ?? errorText(error);

/** The thrown value as an error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
