import { once } from 'node:events';
import { WebSocket } from 'ws';
import { makeSite } from './site.js';
import { pause, sendFrom, Service } from './service.js';
import { rankedQuantile } from '../../../operators/shared/median.js';

export interface Latency {
  readonly poses: number;
  /**
   * From the datagram that closed a window to its pose on the WebSocket, without the network's own time,
   * milliseconds.
   */
  readonly p50: number;
  readonly p99: number;
  /** The network's own time, milliseconds. */
  readonly network: { readonly p50: number; readonly p99: number };
}

/** A pose on the WebSocket. */
export interface Arrival {
  /** Microseconds since 1970. */
  readonly at: number;
  /** Number of the pose's room, from 0. */
  readonly room: number;
  /** End of the pose's window, microseconds. */
  readonly end: number;
  readonly networkMs: number;
}

const WINDOW_US = 2_000_000;
const LINKS_PER_ROOM = 4;

/**
 * 1,000 frames per second over some rooms of four links, whose poses are followed on one WebSocket. Windows
 * of several rooms close together, so most of them also wait until the network has processed the others.
 */
export async function poseLatency(seconds: number, rooms: number): Promise<Latency> {
  const site = await makeSite({ rooms, chain: 'poses' });
  const service = new Service(site);
  try {
    const password = await service.password();
    await service.running();
    const arrivals: Arrival[] = [];
    const sockets = await follow(service, await service.login(password), rooms, arrivals);
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
    for (const socket of sockets) socket.terminate();
    return latencyOf(arrivals, times, site.links);
  } finally {
    await service.end();
    site.remove();
  }
}

interface Message {
  readonly type: string;
  readonly subscription_id: string;
  readonly filters_applied: { readonly environment_id: string };
  readonly timestamp: string;
  readonly data: { readonly metadata: { readonly processing_time_ms: number } };
}

/** An account has this many subscriptions at most. */
const SUBSCRIPTIONS = 10;

/** Follows all rooms. One subscription per room, so that each pose identifies its room. */
export async function follow(
  service: Service,
  token: string,
  rooms: number,
  arrivals: Arrival[],
): Promise<readonly WebSocket[]> {
  const numbers = Array.from({ length: rooms }, (_, room) => room + 1);
  const shares = Array.from({ length: Math.ceil(rooms / SUBSCRIPTIONS) }, (_, index) =>
    numbers.slice(index * SUBSCRIPTIONS, (index + 1) * SUBSCRIPTIONS),
  );
  const keys = await service.keys(token, shares.length);
  return Promise.all(shares.map((share, index) => followSome(service, keys[index]!, share, arrivals)));
}

async function followSome(
  service: Service,
  key: string,
  rooms: readonly number[],
  arrivals: Arrival[],
): Promise<WebSocket> {
  const socket = new WebSocket(`${service.address.replace('http', 'ws')}/ws/pose`, ['pose_v1'], {
    headers: { 'X-API-Key': key },
  });
  const roomOf = new Map<string, number>();
  socket.on('message', (data: Buffer) => {
    const at = nowUs();
    const message = JSON.parse(data.toString()) as Message;
    if (message.type === 'subscription_confirmed') {
      roomOf.set(message.subscription_id, Number(message.filters_applied.environment_id.split('-')[1]) - 1);
    } else if (message.type === 'pose_update') {
      arrivals.push({
        at,
        room: roomOf.get(message.subscription_id)!,
        end: Date.parse(message.timestamp) * 1000 + WINDOW_US / 2,
        networkMs: message.data.metadata.processing_time_ms,
      });
    }
  });
  await once(socket, 'open');
  for (const room of rooms) {
    const filters = { environment_id: `room-${room}` };
    socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters }));
  }
  return socket;
}

/** Microseconds since 1970. */
export const nowUs = (): number => (performance.timeOrigin + performance.now()) * 1000;

/** Latency of the poses that arrived. @param times of the datagrams of `links` links in turn, microseconds */
export function latencyOf(arrivals: readonly Arrival[], times: Float64Array, links: number): Latency {
  const whole = arrivals.flatMap(({ at, end, room, networkMs }) => {
    const closing = closingTime(times, links, room, end);
    return closing === undefined ? [] : [(at - closing) / 1000 - networkMs];
  });
  const network = arrivals.map(({ networkMs }) => networkMs);
  return {
    poses: whole.length,
    p50: rankedQuantile(whole, 0.5),
    p99: rankedQuantile(whole, 0.99),
    network: { p50: rankedQuantile(network, 0.5), p99: rankedQuantile(network, 0.99) },
  };
}

/**
 * A window closes with the last of its room's links to have a frame at its end or later; datagram k is link
 * k's, in turn.
 */
function closingTime(times: Float64Array, links: number, room: number, end: number): number | undefined {
  const first = times.findIndex((time) => time >= end);
  if (first < 0 || first + links > times.length) return undefined;
  for (let index = first + links - 1; ; index--) {
    if (Math.floor((index % links) / LINKS_PER_ROOM) === room) return times[index];
  }
}
