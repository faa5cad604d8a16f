import { loadavg } from 'node:os';
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';
import { pause, receivedFrames, sendFrom, Service, settled } from '../speed/system/service.js';
import { LINKS_PER_ROOM, makeSite } from '../speed/system/site.js';
import type { Section } from './report.js';
import { rankedQuantile } from '../../operators/shared/median.js';

const ROOMS = 100;
/** Rooms that send all the time; under load, all the others send too. */
const STEADY_ROOMS = 10;
const FRAMES_PER_LINK_S = 20;
/** Rooms whose poses are followed, evenly spread: the limit of subscriptions per connection. */
const FOLLOWED = Array.from({ length: 10 }, (_, index) => 1 + index * (ROOMS / 10));
const [BEFORE_S, AFTER_S] = [15, 20];
const SAMPLE_MS = 250;
/** Default of `settings.max_lag_ms`, and the limit for a return to normal: of poses and of health. */
const [MAX_LAG_MS, RETURN_MS] = [2_000, 5_000];

/** Nodes in which results may queue. */
const NODES = ['routers', 'windows', 'poses', 'people', 'live'];

/** A pose that a client received: when, and how long after the end of its window, milliseconds. */
interface Arrival {
  readonly at: number;
  readonly lagMs: number;
}

interface Sample {
  readonly at: number;
  /** Age of the event time that each of {@link NODES} has reached, milliseconds. */
  readonly lagMs: readonly number[];
  readonly health: string;
  readonly problem: string;
  readonly fps: number;
  /** Data waiting in the kernel: results do not include its age. */
  readonly unreadBytes: number;
}

/** Start and end of the load, milliseconds. */
interface Load {
  readonly from: number;
  readonly to: number;
}

/**
 * The whole chain of a hundred rooms receives 8,000 frames per second, many times what two cores can process,
 * and then few again.
 */
export async function overload(seconds: number, progress: (line: string) => void): Promise<Section> {
  const site = await makeSite({ rooms: ROOMS, chain: 'poses', unlimited: true });
  const service = new Service(site);
  try {
    const token = await service.login(await service.password());
    await service.running();
    const [key] = await service.keys(token, 1);
    const arrivals: Arrival[] = [];
    const socket = await follow(service, key!, arrivals);
    const steadyLinks = STEADY_ROOMS * LINKS_PER_ROOM;
    const order = { port: site.udpPort, times: false };
    const steady = sendFrom({
      ...order,
      links: steadyLinks,
      rate: steadyLinks * FRAMES_PER_LINK_S,
      seconds: BEFORE_S + seconds + AFTER_S,
    });
    let sending = true;
    const sampling = sampled(service, token, () => sending, progress);
    await pause(BEFORE_S * 1000);
    const starved = await service.starvedMs();
    const from = performance.now();
    const links = site.links - steadyLinks;
    const loaded = await sendFrom({
      ...order,
      links,
      skip: steadyLinks,
      rate: links * FRAMES_PER_LINK_S,
      seconds,
    });
    const load = { from, to: performance.now() };
    const starvedMs = (await service.starvedMs()) - starved;
    const sent = loaded.sent + (await steady).sent;
    // Without input, the last windows wait until their links are idle.
    const seen = [...arrivals];
    await settled(service, 1_000);
    sending = false;
    const samples = await sampling;
    socket.terminate();
    const received = await receivedFrames(service);
    const dropped = await service.metric('csiflow_dropped_total', 'node="routers"');
    return sectionOf({
      seconds,
      load,
      arrivals: seen,
      samples,
      starvedMs,
      sent,
      received,
      dropped,
      shed: await shedOf(service),
    });
  } finally {
    await service.end();
    site.remove();
  }
}

interface Overloaded {
  readonly seconds: number;
  readonly load: Load;
  readonly arrivals: readonly Arrival[];
  readonly samples: readonly Sample[];
  /** How long its main thread waited for a processor during the load. */
  readonly starvedMs: number;
  readonly sent: number;
  readonly received: number;
  readonly dropped: number;
  readonly shed: string;
}

async function follow(service: Service, key: string, arrivals: Arrival[]): Promise<WebSocket> {
  const url = `${service.address.replace('http', 'ws')}/ws/pose`;
  const socket = new WebSocket(url, ['pose_v1'], { headers: { 'X-API-Key': key } });
  socket.on('message', (data: Buffer) => {
    const now = performance.now();
    const { type, timestamp } = JSON.parse(data.toString()) as {
      readonly type: string;
      readonly timestamp: string;
    };
    // A pose describes the middle of its window of two seconds.
    if (type === 'pose_update')
      arrivals.push({ at: now, lagMs: performance.timeOrigin + now - Date.parse(timestamp) - 1000 });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  for (const room of FOLLOWED) {
    const filters = { environment_id: `room-${room}` };
    socket.send(JSON.stringify({ type: 'subscribe', channel: 'pose_updates', filters }));
  }
  return socket;
}

async function sampled(
  service: Service,
  token: string,
  goesOn: () => boolean,
  progress: (line: string) => void,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  while (goesOn()) {
    await pause(SAMPLE_MS);
    const at = performance.now();
    const [status, lag] = await Promise.all([
      service.status(token),
      service.metrics(NODES.map((node) => ['csiflow_watermark_lag_seconds', `node="${node}"`])),
    ]);
    samples.push({
      at,
      lagMs: lag.map((seconds) => seconds * 1000),
      health: await service.health(),
      ...status,
      unreadBytes: await service.unreadBytes(),
    });
    if (samples.length % 20 === 0) progress(`overload: ${JSON.stringify(samples.at(-1))}`);
  }
  return samples;
}

/** Records that nodes shed, and why. */
async function shedOf(service: Service): Promise<string> {
  const found: string[] = [];
  for (const [node, reason] of [
    ['routers', 'stale'],
    ['routers', 'queue_full'],
    ['routers', 'kernel_buffer'],
    ['poses', 'superseded'],
    ['poses', 'stale'],
    ['poses', 'repeated'],
  ]) {
    const labels = `node="${node}",reason="${reason}"`;
    found.push(`${node} ${reason} ${await service.metric('csiflow_dropped_total', labels)}`);
  }
  return found.join(', ');
}

function sectionOf(found: Overloaded): Section {
  const { seconds, load, arrivals, samples, starvedMs, sent, received, dropped, shed } = found;
  const during = <T extends { readonly at: number }>(all: readonly T[]): readonly T[] =>
    all.filter(({ at }) => at >= load.from && at <= load.to);
  const [before, after] = [
    arrivals.filter(({ at }) => at < load.from),
    arrivals.filter(({ at }) => at > load.to + RETURN_MS),
  ];
  const loaded = during(samples);
  const problem = loaded.findLast(({ problem }) => problem !== '')?.problem;
  return {
    title: `Overload: 8,000 frames/s for ${ROOMS} rooms, ${seconds} s`,
    rows: [
      ['lag of poses before, median, 99 of 100, longest, ms', lags(before)],
      ['during the load', lags(during(arrivals))],
      ['from 5 s after it', lags(after)],
      ['poses of the ten followed rooms, during the load', String(during(arrivals).length)],
      [
        `event time behind the clock, longest during the load, ms: ${NODES.join(', ')}`,
        NODES.map((_, node) => Math.max(...loaded.map(({ lagMs }) => lagMs[node]!)).toFixed(0)).join(', '),
      ],
      [
        'datagrams unread in the kernel during the load, median and longest, kB',
        [0.5, 1]
          .map((share) =>
            (
              rankedQuantile(
                loaded.map(({ unreadBytes }) => unreadBytes),
                share,
              ) / 1000
            ).toFixed(0),
          )
          .join(', '),
      ],
      ['poses as fresh as before after the load, s', (freshMs(found) / 1000).toFixed(1)],
      ['healthy again after the load, s', (healthyMs(found) / 1000).toFixed(1)],
      ['health during the load, samples', listed(loaded.map(({ health }) => health))],
      ['reported problem', problem ?? 'none'],
      ['`average_fps`, least and most', range(loaded.slice(20).map(({ fps }) => fps))],
      ['frames sent, received, dropped and counted', `${sent}, ${received}, ${dropped}`],
      ['dropped', shed],
      [
        'main thread waiting for a processor, share of the load, %',
        ((100 * starvedMs) / (load.to - load.from)).toFixed(0),
      ],
      ['load average (1 minute)', loadavg()[0]!.toFixed(1)],
    ],
    findings: findingsOf(found, during(arrivals)),
  };
}

function findingsOf(found: Overloaded, loaded: readonly Arrival[]): string[] {
  const { samples, load, sent, received, dropped } = found;
  const longest = Math.max(...loaded.map(({ lagMs }) => lagMs));
  const isReported = samples.some(
    ({ at, health }) => at > load.from && at < load.to && health === 'degraded',
  );
  return [
    ...(longest < MAX_LAG_MS ? [] : [`a pose was ${Math.round(longest)} ms late`]),
    ...(freshMs(found) <= RETURN_MS ? [] : [`poses were late for ${Math.round(freshMs(found))} ms after it`]),
    ...(healthyMs(found) <= RETURN_MS
      ? []
      : [`it was healthy only after ${Math.round(healthyMs(found))} ms`]),
    ...(isReported ? [] : ['it was not degraded']),
    ...(received + dropped === sent ? [] : [`${received + dropped} frames were counted of ${sent}`]),
  ];
}

/** Time from the end of the load until poses are permanently as fresh as before it, milliseconds. */
function freshMs({ load, arrivals }: Overloaded): number {
  const normal = rankedQuantile(
    arrivals.filter(({ at }) => at < load.from).map(({ lagMs }) => lagMs),
    0.99,
  );
  const late = arrivals.findLast(({ at, lagMs }) => at > load.to && lagMs > 2 * normal);
  return (late?.at ?? load.to) - load.to;
}

/** Time from the end of the load until it is permanently healthy, milliseconds. */
function healthyMs({ load, samples }: Overloaded): number {
  const unwell = samples.findLast(({ at, health }) => at > load.to && health !== 'healthy');
  return (unwell?.at ?? load.to) - load.to;
}

const lags = (arrivals: readonly Arrival[]): string =>
  [0.5, 0.99, 1]
    .map((share) =>
      rankedQuantile(
        arrivals.map(({ lagMs }) => lagMs),
        share,
      ).toFixed(0),
    )
    .join(', ');

const range = (values: readonly number[]): string =>
  [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(0)).join(', ');

function listed(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => `${text}: ${count}`).join('; ');
}
