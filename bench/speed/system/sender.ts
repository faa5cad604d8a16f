import { createSocket } from 'node:dgram';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';

/** What a sender thread is told. */
export interface SenderOrder {
  readonly port: number;
  readonly links: number;
  /** Datagrams a second, over all links. */
  readonly rate: number;
  readonly seconds: number;
  /** Keep the time of each datagram; else only how many were sent. */
  readonly times: boolean;
}

export interface SenderReport {
  readonly sent: number;
  /** Microseconds since 1970 at which each was handed to the socket. */
  readonly times: Float64Array;
  readonly seconds: number;
}

const BINS = 64;
const BYTES = 20 + 2 * BINS;
/** Datagrams sent between two looks at the clock. */
const BURST = 16;
/** Up to this rate it sleeps between datagrams, and leaves its core to others; a millisecond then holds ten at most. */
const CALM_RATE = 10_000;

/** Sends ADR-018 datagrams of 64 bins in turn for each link, at a steady rate; a worker thread. */
async function send({ port, links, rate, seconds, times: keep }: SenderOrder): Promise<SenderReport> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => {
    socket.connect(port, '127.0.0.1', resolve);
  });
  socket.setSendBufferSize(4 << 20);
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // Nobody listens once the receiver has been killed, as it is meant to be.
    if (error.code !== 'ECONNREFUSED') throw error;
  });
  const datagrams = Array.from({ length: links }, (_, index) => datagram(index + 1));
  const sequences = new Uint32Array(links);
  const total = Math.round(rate * seconds);
  const times = new Float64Array(keep ? total : 0);
  const begun = performance.now();
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) * rate) / 1000));
    const until = Math.min(due, sent + BURST);
    while (sent < until) {
      const link = sent % links;
      const bytes = datagrams[link]!;
      bytes.writeUInt32LE(sequences[link]!++, 12);
      if (keep) times[sent] = (performance.timeOrigin + performance.now()) * 1000;
      // A copy: the socket sends later than the next change of the sequence number.
      socket.send(Buffer.from(bytes));
      sent++;
    }
    if (sent >= due && rate <= CALM_RATE) await new Promise((resolve) => setTimeout(resolve, 1));
    else if (sent % (BURST * 8) < BURST || sent >= due) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise<void>((resolve) => {
    socket.close(resolve);
  });
  return { sent, times, seconds: (performance.now() - begun) / 1000 };
}

function datagram(node: number): Buffer {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeUInt32LE(0xc5110001, 0);
  bytes.writeUInt8(node & 0xff, 4);
  bytes.writeUInt8(1, 5);
  bytes.writeUInt16LE(BINS, 6);
  bytes.writeUInt32LE(2437, 8);
  bytes.writeInt8(-50, 16);
  bytes.writeInt8(-92, 17);
  for (let at = 20; at < BYTES; at++) bytes.writeInt8(Math.round(30 * Math.sin(at * 0.7 + node)), at);
  return bytes;
}

if (parentPort) parentPort.postMessage(await send(workerData as SenderOrder));
