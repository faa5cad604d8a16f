import { FormatError } from '../../../pipeline/formats/index.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';

/** The meaning of a system's error for a file to be created. */
export function notMade(error: unknown, file: string, choose = 'another name'): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return error;
  return thereAlready(file, choose);
}

export const thereAlready = (file: string, choose = 'another name'): CommandError =>
  new CommandError(`${file} already exists: choose ${choose}, or overwrite it with --force`, EXIT.invalid);

/** For a UDP port without datagrams. */
export const nothingArrived = (address: string, result: string): string =>
  `no packet arrived at ${address}: ${result}. Check that the sensors send to this machine and port, ` +
  'that the host listens on their network (127.0.0.1 hears this machine only), and the firewall';

/** Runs `work`; an unreadable recording ends the command with exit code 2 and the position in the file. */
export async function readingRecordings<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormatError) throw new CommandError(error.message, EXIT.invalid);
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new CommandError(error.message, EXIT.invalid);
    }
    throw error;
  }
}

/** Runs `work`, which writes `file`; if the system refuses it, the command ends with exit code 3 and the file's name. */
export async function writingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === null) throw error;
    throw new CommandError(`${file} cannot be written: ${reason}`, EXIT.unavailable);
  }
}

/**
 * Why the system did not write; null for any other error, such as Node's `ERR_INVALID_ARG_TYPE`. DuckDB's errors
 * have no code, and name files of its own.
 */
function refusalOf(error: unknown): string | null {
  if (error instanceof Error && 'errno' in error) return errorText(error);
  return /Could not write .*: (.*)/i.exec(errorText(error))?.[1] ?? null;
}
