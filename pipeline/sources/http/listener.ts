import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createPlain,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { errorText } from '../../base/error-text.js';
import { bindError } from '../bind-error.js';

export interface ListenerSettings {
  readonly host: string;
  readonly port: number;
  readonly route: string;
  readonly token?: string;
  readonly max_body_bytes: number;
  /** PEM, both or none. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
}

/** An answer other than what `take` gives. */
export class Refusal extends Error {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** What the answer says besides. */
  readonly facts: object | undefined;

  constructor(status: number, message: string, retryAfter?: number, facts?: object) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.retryAfter = retryAfter;
    this.facts = facts;
  }
}

/** What a sender has posted. */
export interface Posted {
  readonly bytes: Uint8Array;
  /** Its own name (`?sender=`), otherwise the address of its host. */
  readonly sender: string;
}

/** Bodies that are read at the same time: with their size limit, they bound the memory. */
const MAX_BODIES = 16;
const MAX_CONNECTIONS = 512;
/** Time limit for a whole body, milliseconds: slower senders occupy a slot. */
const BODY_MS = 30_000;
const SENDER_BYTES = 256;

/** Accepts POSTs at one path, and answers each with the result of `take`, as JSON. */
export class Listener {
  readonly #settings: ListenerSettings;
  readonly #take: (posted: Posted) => Promise<object>;
  readonly #server: Server;
  readonly #log: (message: string) => void;
  readonly #underWay = new Set<Promise<void>>();
  #closing = false;
  #refused = 0;

  /**
   * @param take rejects with a {@link Refusal} if it does not accept everything
   * @param log receives other errors
   */
  constructor(
    settings: ListenerSettings,
    take: (posted: Posted) => Promise<object>,
    log: (message: string) => void,
  ) {
    this.#log = log;
    this.#settings = settings;
    this.#take = take;
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      const answered = this.#answer(request, response).finally(() => this.#underWay.delete(answered));
      this.#underWay.add(answered);
    };
    const limits = { requestTimeout: BODY_MS, headersTimeout: BODY_MS, maxHeaderSize: 16_384 };
    this.#server = settings.tls
      ? createTls({ ...limits, ...settings.tls }, handle)
      : createPlain(limits, handle);
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** @throws Error that says what to do, with the system's code */
  async open(): Promise<AddressInfo> {
    const { host, port } = this.#settings;
    this.#server.listen({ host, port });
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      throw bindError(error as NodeJS.ErrnoException, { protocol: 'TCP', options: '-tlpn', host, port });
    }
    return this.#server.address() as AddressInfo;
  }

  /** Rejected calls. */
  get refused(): number {
    return this.#refused;
  }

  /** Accepts nothing more, and finishes current calls. */
  async close(): Promise<void> {
    this.#closing = true;
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    await Promise.allSettled(this.#underWay);
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://host');
      this.#admit(request, url);
      const bytes = await unpacked(request, await this.#read(request), this.#settings.max_body_bytes);
      const sender = url.searchParams.get('sender') ?? request.socket.remoteAddress ?? '';
      send(response, 200, await this.#take({ bytes, sender: sender.slice(0, SENDER_BYTES) }));
    } catch (error) {
      this.#refused++;
      const refusal = error instanceof Refusal ? error : this.#failed(error);
      const { status, message, retryAfter, facts } = refusal;
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      if (status === 405) response.setHeader('Allow', 'POST');
      if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
      // The rest of an unread body would be parsed as the next call.
      if (!request.complete) response.setHeader('Connection', 'close');
      send(response, status, { error: message, ...facts });
    }
  }

  /** @throws Refusal of a call whose body is not to be read */
  #admit(request: IncomingMessage, url: URL): void {
    const { route, token, max_body_bytes: most } = this.#settings;
    if (url.pathname !== route) throw new Refusal(404, `send frames to ${route}`);
    if (token !== undefined && !isToken(request.headers.authorization, token))
      throw new Refusal(401, 'send the token of this source: Authorization: Bearer TOKEN');
    if (request.method !== 'POST') throw new Refusal(405, 'frames are sent by POST');
    if (this.#closing) throw new Refusal(503, 'csiflow is stopping', RESTART_S);
    if (this.#underWay.size >= MAX_BODIES) throw new Refusal(429, 'too many concurrent senders', FULL_S);
    if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
  }

  #failed(error: unknown): Refusal {
    // A sender that disconnects in the middle of a body needs no answer.
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET'))
      this.#log(errorText(error));
    return new Refusal(503, 'csiflow could not accept it; see its log', RESTART_S);
  }

  async #read(request: IncomingMessage): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > this.#settings.max_body_bytes) throw tooLarge(this.#settings.max_body_bytes);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}

/** Seconds after which a sender may retry: the queue is full, or csiflow restarts. */
export const FULL_S = 1;
const RESTART_S = 5;

const tooLarge = (most: number): Refusal =>
  new Refusal(413, `a body has ${most} bytes at most: send fewer records in one request`);

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}

function isToken(given: string | undefined, token: string): boolean {
  const [, said = ''] = /^Bearer (.+)$/i.exec(given ?? '') ?? [];
  return timingSafeEqual(sha256(said), sha256(token));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const gunzipped = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

/** @throws Refusal if it cannot be unpacked, or becomes too large */
async function unpacked(request: IncomingMessage, bytes: Uint8Array, most: number): Promise<Uint8Array> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip && encoding === 'identity') return bytes;
  if (!isGzip) throw new Refusal(415, `Content-Encoding ${encoding}: only gzip is supported`);
  try {
    return await gunzipped(bytes, { maxOutputLength: most });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(most);
    throw new Refusal(400, 'the body is damaged: it cannot be unpacked');
  }
}
