import { errorText } from './error-text.js';

/**
 * Something that the user named does not exist, or is of no use: a model, a store, a file. The message says
 * which and what to do, so a command prints it without a stack, and ends with `EXIT.invalid`. For code below
 * the commands, which throw a `CommandError` themselves.
 */
export class InputError extends Error {
  readonly code = 'input.invalid';
}

/** The result of `read`, which reads what the user named. @throws InputError with the message of its error */
export function orInputError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InputError(errorText(error), { cause: error });
  }
}
