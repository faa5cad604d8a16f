import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
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
  const turns = new WeakMap<Socket, Turns>();
  return (request, response) => {
    const { socket } = request;
    let ofSocket = turns.get(socket);
    if (!ofSocket) turns.set(socket, (ofSocket = new Turns(socket, handle)));
    ofSocket.add(request, response);
  };
}

/** Requests of a connection. */
class Turns {
  readonly #socket: Socket;
  readonly #handle: RequestListener;
  readonly #waiting: (() => void)[] = [];
  #busy = false;
  #refused = false;

  constructor(socket: Socket, handle: RequestListener) {
    this.#socket = socket;
    this.#handle = handle;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#busy) this.#begin(request, response);
    else if (this.#waiting.length < MAX_WAITING)
      this.#waiting.push(() => {
        this.#begin(request, response);
      });
    else if (!this.#refused) {
      this.#refused = true;
      this.#waiting.push(() => {
        refuse(response);
      });
    }
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#busy = true;
    response.once('close', this.#ended);
    this.#handle(request, response);
  }

  readonly #ended = (): void => {
    // In a separate turn of the event loop, so that requests of others come in between.
    if (this.#waiting.length > 0) setImmediate(this.#next);
    else this.#busy = false;
  };

  readonly #next = (): void => {
    const begin = this.#socket.destroyed ? undefined : this.#waiting.shift();
    if (begin) begin();
    else this.#busy = false;
  };
}

/** Ends the connection: later requests are not answered. */
function refuse(response: ServerResponse): void {
  response.writeHead(429, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(
    `More than ${MAX_WAITING} requests were sent ahead on this connection. Send the next one after receiving an answer.\n`,
  );
}
