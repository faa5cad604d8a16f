import type { Context, Middleware } from 'koa';
import jwt from 'koa-jwt';
import { CLOCK_TOLERANCE_S, presented, type Authenticator } from './authenticator.js';

/**
 * Stores the account of a valid bearer token or `X-API-Key` in `state.account`, null if there is none, and in
 * `state.guessed` whether the credential was invented. Each endpoint decides whether an account is required.
 */
export function readCredentials(authenticator: Authenticator): Middleware {
  // Its types omit the arguments for jsonwebtoken: the payload, the tolerance, and keys of Node.js.
  const options = {
    secret: ((header: Parameters<Authenticator['keyFor']>[0], payload: unknown) =>
      authenticator.keyFor(header, payload)) as jwt.SecretLoader,
    passthrough: true,
    clockTolerance: CLOCK_TOLERANCE_S,
    key: 'jwt',
    tokenKey: 'token',
  };
  const check = jwt(options);
  const payloadOf = async (context: Context, given: string | null): Promise<unknown> => {
    if (given === null) return undefined;
    const known = await authenticator.recall(given);
    if (known) return known;
    await check(context, () => Promise.resolve());
    const { jwt: payload, token } = context.state as { readonly jwt?: unknown; readonly token?: string };
    if (token !== undefined) await authenticator.remember(token, payload);
    return payload;
  };
  return async (context, next) => {
    const given = presented(bearerOf(context), context.get('X-API-Key') || null);
    const payload = await payloadOf(context, given.token);
    const caller =
      authenticator.callerOf(payload) ?? (given.key === null ? null : authenticator.apiKey(given.key));
    context.state.account = caller?.account ?? null;
    context.state.guessed = caller === null && (await authenticator.isGuess(given));
    await next();
  };
}

/** Null if the header is missing or of another kind. */
const bearerOf = (context: Context): string | null =>
  /^Bearer (.+)$/i.exec(context.get('Authorization'))?.[1] ?? null;
