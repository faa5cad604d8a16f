import type { Middleware } from 'koa';
import jwt from 'koa-jwt';
import type { Authenticator } from './authenticator.js';

/**
 * Leaves the account behind a valid bearer token or `X-API-Key` in `state.account`, null where there is none.
 * Whether one is needed, each endpoint says.
 */
export function readCredentials(authenticator: Authenticator): Middleware {
  const check = jwt({
    secret: (header: Parameters<Authenticator['keyFor']>[0], payload: unknown) =>
      authenticator.keyFor(header, payload),
    passthrough: true,
    key: 'jwt',
  });
  return async (context, next) => {
    await check(context, async () => {
      const key = context.get('X-API-Key');
      const caller =
        authenticator.callerOf(context.state['jwt']) ?? (key === '' ? null : authenticator.apiKey(key));
      context.state.account = caller?.account ?? null;
      await next();
    });
  };
}
