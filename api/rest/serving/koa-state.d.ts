import type { Account } from '../../service/accounts/roles.js';

declare module 'koa' {
  /** What the middlewares of this application leave for each other. */
  interface DefaultState {
    requestId: string;
    account: Account | null;
    /** The credential that it came with was made up, so that somebody may be guessing. */
    guessed: boolean;
    /** Code of the error that is answered. */
    problem?: string;
    /** What of the call stands in the audit log. */
    audit?: Readonly<Record<string, unknown>>;
    /** What the handler does for the call. */
    work?: Promise<unknown>;
  }
}
