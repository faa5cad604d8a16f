import { InputError } from './input-error.js';

/** Exit codes of every command. */
export const EXIT = {
  /** Success. */
  fine: 0,
  /** The work failed. */
  failed: 1,
  /** The input is invalid: arguments, a topology, a recording. */
  invalid: 2,
  /** Something it requires is missing: a port, a disk, a server. */
  unavailable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a message on stderr and an exit code; no stack is shown. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** System error codes that blame the environment rather than the input. */
const SURROUNDINGS = new Set([
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'ENOSPC',
  'EROFS',
  'EMFILE',
  'ENOTDIR',
  'EISDIR',
  'EBUSY',
  // Another csiflow has locked the state folder, or a store.
  'state.locked',
  'store.locked',
  'lock.unsupported',
  // The disk of the state folder is full.
  'state.write',
  // One of csiflow's own files is damaged.
  'state.corrupt',
  'store.damaged',
  'EIO',
]);

/** The exit code for an error. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof InputError) return EXIT.invalid;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && SURROUNDINGS.has(code) ? EXIT.unavailable : EXIT.failed;
}
