import { createConnection, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { errorText } from '../../../pipeline/base/error-text.js';

/** Calls that the process of the client makes. */
export interface CallOrder {
  readonly port: number;
  readonly path: string;
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface CallReport {
  readonly calls: number;
  readonly perSecond: number;
  /** From the last byte of a request to the last of its answer, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes of the last answer, headers included. */
  readonly bytes: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * Keeps one call in flight on each connection. It reads of an answer only its status and length: a client of
 * Node's own would need more processor time than the server that it measures.
 */
async function call({ port, path, headers, connections, seconds }: CallOrder): Promise<CallReport> {
  const lines = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''];
  const request = Buffer.from(lines.join('\r\n'));
  const times: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const [bytes] = await Promise.all(
    Array.from({ length: connections }, () =>
      repeat(createConnection(port, '127.0.0.1'), request, end, times),
    ),
  );
  const perSecond = (times.length * 1000) / (performance.now() - begun);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1]!;
  return { calls: times.length, perSecond, p50: at(0.5), p99: at(0.99), bytes: bytes! };
}

/** Resolves with the bytes of the first answer after `end`. @throws Error for an answer other than 200 */
function repeat(socket: Socket, request: Buffer, end: number, times: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    let sent = 0;
    const send = (): void => {
      sent = performance.now();
      socket.write(request);
    };
    const answered = (length: number): void => {
      const now = performance.now();
      times.push(now - sent);
      if (now < end) send();
      else
        socket.end(() => {
          resolve(length);
        });
    };
    socket.setNoDelay(true);
    socket.once('connect', send).once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = lengthOf(received);
      if (typeof length === 'string') reject(new Error(length));
      else if (length !== null && received.length >= length) {
        received = received.subarray(length);
        answered(length);
      }
    });
  });
}

/** Bytes of an answer; null while its headers are incomplete; what is wrong if it is not 200 with a length. */
function lengthOf(received: Buffer): number | string | null {
  const head = received.indexOf(HEAD_END);
  if (head < 0) return null;
  const text = received.toString('latin1', 0, head);
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (!text.startsWith('HTTP/1.1 200')) return `it answered ${text.split('\r\n', 1)[0]!}`;
  if (length === undefined) return 'its answer has no Content-Length';
  return head + HEAD_END.length + Number(length);
}

process.once('message', (order: CallOrder) => {
  void call(order).then(
    (report) => process.send!(report),
    (error: unknown) => {
      process.stderr.write(`http://127.0.0.1:${order.port}${order.path}: ${errorText(error)}\n`);
      process.exit(1);
    },
  );
});
