import { once } from 'node:events';
import { WebSocket } from 'ws';
import { makeSite } from './site.js';
import { pause, sendFrom, Service } from './service.js';

export interface Latency {
  readonly poses: number;
  /** From the datagram that closed a window to its pose on the WebSocket, less the network's own time, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The network's own time, milliseconds. */
  readonly network: { readonly p50: number; readonly p99: number };
}

interface Arrival {
  readonly at: number;
  /** End of the pose's window, microseconds. */
  readonly end: number;
  readonly networkMs: number;
}

const WINDOW_US = 2_000_000;

/** 1,000 frames a second over five rooms, their poses followed on one WebSocket. */
export async function poseLatency(seconds: number): Promise<Latency> {
  const site = await makeSite({ rooms: 5, inference: true });
  const service = new Service(site);
  try {
    const password = await service.password();
    await service.running();
    const arrivals: Arrival[] = [];
    const socket = await follow(service, await service.login(password), arrivals);
    await sendFrom({ port: site.udpPort, links: site.links, rate: 1_000, seconds: 4, times: false }); // warms up
    arrivals.length = 0;
    const { times } = await sendFrom({
      port: site.udpPort,
      links: site.links,
      rate: 1_000,
      seconds,
      times: true,
    });
    await pause(500);
    socket.terminate();
    return summary(arrivals, times);
  } finally {
    await service.end();
    await site.remove();
  }
}

async function follow(service: Service, token: string, arrivals: Arrival[]): Promise<WebSocket> {
  const socket = new WebSocket(`${service.address.replace('http', 'ws')}/form-a/api/v1/ws/pose`, [
    'pose_v1',
    token,
  ]);
  await once(socket, 'open');
  socket.on('message', (data: Buffer) => {
    const at = (performance.timeOrigin + performance.now()) * 1000;
    const message = JSON.parse(data.toString()) as {
      type: string;
      timestamp: string;
      data: { metadata: { processing_time_ms?: number } };
    };
    if (message.type !== 'pose_update') return;
    arrivals.push({
      at,
      end: Date.parse(message.timestamp) * 1000 + WINDOW_US / 2,
      networkMs: message.data.metadata.processing_time_ms ?? 0,
    });
  });
  socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters: {} }));
  return socket;
}

function summary(arrivals: readonly Arrival[], times: Float64Array): Latency {
  const whole = arrivals.flatMap(({ at, end, networkMs }) => {
    const closing = times.find((time) => time >= end);
    return closing === undefined ? [] : [(at - closing) / 1000 - networkMs];
  });
  const network = arrivals.map(({ networkMs }) => networkMs);
  return {
    poses: whole.length,
    p50: quantile(whole, 0.5),
    p99: quantile(whole, 0.99),
    network: { p50: quantile(network, 0.5), p99: quantile(network, 0.99) },
  };
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;
