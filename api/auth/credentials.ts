import type { Context, Middleware } from 'koa';
import jwt from 'koa-jwt';
import { CLOCK_TOLERANCE_S, type Authenticator } from './authenticator.js';

/**
 * Leaves the account behind a valid bearer token or `X-API-Key` in `state.account`, null where there is none.
 * Whether one is needed, each endpoint says.
 */
export function readCredentials(authenticator: Authenticator): Middleware {
  // Its types do not know what it passes on to jsonwebtoken.
  const options = {
    secret: (header: Parameters<Authenticator['keyFor']>[0], payload: unknown) =>
      authenticator.keyFor(header, payload),
    passthrough: true,
    clockTolerance: CLOCK_TOLERANCE_S,
    key: 'jwt',
    tokenKey: 'token',
  };
  const check = jwt(options);
  const payloadOf = async (context: Context): Promise<unknown> => {
    const header = context.get('Authorization');
    if (header === '') return undefined;
    const known = header.startsWith(BEARER) && (await authenticator.recall(header.slice(BEARER.length)));
    if (known) return known;
    await check(context, () => Promise.resolve());
    const { jwt: payload, token } = context.state as { readonly jwt?: unknown; readonly token?: string };
    if (token !== undefined) await authenticator.remember(token, payload);
    return payload;
  };
  return async (context, next) => {
    const payload = await payloadOf(context);
    const key = context.get('X-API-Key');
    const caller = authenticator.callerOf(payload) ?? (key === '' ? null : authenticator.apiKey(key));
    context.state.account = caller?.account ?? null;
    await next();
  };
}

const BEARER = 'Bearer ';
