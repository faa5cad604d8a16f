import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerSocket } from '../rest/serving/socket-answer.js';
import { ApiError } from '../service/errors.js';
import type { Form } from '../service/form.js';
import type { Limits } from '../service/limits/limits.js';

/** Connections that one address may have. */
export const CONNECTIONS_PER_ADDRESS = 100;

/** What a connection is asked for with. */
export interface Upgrading {
  /** Where the WebSocket is, with the form that persons have there. */
  readonly paths: ReadonlyMap<string, Form>;
  /** The form that an error at another path is told in. */
  readonly formAt: (path: string) => Form;
  /** Refused connections show what is left of them; made-up credentials are counted. */
  readonly limits: Limits;
}

/** Of 8.4, though it has no window: the next look is worth it in a minute. @param now milliseconds since 1970 */
export function tooManyConnections(now: number): ApiError {
  const windowSeconds = 60;
  const resetAt = new Date(now + windowSeconds * 1000).toISOString();
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `An address may have ${CONNECTIONS_PER_ADDRESS} connections: wait ${windowSeconds} seconds, or close one`,
    {
      details: { limit: { limit: CONNECTIONS_PER_ADDRESS, windowSeconds, resetAt } },
      headers: { 'Retry-After': String(windowSeconds) },
    },
  );
}

export const asksForWebSocket = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

/** In the form of the path that was asked for. */
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

/** A handshake that is none: the header says which versions would be (RFC 6455, section 4.4). */
export const unreadable = ({ message }: Error): ApiError =>
  new ApiError('BAD_REQUEST', message, { headers: { 'Sec-WebSocket-Version': '13, 8' } });

export const notSpoken = (): ApiError =>
  new ApiError('BAD_REQUEST', 'Only WebSockets are spoken besides HTTP/1.1: leave the header Upgrade out');
