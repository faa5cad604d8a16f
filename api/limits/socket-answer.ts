import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, errorBody } from '../contract/errors.js';
import type { Form } from '../contract/form.js';
import { addressKey } from './addresses.js';
import type { Limits } from './limits.js';

/**
 * Answers a bare socket, where no HTTP answer can be made, as the service interface answers errors: counts it by
 * address as a call of pose data, and closes the connection.
 */
export async function answerSocket(
  socket: Duplex,
  error: ApiError,
  form: Form,
  limits: Limits,
): Promise<void> {
  socket.on('error', () => {
    socket.destroy();
  });
  const address = socket instanceof Socket ? (socket.remoteAddress ?? '') : '';
  const { said, headers } = await counted(limits, form, addressKey(address), error);
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(form, said, new Date().toISOString(), requestId));
  const lines = Object.entries({
    ...headers,
    ...said.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  if (!socket.writable) return;
  socket.end(
    `HTTP/1.1 ${said.status} ${STATUS_CODES[said.status] ?? ''}\r\n${lines.join('')}\r\n${body}`,
    () => {
      socket.destroy();
    },
  );
}

async function counted(
  limits: Limits,
  form: Form,
  caller: string,
  error: ApiError,
): Promise<{ said: ApiError; headers: Readonly<Record<string, string>> }> {
  try {
    return { said: error, headers: await limits.take(form, 'pose_data', caller) };
  } catch (refused) {
    if (!(refused instanceof ApiError)) throw refused;
    return { said: refused, headers: refused.headers };
  }
}
