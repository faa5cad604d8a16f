import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';

/** What the process of the clients is told. */
export interface LoadOrder {
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  /** Ten WebSocket clients each. */
  readonly keys: readonly string[];
  readonly clients: number;
  /** Distinct ones, shared out among the clients. */
  readonly filters: number;
  /** REST requests a second, sent when they are due, whatever becomes of those before. */
  readonly rate: number;
  readonly seconds: number;
  /** Asked for in turn. */
  readonly paths: readonly string[];
}

export interface LoadReport {
  /** By status; `failed` are those without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** From when a request was due to the last byte of its answer, milliseconds, sorted. */
  readonly times: readonly number[];
  readonly opened: number;
  /** Clients that were closed before the end. */
  readonly closed: number;
  /** Pose updates of all clients, and the fewest that one had. */
  readonly updates: number;
  readonly fewest: number;
}

const SOCKETS = 64;

/** Clients of both kinds, in a process of their own: it shares the machine's cores with csiflow. */
async function load(order: LoadOrder): Promise<LoadReport> {
  const clients = await Promise.all(
    Array.from({ length: order.clients }, (_, index) => follow(order, index)),
  );
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const total = order.rate * order.seconds;
  const pending: Promise<void>[] = [];
  const begun = performance.now();
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) * order.rate) / 1000) + 1);
    for (; sent < due; sent++) {
      const dueAt = begun + (sent * 1000) / order.rate;
      const path = order.paths[sent % order.paths.length]!;
      pending.push(
        ask(agent, order, path).then((status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
          times.push(performance.now() - dueAt);
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(pending);
  const closed = clients.filter(({ socket }) => socket.readyState !== WebSocket.OPEN).length;
  for (const { socket } of clients) socket.terminate();
  agent.destroy();
  const updates = clients.map((client) => client.updates);
  return {
    statuses,
    times: times.sort((a, b) => a - b),
    opened: clients.length,
    closed,
    updates: updates.reduce((sum, value) => sum + value, 0),
    fewest: Math.min(...updates),
  };
}

/** The status, once the whole answer is there. */
function ask(agent: Agent, { address, keys }: LoadOrder, path: string): Promise<string> {
  return new Promise((resolve) => {
    request(address + path, { agent, headers: { 'X-API-Key': keys[0]! } }, (response) => {
      response.resume().once('end', () => {
        resolve(String(response.statusCode));
      });
    })
      .once('error', () => {
        resolve('failed');
      })
      .end();
  });
}

interface Client {
  readonly socket: WebSocket;
  updates: number;
}

/** An address may have 100 connections: from 127.0.0.1, 127.0.0.2 and so on. */
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

process.once('message', (order: LoadOrder) => {
  void load(order).then(
    (report) => {
      process.send!(report);
      process.disconnect();
    },
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
