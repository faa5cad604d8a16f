import type { Middleware } from 'koa';
import jwt from 'koa-jwt';
import type { ApiKeys } from './api-keys.js';
import { isAccess, type Tokens } from './tokens.js';
import type { Users } from './users.js';

interface Credentials {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly apiKeys: ApiKeys;
}

/**
 * Leaves the account behind a valid bearer token or `X-API-Key` in `state.account`, null where there is none.
 * Whether one is needed, each endpoint says.
 */
export function readCredentials({ users, tokens, apiKeys }: Credentials): Middleware {
  const check = jwt({
    secret: (header: { readonly kid?: string }) => {
      const key = tokens.keyOf(header.kid);
      return key ? Promise.resolve(key) : Promise.reject(new Error('no key signed this'));
    },
    algorithms: ['HS256'],
    passthrough: true,
    key: 'jwt',
  });
  return async (context, next) => {
    await check(context, async () => {
      const payload: unknown = context.state['jwt'];
      const key = context.get('X-API-Key');
      context.state.account = isAccess(payload)
        ? users.account(payload.sub)
        : key === ''
          ? null
          : (apiKeys.check(key, Date.now())?.account ?? null);
      await next();
    });
  };
}
