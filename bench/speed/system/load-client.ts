import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { ProcessorTime } from '../processor-time.js';

/** Options of the client process. */
export interface LoadOrder {
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** Ten WebSocket clients for each. */
  readonly keys: readonly string[];
  readonly clients: number;
  /** Number of distinct filters, shared among the clients. */
  readonly filters: number;
  /** REST requests per second, sent when due, whether or not earlier ones were answered. */
  readonly rate: number;
  readonly seconds: number;
  /** Requested in turn. */
  readonly paths: readonly string[];
}

/** From the due time of a request to the last byte of its response, milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

export interface LoadReport {
  readonly requests: number;
  /** By status; `failed` counts requests without a response. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly times: Times;
  readonly byPath: Readonly<Record<string, Times>>;
  /** Bytes of all responses together. */
  readonly bytes: number;
  readonly opened: number;
  /** Clients whose connection was closed before the end. */
  readonly closed: number;
  /** Pose updates of all clients, and the fewest of any one. */
  readonly updates: number;
  readonly fewest: number;
  /** Processor time of this process while requests were sent. */
  readonly cpu: ProcessorTime;
}

const SOCKETS = 64;

/** Clients of both kinds, in a separate process: it shares the machine's cores with csiflow. */
async function load(order: LoadOrder): Promise<LoadReport> {
  const clients = await Promise.all(
    Array.from({ length: order.clients }, (_, index) => follow(order, index)),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const before = process.cpuUsage();
  const answers = await askAll(agent, order);
  const { user, system } = process.cpuUsage(before);
  const closed = clients.filter(({ socket }) => socket.readyState !== WebSocket.OPEN).length;
  for (const { socket } of clients) socket.terminate();
  agent.destroy();
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const updates = clients.map((client) => client.updates);
  return {
    requests: answers.length,
    statuses,
    times: timesOf(answers),
    byPath: Object.fromEntries(
      order.paths.map((path) => [path, timesOf(answers.filter((answer) => answer.path === path))]),
    ),
    bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0),
    opened: clients.length,
    closed,
    updates: updates.reduce((sum, value) => sum + value, 0),
    fewest: Math.min(...updates),
    cpu: { user: user / 1e6, system: system / 1e6 },
  };
}

interface Answer {
  readonly path: string;
  readonly status: string;
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Sends each request when it is due, and waits for all responses. */
async function askAll(agent: Agent, order: LoadOrder): Promise<readonly Answer[]> {
  const { rate, seconds, paths } = order;
  const pending: Promise<Answer>[] = [];
  const total = rate * seconds;
  const begun = performance.now();
  for (let past = 0; past < seconds || pending.length < total; past = (performance.now() - begun) / 1000) {
    const due = Math.min(total, Math.floor(past * rate) + 1);
    while (pending.length < due) {
      const number = pending.length;
      pending.push(ask(agent, order, paths[number % paths.length]!, begun + (number * 1000) / rate));
    }
    await pause(1);
  }
  return Promise.all(pending);
}

/** @param due milliseconds of the monotonic clock */
function ask(agent: Agent, { address, keys }: LoadOrder, path: string, due: number): Promise<Answer> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = (status: string): void => {
      resolve({ path, status, bytes, milliseconds: performance.now() - due });
    };
    request(address + path, { agent, headers: { 'X-API-Key': keys[0]! } }, (response) => {
      response
        .on('data', (chunk: Buffer) => (bytes += chunk.length))
        .once('end', () => {
          end(String(response.statusCode));
        });
    })
      .once('error', () => {
        end('failed');
      })
      .end();
  });
}

function timesOf(answers: readonly Answer[]): Times {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

interface Client {
  readonly socket: WebSocket;
  updates: number;
}

/** Addresses are limited to 100 connections each: use 127.0.0.1, 127.0.0.2 and so on. */
async function follow({ address, keys, filters }: LoadOrder, index: number): Promise<Client> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws/pose`, ['pose_v1'], {
    headers: { 'X-API-Key': keys[index % keys.length]! },
    localAddress: `127.0.0.${1 + Math.floor(index / 100)}`,
  });
  const client = { socket, updates: 0 };
  await once(socket, 'open');
  const confirmed = new Promise<void>((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.includes('"pose_update"')) client.updates++;
      else if (text.includes('"subscription_confirmed"')) resolve();
      else if (text.includes('"error"')) reject(new Error(text));
    });
  });
  const chosen = { environment_id: 'room-1', min_confidence: (index % filters) / 1000 };
  socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters: chosen }));
  await confirmed;
  return client;
}

// Exits when the parent process disconnects after receiving the report: before that, the report may still be
// in transit.
process.once('message', (order: LoadOrder) => {
  void load(order).then(
    (report) => process.send!(report),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
