import type { Context, Middleware } from 'koa';
import jwt from 'koa-jwt';
import {
  CLOCK_TOLERANCE_S,
  presented,
  type Authenticator,
  type Caller,
  type Presented,
} from './authenticator.js';

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
  const checked = new CheckedNow();
  const callerOf = async (context: Context, given: Presented): Promise<Caller | null> => {
    const payload = await payloadOf(context, given.token);
    const caller = authenticator.callerOf(payload);
    if (caller && given.token !== null) checked.add(given.token, caller);
    return caller ?? (given.key === null ? null : authenticator.apiKey(given.key));
  };
  return async (context, next) => {
    const given = presented(bearerOf(context), context.get('X-API-Key') || null);
    const caller = checked.callerOf(given.token) ?? (await callerOf(context, given));
    context.state.account = caller?.account ?? null;
    context.state.guessed = caller === null && (await authenticator.isGuess(given));
    await next();
  };
}

/**
 * Callers whose tokens were checked in this turn of the event loop: calls that arrive together share one check of
 * signature, session, user and role, and of the files that other processes may have changed. Nobody can have
 * received the answer of a call that ends a session before the turn is over.
 */
class CheckedNow {
  readonly #callers = new Map<string, Caller>();

  callerOf(token: string | null): Caller | undefined {
    return token === null ? undefined : this.#callers.get(token);
  }

  add(token: string, caller: Caller): void {
    if (this.#callers.size === 0)
      setImmediate(() => {
        this.#callers.clear();
      });
    this.#callers.set(token, caller);
  }
}

/** Null if the header is missing or of another kind. */
const bearerOf = (context: Context): string | null =>
  /^Bearer (.+)$/i.exec(context.get('Authorization'))?.[1] ?? null;
