import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, statusOf } from '../../contract/errors.js';
import { type ApiError } from '../../service/errors.js';
import type { Form } from '../../service/form.js';
import { addressKey } from '../../service/limits/addresses.js';
import type { Limits } from '../../service/limits/limits.js';

/**
 * Answers a bare socket, where no HTTP answer is possible, with an error of the service interface, and closes
 * the connection. It counts against no limit: the headers show the address's remaining calls of pose data.
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
  const headers = await limits.show(form, 'pose_data', addressKey(address));
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(form, error, new Date().toISOString(), requestId));
  const lines = Object.entries({
    ...headers,
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = statusOf(error);
  if (!socket.writable) return;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`, () => {
    socket.destroy();
  });
}
