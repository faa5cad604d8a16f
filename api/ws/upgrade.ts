import type { IncomingMessage } from 'node:http';
import {
  presented,
  type Authenticator,
  type Caller,
  type Presented,
} from '../service/accounts/authenticator.js';
import { unauthenticated } from '../rest/serving/access.js';
import { ApiError } from '../service/errors.js';
import type { Limits } from '../service/limits/limits.js';

/** By token or, for services, by API key. */
export async function callerOf(
  authenticator: Authenticator,
  { token, key }: Presented,
): Promise<Caller | null> {
  const caller = token === null ? null : await authenticator.bearer(token);
  return caller ?? (key === null ? null : authenticator.apiKey(key));
}

/** Why an invalid credential is refused: 401, or 429 after too many invented credentials from that address. */
export async function whyRefused(
  authenticator: Authenticator,
  limits: Limits,
  presented: Presented,
  address: string,
): Promise<ApiError> {
  try {
    if (await authenticator.isGuess(presented)) await limits.takeWrongCredential(address);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  return unauthenticated();
}

export function presentedBy(request: IncomingMessage, url: URL): Presented {
  const key = request.headers['x-api-key'];
  return presented(tokenOf(request, url), typeof key === 'string' && key !== '' ? key : null);
}

/** From `?token=`, `Authorization`, or the subprotocol list `["pose_v1", "<token>"]`. */
function tokenOf(request: IncomingMessage, url: URL): string | null {
  const fromQuery = url.searchParams.get('token');
  if (fromQuery) return fromQuery;
  const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return bearer;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim());
  return protocols.find((part) => part.split('.').length === 3) ?? null;
}
