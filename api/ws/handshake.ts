import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerSocket } from '../rest/serving/socket-answer.js';
import { ApiError } from '../service/errors.js';
import type { Form } from '../service/form.js';
import type { Limits } from '../service/limits/limits.js';

/** Limit of connections per address. */
export const CONNECTIONS_PER_ADDRESS = 100;

/** Data of a connection request. */
export interface Upgrading {
  /** Paths of the WebSocket, with the form of persons there. */
  readonly paths: ReadonlyMap<string, Form>;
  /** The form of errors at another path. */
  readonly formAt: (path: string) => Form;
  /** Refused connections show the remaining limits; invented credentials are counted. */
  readonly limits: Limits;
}

/** The limit of 8.4, although it has no window: retry in a minute. @param now milliseconds since 1970 */
export function tooManyConnections(now: number): ApiError {
  const windowSeconds = 60;
  const resetAt = new Date(now + windowSeconds * 1000).toISOString();
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `An address may have at most ${CONNECTIONS_PER_ADDRESS} connections: wait ${windowSeconds} seconds, or close one`,
    {
      details: { limit: { limit: CONNECTIONS_PER_ADDRESS, windowSeconds, resetAt } },
      headers: { 'Retry-After': String(windowSeconds) },
    },
  );
}

export const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** In the form of the requested path. */
export function refuse(
  request: IncomingMessage,
  socket: Duplex,
  error: ApiError,
  { paths, formAt, limits }: Upgrading,
): Promise<void> {
  const path = urlOf(request)?.pathname ?? '/';
  return answerSocket(socket, error, paths.get(path) ?? formAt(path), limits);
}

export const urlOf = ({ url = '/' }: IncomingMessage): URL | null =>
  URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : null;

/** An invalid handshake: the header lists the supported versions (RFC 6455, section 4.4). */
export const unreadable = ({ message }: Error): ApiError =>
  new ApiError('BAD_REQUEST', message, { headers: { 'Sec-WebSocket-Version': '13, 8' } });

export const notSpoken = (): ApiError =>
  new ApiError('BAD_REQUEST', 'The only protocol besides HTTP/1.1 is WebSocket: remove the header Upgrade');
