import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import type { Authenticator } from '../../service/accounts/authenticator.js';
import { readCredentials } from '../../service/accounts/credentials.js';
import { ROLES, type Account, type Role } from '../../service/accounts/roles.js';
import { ApiError } from '../../service/errors.js';
import { addressKey } from '../../service/limits/addresses.js';
import type { Hosts } from '../../service/limits/hosts.js';
import type { Limits } from '../../service/limits/limits.js';

/**
 * Why a call is rejected because of its `Host`; null if it is accepted. 421: the name is not this service's.
 * 400: there are several, and a proxy may have used a different one than Node, which uses the first (RFC
 * 9112, section 3.2).
 */
export function hostProblem({ headers, rawHeaders }: IncomingMessage, hosts: Hosts): ApiError | null {
  const given = hostHeaders(rawHeaders);
  if (given > 1) {
    const message = `Send exactly one Host header: this request has ${given}`;
    return new ApiError('BAD_REQUEST', message, {
      headers: { Connection: 'close' },
      details: { fields: [{ field: 'Host', message, received: null }] },
    });
  }
  if (hosts.allows(headers.host)) return null;
  return new ApiError('MISDIRECTED', 'This service does not have that host name: add it with --allow-host');
}

/** @throws ApiError see {@link hostProblem} */
export const requireHost =
  (hosts: Hosts): Middleware =>
  (context, next) => {
    const problem = hostProblem(context.req, hosts);
    if (problem) throw problem;
    return next();
  };

/** Names and values alternate in `rawHeaders`. */
function hostHeaders(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** The call has no valid credential. */
export const unauthenticated = (): ApiError =>
  new ApiError(
    'AUTHENTICATION_ERROR',
    'Send a valid access token (Authorization: Bearer <token>) or key (X-API-Key: <key>)',
    { headers: { 'WWW-Authenticate': 'Bearer' } },
  );

/** @throws ApiError 401 without an account, 403 for one with too few rights. */
export function requireRole(access: Role | 'open', account: Account | null): void {
  if (access === 'open') return;
  if (!account) throw unauthenticated();
  if (ROLES.indexOf(account.role) < ROLES.indexOf(access)) {
    throw new ApiError(
      'AUTHORIZATION_ERROR',
      `This requires the role ${access}; ${account.name} is ${account.role}`,
    );
  }
}

/** Paths at the root, outside the service interface, that reveal data about the rooms. */
const TELLING_PATHS = ['/metrics', '/scene.json'];

/** @throws ApiError 401 for these without a credential, 429 after too many invalid credentials. */
export function requireLogin(authenticator: Authenticator, limits: Limits): Middleware {
  const read = readCredentials(authenticator);
  return async (context, next) => {
    if (!TELLING_PATHS.includes(context.path)) {
      await next();
      return;
    }
    await read(context, async () => {
      if (context.state.guessed) await limits.takeWrongCredential(addressKey(context.ip));
      requireRole('viewer', context.state.account);
      await next();
    });
  };
}
