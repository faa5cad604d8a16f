import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { errorText, codedError } from './error-text.js';

/**
 * The part of fs-native-extensions that csiflow uses: an open file description lock of fcntl, or `flock`
 * where the system has none.
 */
interface Locks {
  /** False if another holder has it. */
  tryLock(descriptor: number): boolean;
}

/** A lock file that is removed between opening and locking is created again, up to this many times. */
const ATTEMPTS = 10;

/**
 * Creates a file and takes an exclusive lock on it. The lock belongs to the open file, not to a process
 * number, so it holds between processes, threads and containers that see the same file, and the system
 * releases it when its holder ends.
 * @returns a function that releases it
 * @throws Error `lock.held` with the `holder`; `lock.unsupported` if the platform or the file system has no
 * locks;
 *   the system's error if the file cannot be created
 */
export function lockFile(file: string): () => void {
  const locks = loadLocks();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const descriptor = openSync(file, 'a+', 0o600);
    try {
      if (!tryLock(locks, descriptor, file)) throw held(file);
      if (isStill(file, descriptor)) return releaseOf(file, noted(descriptor, file));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    closeSync(descriptor);
  }
  throw codedError('lock.unsupported', `${file} cannot be locked: another program keeps removing it`);
}

/** Names the holder, for error messages of other processes. */
function noted(descriptor: number, file: string): number {
  try {
    ftruncateSync(descriptor);
    writeSync(descriptor, `process ${process.pid} on ${hostname()}`);
  } catch (error) {
    // Errors of open files do not contain the file's name.
    const { code, message } = error as NodeJS.ErrnoException;
    throw Object.assign(new Error(`${file} cannot be written: ${message}`, { cause: error }), { code });
  }
  return descriptor;
}

/**
 * Removes the file while it is still locked: a process that has opened it in the meantime notices that the
 * path no longer leads to it.
 */
function releaseOf(file: string, descriptor: number): () => void {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    try {
      if (isStill(file, descriptor)) rmSync(file);
    } finally {
      closeSync(descriptor);
    }
  };
}

function isStill(file: string, descriptor: number): boolean {
  const there = statSync(file, { bigint: true, throwIfNoEntry: false });
  const opened = fstatSync(descriptor, { bigint: true });
  return there?.ino === opened.ino && there.dev === opened.dev;
}

function tryLock(locks: Locks, descriptor: number, file: string): boolean {
  try {
    return locks.tryLock(descriptor);
  } catch (error) {
    throw codedError(
      'lock.unsupported',
      `${file} cannot be locked (${errorText(error)}): its file system supports no locks. Use a folder on a local disk`,
      error,
    );
  }
}

/** Loaded on demand: `validate` and similar commands work on platforms without it. */
function loadLocks(): Locks {
  try {
    return createRequire(import.meta.url)('fs-native-extensions') as Locks;
  } catch (error) {
    throw codedError(
      'lock.unsupported',
      `fs-native-extensions has no file locks for ${process.platform}-${process.arch}: csiflow runs on Linux with glibc, macOS and Windows (x64, arm64)`,
      error,
    );
  }
}

function held(file: string): Error {
  const holder = readFileSync(file, 'utf8') || 'another process';
  return Object.assign(codedError('lock.held', `${file} is locked by ${holder}`), { holder });
}

/** The holder named by an error of {@link lockFile}; undefined for any other error. */
export const holderOf = (error: unknown): string | undefined =>
  error instanceof Error && 'holder' in error && 'code' in error && error.code === 'lock.held'
    ? String(error.holder)
    : undefined;
