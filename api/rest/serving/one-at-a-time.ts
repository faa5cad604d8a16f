import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for their turn; current browsers and clients send none ahead. */
const MAX_WAITING = 256;

/**
 * Begins a request when the one before it on the same connection has been answered. HTTP lets a client send
 * requests ahead, and Node begins all that stand in one read, hundreds: their answers would all be held for a
 * client that reads none. A client that sends too many ahead gets answers to those within the limit, then
 * 429, and is disconnected.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  const refused = new WeakSet<Socket>();
  const next = (socket: Socket): void => {
    const begin = socket.destroyed ? undefined : queues.get(socket)?.shift();
    if (begin) begin();
    else queues.delete(socket);
  };
  return (request, response) => {
    const { socket } = request;
    const begin = () => {
      // In a separate turn of the event loop, so that requests of others come in between.
      response.once('close', () => setImmediate(next, socket));
      handle(request, response);
    };
    const queue = queues.get(socket);
    if (!queue) {
      queues.set(socket, []);
      begin();
    } else if (queue.length < MAX_WAITING) queue.push(begin);
    else if (!refused.has(socket)) {
      refused.add(socket);
      queue.push(() => {
        refuse(response);
      });
    }
  };
}

/** Ends the connection: later requests are not answered. */
function refuse(response: ServerResponse): void {
  response.writeHead(429, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(
    `More than ${MAX_WAITING} requests were sent ahead on this connection. Send the next one after receiving an answer.\n`,
  );
}
