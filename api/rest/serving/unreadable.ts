import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../service/errors.js';
import type { Form } from '../../service/form.js';
import type { Limits } from '../../service/limits/limits.js';
import { answerSocket } from './socket-answer.js';

export interface Answering {
  /** The form of the mount that contains a path. */
  readonly formOf: (path: string) => Form;
  readonly limits: Limits;
}

/**
 * Answers requests that HTTP's parser rejects (smuggled or truncated requests, headers that are too large,
 * requests that never end) with an error of the service interface, counts them by address, and closes the
 * connection.
 */
export function answerUnreadable(server: Server, answering: Answering): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    answers.set(request.socket, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    const begun = answers.get(socket);
    // A partly sent answer cannot be replaced.
    if (
      error.code === 'ECONNRESET' ||
      !socket.writable ||
      (begun?.headersSent === true && !begun.writableEnded)
    )
      socket.destroy();
    else void answer(socket, whyRefused(error.code), error.rawPacket, answering);
  });
  server.on('connect', (_request, socket) => {
    void answer(
      socket,
      new ApiError('METHOD_NOT_ALLOWED', 'This service is not a proxy'),
      undefined,
      answering,
    );
  });
}

function whyRefused(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('HEADERS_TOO_LARGE', 'Address and headers may have at most 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('REQUEST_TIMEOUT', 'The request did not end in time');
  const message = 'The request is not valid HTTP/1.1';
  return new ApiError('BAD_REQUEST', message, {
    details: { fields: [{ field: 'request', message, received: null }] },
  });
}

function answer(
  socket: Duplex,
  error: ApiError,
  packet: Buffer | undefined,
  { formOf, limits }: Answering,
): Promise<void> {
  return answerSocket(socket, error, formOf(pathOf(packet)), limits);
}

/** As far as it was read: the first line itself may be malformed. */
const pathOf = (packet: Buffer | undefined): string =>
  /^[A-Z]+ (\/[^ ?]*)/.exec(packet?.toString('latin1', 0, 256) ?? '')?.[1] ?? '/';
