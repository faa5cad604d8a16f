import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../../../pipeline/base/random.js';
import { LINKS_OF_A_HOST, senderOf } from './links.js';

/** Options of a sender thread. */
export interface SenderOrder {
  readonly port: number;
  readonly links: number;
  /** Number of links before its first one, which other senders send. Default: 0. */
  readonly skip?: number;
  /** Datagrams per second, over all links. */
  readonly rate: number;
  readonly seconds: number;
  /** Bins of a datagram. Default: 64. */
  readonly subcarriers?: number;
  /** Whether to record the time of each datagram; otherwise only their number. */
  readonly times: boolean;
}

export interface SenderReport {
  readonly sent: number;
  /** When each was handed to the socket, microseconds since 1970. */
  readonly times: Float64Array;
  readonly seconds: number;
}

/**
 * Frames that a link sends in turn: somebody walks by. A link that repeats one frame is ignored as faulty.
 */
const STEPS = 97;
/** Datagrams sent between two checks of the clock. */
const BURST = 16;
/**
 * Up to this rate it sleeps between datagrams, and leaves its core to others; each millisecond then has ten
 * at most.
 */
const CALM_RATE = 10_000;

/** Sends ADR-018 datagrams for each link in turn, at a steady rate; runs in a worker thread. */
async function send(order: SenderOrder): Promise<SenderReport> {
  const { port, links, skip = 0, rate, seconds, subcarriers = 64, times: keep } = order;
  const [first, last] = [skip, skip + links - 1].map((link) => Math.floor(link / LINKS_OF_A_HOST)) as [
    number,
    number,
  ];
  const hosts = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * LINKS_OF_A_HOST);
  const sockets = await Promise.all(hosts.map((link) => socketFrom(senderOf(link).host, port)));
  const socketOf = Array.from(
    { length: links },
    (_, index) => sockets[Math.floor((skip + index) / LINKS_OF_A_HOST) - first]!,
  );
  const datagrams = Array.from({ length: links }, (_, index) =>
    walk(senderOf(skip + index).node, subcarriers),
  );
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
      const bytes = datagrams[link]![sequences[link]! % STEPS]!;
      bytes.writeUInt32LE(sequences[link]!++, 12);
      if (keep) times[sent] = (performance.timeOrigin + performance.now()) * 1000;
      // A copy: the socket may send after the next change of the sequence number.
      socketOf[link]!.send(Buffer.from(bytes));
      sent++;
    }
    if (sent >= due && rate <= CALM_RATE) await new Promise((resolve) => setTimeout(resolve, 1));
    else if (sent % (BURST * 8) < BURST || sent >= due) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.close(resolve);
        }),
    ),
  );
  return { sent, times, seconds: (performance.now() - begun) / 1000 };
}

async function socketFrom(host: string, port: number): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, host);
  await once(socket, 'listening');
  await new Promise<void>((resolve) => {
    socket.connect(port, '127.0.0.1', resolve);
  });
  socket.setSendBufferSize(4 << 20);
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // Expected once the receiver has been killed: nothing listens there.
    if (error.code !== 'ECONNREFUSED') throw error;
  });
  return socket;
}

function walk(node: number, bins: number): readonly Buffer[] {
  const random = seededRandom(node, 'walk');
  return Array.from({ length: STEPS }, (_, step) =>
    datagram(node, bins, (2 * Math.PI * step) / STEPS, random),
  );
}

/** @param phase of the passer-by, radians */
function datagram(node: number, bins: number, phase: number, random: () => number): Buffer {
  const bytes = Buffer.alloc(20 + 2 * bins);
  bytes.writeUInt32LE(0xc5110001, 0);
  bytes.writeUInt8(node, 4);
  bytes.writeUInt8(1, 5);
  bytes.writeUInt16LE(bins, 6);
  bytes.writeUInt32LE(2437, 8);
  bytes.writeInt8(-50, 16);
  bytes.writeInt8(-92, 17);
  for (let at = 20; at < bytes.length; at++) {
    const shading = 1 + 0.3 * Math.sin(phase + at * 0.05);
    bytes.writeInt8(Math.round(30 * shading * Math.sin(at * 0.7 + node) + 3 * (random() - 0.5)), at);
  }
  return bytes;
}

if (parentPort) parentPort.postMessage(await send(workerData as SenderOrder));
