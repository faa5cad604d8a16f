import { FormatError } from '../../../pipeline/formats/index.js';
import { CommandError, EXIT } from '../exit.js';

/** Runs `work`; a recording that cannot be read ends the command with exit code 2 and the place in it. */
export async function readingRecordings<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormatError) throw new CommandError(error.message, EXIT.invalid);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new CommandError(`${error.message}: is the path right?`, EXIT.invalid);
    }
    throw error;
  }
}
