import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';
import { pause, sendFrom, Service } from '../speed/system/service.js';
import { makeSite } from '../speed/system/site.js';
import type { Section } from './report.js';

/** What an hour at most is sampled by, milliseconds. */
const SAMPLE_MS = 5_000;
const RATE = 1_000;
const [ROOMS, FAST, SLOW] = [5, 5, 5];
/** The longest that a probe of life may wait. */
const LIVE_LIMIT_MS = 1_000;

interface Sample {
  readonly residentMb: number;
  readonly liveMs: number;
  /** Of it, the time for which the machine was busy with other programs. */
  readonly starvedMs: number;
  readonly status: number;
}

/** 1,000 frames a second through the whole chain, while some clients read and others never do. */
export async function soak(seconds: number, progress: (line: string) => void): Promise<Section> {
  const site = await makeSite({ rooms: ROOMS, inference: true, unlimited: true });
  const service = new Service(site);
  const clients: Client[] = [];
  try {
    const password = await service.password();
    await service.running();
    const [key] = await service.keys(await service.login(password), 1);
    for (let index = 0; index < FAST + SLOW; index++)
      clients.push(await Client.open(service.address, key!, index >= FAST));
    const order = { port: site.udpPort, links: site.links, rate: RATE, seconds, times: false };
    const sending = sendFrom(order);
    const samples = await sampled(service, seconds, progress);
    const { sent } = await sending;
    await settled(service);
    const received = await service.metric('csiflow_received_total', 'node="routers"');
    const dropped = await service.metric('csiflow_dropped_total', 'node="routers"');
    return sectionOf({ seconds, sent, received, dropped, samples, clients });
  } finally {
    for (const client of clients) client.socket.terminate();
    await service.end();
    await site.remove();
  }
}

/** A listener; a slow one stops to read once it has subscribed. */
class Client {
  updates = 0;
  closed: number | null = null;

  readonly socket: WebSocket;
  readonly slow: boolean;

  private constructor(socket: WebSocket, slow: boolean) {
    this.socket = socket;
    this.slow = slow;
    socket.on('message', () => this.updates++);
    socket.on('close', (code) => (this.closed = code));
    // The close that follows says it.
    socket.on('error', () => undefined);
  }

  static async open(address: string, key: string, slow: boolean): Promise<Client> {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/ws/pose`, ['pose_v1'], {
      headers: { 'X-API-Key': key },
    });
    const client = new Client(socket, slow);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.send(
      JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters: { environment_id: 'room-1' } }),
    );
    if (slow) socket.pause();
    return client;
  }
}

async function sampled(
  service: Service,
  seconds: number,
  progress: (line: string) => void,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    await pause(Math.min(SAMPLE_MS, end - performance.now()));
    const asked = performance.now();
    const starved = await service.starvedMs();
    const { status } = await fetch(`${service.address}/livez`);
    const liveMs = performance.now() - asked;
    const starvedMs = Math.min(liveMs, (await service.starvedMs()) - starved);
    samples.push({ residentMb: await service.residentMb(), liveMs, starvedMs, status });
    if (samples.length % 12 === 0)
      progress(
        `soak: ${samples.length * (SAMPLE_MS / 1000)} of ${seconds} s, ${Math.round(samples.at(-1)!.residentMb)} MB`,
      );
  }
  return samples;
}

/** Waits until what was sent has been counted. */
async function settled(service: Service): Promise<void> {
  const count = () => service.metric('csiflow_received_total', 'node="routers"');
  for (let last = -1, now = await count(); now !== last; now = await count()) {
    last = now;
    await pause(1_000);
  }
}

interface Soaked {
  readonly seconds: number;
  readonly sent: number;
  readonly received: number;
  readonly dropped: number;
  readonly samples: readonly Sample[];
  readonly clients: readonly Client[];
}

function sectionOf({ seconds, sent, received, dropped, samples, clients }: Soaked): Section {
  const live = samples.map(({ liveMs }) => liveMs).sort((a, b) => a - b);
  const own = samples.map(({ liveMs, starvedMs }) => liveMs - starvedMs).sort((a, b) => a - b);
  const refused = samples.filter(({ status }) => status !== 200);
  const memory = samples.map(({ residentMb }) => residentMb);
  const half = memory.slice(Math.floor(memory.length / 2));
  const fast = clients.filter(({ slow }) => !slow);
  const cut = fast.filter(({ closed }) => closed !== null).length;
  const missing = Math.max(0, sent - received - dropped);
  const longest = own.at(-1) ?? Infinity;
  const findings = [
    ...(missing > 0 ? [`${missing} frames were neither taken in nor counted as dropped`] : []),
    ...(cut > 0 ? [`${cut} clients that read were closed`] : []),
    ...(refused.length > 0
      ? [`/livez answered ${refused[0]!.status}, ${refused.length} times of ${samples.length}`]
      : []),
    ...(longest > LIVE_LIMIT_MS ? [`/livez waited ${Math.round(longest)} ms`] : []),
  ];
  return {
    title: `Soak: ${seconds} s at ${RATE} frames/s, ${FAST} clients that read and ${SLOW} that never do`,
    rows: [
      ['frames sent, received, dropped and counted', `${sent}, ${received}, ${dropped}`],
      [
        'memory at the start, half way, at the end, MB',
        [memory[0], half[0], memory.at(-1)].map((mb) => Math.round(mb ?? 0)).join(', '),
      ],
      ['`/livez`, median and longest, ms', `${middle(live)}, ${live.at(-1)?.toFixed(1)}`],
      [
        'the same without the time for which it waited for a processor that others had, ms',
        `${middle(own)}, ${longest.toFixed(1)}`,
      ],
      ['messages to each client that reads, fewest', String(Math.min(...fast.map(({ updates }) => updates)))],
      [
        'slow clients that were closed',
        `${clients.filter(({ slow, closed }) => slow && closed !== null).length} of ${SLOW}`,
      ],
    ],
    findings,
  };
}

const middle = (sorted: readonly number[]): string | undefined => sorted[sorted.length >> 1]?.toFixed(1);
