import type { Account } from './contract/endpoint.js';

declare module 'koa' {
  /** What the middlewares of this application leave for each other. */
  interface DefaultState {
    requestId: string;
    account: Account | null;
  }
}
