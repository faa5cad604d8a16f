import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { dirname } from 'node:path';
import { stateError } from '../../pipeline/state/index.js';
import { ASK_OWNER, claim } from './ownership.js';
import { prepareSchema } from './schema.js';
import { makeFolder } from '../../pipeline/telemetry/folders.js';

/** An open store. `close` writes all into the file itself and frees it for others. */
export interface Database {
  readonly path: string;
  readonly instance: DuckDBInstance;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly memoryLimitBytes: number;
  readonly walLimitBytes: number;
  /** Nothing is written, not even the schema. */
  readonly readOnly?: boolean;
  /** Lets SQL read and write other files (export needs it). */
  readonly externalAccess?: boolean;
  /** The one folder that SQL may write copies of the store to. */
  readonly copiesTo?: string;
}

/**
 * Opens the store at `path` as its one owner, creating file, folder and tables where they are missing.
 * @throws Error where another process or thread has it, where it is no csiflow store, or of a newer csiflow.
 */
export async function openDatabase(path: string, options: DatabaseOptions): Promise<Database> {
  if (!options.readOnly) makeFolder(dirname(path));
  const ownership = claim(path);
  try {
    const instance = await openInstance(path, options);
    try {
      await withConnection(instance, (connection) =>
        prepareSchema(connection, path, options.readOnly === true),
      );
    } catch (error) {
      instance.closeSync();
      throw error;
    }
    return {
      path,
      instance,
      close: async () => {
        try {
          if (!options.readOnly) await withConnection(instance, (connection) => connection.run('CHECKPOINT'));
        } finally {
          try {
            instance.closeSync();
          } finally {
            ownership.release();
          }
        }
      },
    };
  } catch (error) {
    ownership.release();
    throw error;
  }
}

export async function withConnection<T>(
  instance: DuckDBInstance,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
  }
}

async function openInstance(path: string, options: DatabaseOptions): Promise<DuckDBInstance> {
  const { copiesTo, externalAccess = false } = options;
  try {
    const instance = await DuckDBInstance.create(path, {
      memory_limit: `${options.memoryLimitBytes}B`,
      checkpoint_threshold: `${options.walLimitBytes}B`,
      // No statement of the store's reads another file, and nothing is ever fetched from a network.
      enable_external_access: String(externalAccess || copiesTo !== undefined),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      ...(options.readOnly ? { access_mode: 'READ_ONLY' } : {}),
    });
    if (copiesTo !== undefined) await withConnection(instance, (connection) => confine(connection, copiesTo));
    return instance;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/\block\b/i.test(message))
      throw new Error(`${path} is open in another process${holder(message)}. ${ASK_OWNER}`, { cause: error });
    if (DAMAGED.test(message))
      throw stateError(
        'store.damaged',
        `${path} is damaged, or no DuckDB file: restore it from a backup, or move it away to begin with an empty one (${message})`,
        error,
      );
    throw new Error(`${path} cannot be opened: ${message}`, { cause: error });
  }
}

/** How DuckDB says so. */
const DAMAGED = /not a valid DuckDB|corrupt|could not read enough bytes|serialization error/i;

/** From now on SQL reaches this folder alone. */
async function confine(connection: DuckDBConnection, folder: string): Promise<void> {
  await connection.run(`SET allowed_directories = [${quoted(folder)}]`);
  await connection.run('SET enable_external_access = false');
}

/** As a literal of SQL. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const holder = (message: string): string => {
  const pid = /PID (\d+)/.exec(message)?.[1];
  return pid ? ` (${pid})` : '';
};
