import type { Account } from '../../service/accounts/roles.js';

declare module 'koa' {
  /** State that the middlewares of this application share. */
  interface DefaultState {
    requestId: string;
    account: Account | null;
    /** The credential was invented, so somebody may be guessing. */
    guessed: boolean;
    /** Code of the error that is answered. */
    problem?: string;
    /** Parts of the call for the audit log. */
    audit?: Readonly<Record<string, unknown>>;
    /** What the handler does for the call. */
    work?: Promise<unknown>;
  }
}
