import { errorText, codedError } from '../../pipeline/base/error-text.js';

/** DuckDB's messages about damage. */
const DAMAGED =
  /not a valid DuckDB|corrupt|could not read enough bytes|(de)?serialization error|failure while replaying wal|checksum/i;

export const isDamage = (message: string): boolean => DAMAGED.test(message);

export const damagedStore = (path: string, what: string, cause?: unknown) =>
  codedError(
    'store.damaged',
    `${what}. It contains results: restore it from a backup (\`csiflow restore BACKUP TOPOLOGY --replace\`), or move ${path} away to start with an empty one`,
    cause,
  );

/** Runs `work` on a DuckDB file; an error from damage names the file and what to do. */
export async function namingDamage<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = errorText(error);
    if (!isDamage(message) || (error instanceof Error && 'code' in error)) throw error;
    throw damagedStore(path, `${path} is damaged (${message})`, error);
  }
}
