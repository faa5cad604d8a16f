import type { Account } from './auth/roles.js';

declare module 'koa' {
  /** What the middlewares of this application leave for each other. */
  interface DefaultState {
    requestId: string;
    account: Account | null;
  }
}
