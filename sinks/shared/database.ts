import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { derivedKey } from '../../pipeline/state/index.js';
import { damagedStore, isDamage, namingDamage } from './damage.js';
import { ASK_OWNER, claim } from './ownership.js';
import { quoted } from './quoted.js';
import { prepareSchema } from './schema.js';
import { makeFolder } from '../../pipeline/base/folders.js';
import { errorText, codedError } from '../../pipeline/base/error-text.js';
import { InputError } from '../../pipeline/base/input-error.js';

/** An open store. `close` merges the log into the file and releases it. */
export interface Database {
  readonly path: string;
  /** True if the file is new. */
  readonly isNew: boolean;
  /** Opens connections to it. */
  readonly instance: Connectable;
  close(): Promise<void>;
}

export type Connectable = Pick<DuckDBInstance, 'connect'>;

export interface DatabaseOptions {
  /** Key of the encrypted file ({@link storeKey}); null or absent: it is not encrypted. */
  readonly key?: string | null;
  readonly memoryLimitBytes: number;
  readonly walLimitBytes: number;
  /** Threads that compute a query. Default: one for each core. */
  readonly threads?: number;
  /** Opens read-only; not even the schema is written. */
  readonly readOnly?: boolean;
  /** Lets SQL read and write other files (export needs it). */
  readonly externalAccess?: boolean;
  /** Allows encrypted files to be written, even if the store itself is not encrypted. */
  readonly encrypts?: boolean;
  /** The only folder that SQL may write copies of the store to. */
  readonly copiesTo?: string;
}

/**
 * Opens the store at `path` as its one owner, creating file, folder and tables if they are missing.
 * @throws Error if another process or thread has it, or if it is not a csiflow store, or one of a newer
 * csiflow.
 */
export async function openDatabase(path: string, options: DatabaseOptions): Promise<Database> {
  if (!options.readOnly) makeFolder(dirname(path));
  const release = claim(path);
  const isNew = !existsSync(path);
  try {
    // Otherwise DuckDB would create an empty file and discard the log.
    if (isNew && existsSync(`${path}.wal`)) throw damagedStore(path, `${path} is missing beside its log`);
    const instance = await openInstance(path, options);
    const connectable = options.key ? within(instance) : instance;
    try {
      await namingDamage(path, () =>
        withConnection(connectable, (connection) =>
          prepareSchema(connection, path, options.readOnly === true),
        ),
      );
    } catch (error) {
      instance.closeSync();
      throw error;
    }
    return {
      path,
      isNew,
      instance: connectable,
      close: async () => {
        try {
          if (!options.readOnly)
            await namingDamage(path, () =>
              withConnection(connectable, (connection) => connection.run('CHECKPOINT')),
            );
        } finally {
          try {
            instance.closeSync();
          } finally {
            release();
          }
        }
      },
    };
  } catch (error) {
    // A partially written new file, left by a full disk, would be reported as damaged at the next start.
    if (isNew && !options.readOnly) rmSync(path, { force: true });
    release();
    throw error;
  }
}

export async function withConnection<T>(
  instance: Connectable,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
  }
}

/** Connections to the encrypted file of an instance, which is attached to one without a file. */
const within = (instance: DuckDBInstance): Connectable => ({
  connect: async () => {
    const connection = await instance.connect();
    await connection.run(`USE ${ATTACHED}`);
    return connection;
  },
});

const ATTACHED = 'csiflow_store';

/** Key of a DuckDB file, in DuckDB's form, from the secret of a topology. */
export const storeKey = (secret: Uint8Array): string => derivedKey(secret, 'duckdb').toString('hex');

async function openInstance(path: string, options: DatabaseOptions): Promise<DuckDBInstance> {
  const { copiesTo, externalAccess = false, key = null } = options;
  try {
    const instance = await DuckDBInstance.create(key === null ? path : ':memory:', {
      memory_limit: `${options.memoryLimitBytes}B`,
      checkpoint_threshold: `${options.walLimitBytes}B`,
      ...(options.threads !== undefined && { threads: String(options.threads) }),
      // Statements of the store read no other file, and fetch nothing from a network.
      enable_external_access: String(externalAccess || copiesTo !== undefined || key !== null),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      ...((key !== null || options.encrypts) && ENCRYPTED),
      ...(key === null && options.readOnly && { access_mode: 'READ_ONLY' }),
      ...(key !== null && { temp_directory: `${path}.tmp` }),
    });
    if (key !== null) await attach(instance, path, key, options);
    if (copiesTo !== undefined) await withConnection(instance, (connection) => confine(connection, copiesTo));
    return instance;
  } catch (error) {
    const message = errorText(error);
    if (WRONG_KEY.test(message)) throw codedError('store.encryption', wrongKey(path, message), error);
    if (/\block\b/i.test(message))
      throw codedError('EBUSY', `${path} is open in another process${holder(message)}. ${ASK_OWNER}`, error);
    if (options.readOnly && /not a valid DuckDB/i.test(message))
      throw new InputError(
        `${path} is not a DuckDB store, or its first bytes are damaged: name the file of a duckdb sink, or restore it from a backup (\`csiflow restore\`)`,
        { cause: error },
      );
    if (isDamage(message))
      throw damagedStore(path, `${path} is damaged, or no DuckDB file (${message})`, error);
    throw codedError(
      /no space left/i.test(message) ? 'ENOSPC' : 'EIO',
      `${path} cannot be opened: ${message}`,
      error,
    );
  }
}

/**
 * DuckDB writes encrypted files by itself only if its own source of random numbers is accepted:
 * docs/privacy.md explains what that means. The key does not come from there.
 */
const ENCRYPTED = { force_mbedtls_unsafe: 'true', temp_file_encryption: 'true' };

async function attach(
  instance: DuckDBInstance,
  path: string,
  key: string,
  { readOnly = false, externalAccess = false, copiesTo }: DatabaseOptions,
): Promise<void> {
  try {
    await withConnection(instance, async (connection) => {
      const mode = readOnly ? ', READ_ONLY' : '';
      await connection.run(`ATTACH ${quoted(path)} AS ${ATTACHED} (ENCRYPTION_KEY ${quoted(key)}${mode})`);
      if (!externalAccess && copiesTo === undefined)
        await connection.run('SET enable_external_access = false');
    });
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

const WRONG_KEY = /wrong encryption key|without a key|is not encrypted/i;

function wrongKey(path: string, message: string): string {
  if (/wrong/i.test(message))
    return `${path} was encrypted with another key: put the right one into privacy.key of the state folder, or into settings.privacy.key`;
  const was = /without a key/i.test(message);
  return `${path} is ${was ? '' : 'not '}encrypted: set settings.privacy.enable_encryption to ${String(was)} again, or set another path for the sink; existing data can be exported (see docs/privacy.md)`;
}

/** From now on, SQL can access only this folder. */
async function confine(connection: DuckDBConnection, folder: string): Promise<void> {
  await connection.run(`SET allowed_directories = [${quoted(folder)}]`);
  await connection.run('SET enable_external_access = false');
}

const holder = (message: string): string => {
  const pid = /PID (\d+)/.exec(message)?.[1];
  return pid ? ` (${pid})` : '';
};
