import { IncomingMessage, ServerResponse, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Answers a call that requests an unsupported protocol as if it had not: RFC 9110, section 7.8. Some clients
 * request `h2c` with their first call (`curl --http2`, Java's HttpClient). Node passes those to the upgrade
 * handler, with their body unread.
 * @returns false if the body is chunked, which can no longer be read
 */
export function answerPlainly(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): boolean {
  if (!(socket instanceof Socket) || request.headers['transfer-encoding'] !== undefined) return false;
  const call = callOf(request, socket, head);
  const response = new ServerResponse(call);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.end();
  });
  socket.once('close', () => {
    call.destroy();
    response.emit('close');
  });
  server.emit('request', call, response);
  return true;
}

/** The same call with its body, which Node left on the socket. */
function callOf(request: IncomingMessage, socket: Socket, head: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const call = new IncomingMessage(socket);
  const of = { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor };
  Object.assign(call, of);
  let left = Number(headers['content-length'] ?? 0);
  const take = (chunk: Buffer): void => {
    if (left === 0) return;
    call.push(chunk.subarray(0, left));
    left -= Math.min(left, chunk.length);
    if (left === 0) end();
  };
  const end = (): void => {
    call.complete = true;
    call.push(null);
  };
  if (left === 0) end();
  take(head);
  socket.on('data', take);
  return call;
}
