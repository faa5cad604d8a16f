import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pause, receivedFrames, sendFrom, Service, settled } from '../speed/system/service.js';
import { makeSite } from '../speed/system/site.js';
import { Reader, Staller } from './listeners.js';
import type { Section } from './report.js';

/** Sampling interval for runs of an hour or less, milliseconds. */
const SAMPLE_MS = 5_000;
const RATE = 1_000;
const [ROOMS, FAST, SLOW] = [5, 5, 5];
/** Maximum latency of a liveness probe. */
const LIVENESS_LIMIT_MS = 1_000;
/** Poses per second of a room (`hop_ms` of the site). */
const WINDOWS_PER_S = 5;
/** Share of its room's poses that a reading client must receive: the first arrive after two seconds. */
const SHARE_READ = 0.95;
/** Allowed ratio of the last quarter to the second: caches fill in the first. */
const GROWTH = 1.3;

interface Sample {
  readonly residentMb: number;
  readonly livenessMs: number;
  /** Part of it during which the machine was busy with other programs. */
  readonly starvedMs: number;
  readonly status: number;
  /** The reported health of the topology. */
  readonly health: string;
  /** Open file descriptors. */
  readonly descriptors: number;
  /** Size of the journal, checkpoints and outboxes. */
  readonly stateMb: number;
}

/**
 * 1,000 frames per second through the whole chain, while some clients read and others stall until they are
 * closed.
 */
export async function soak(seconds: number, progress: (line: string) => void): Promise<Section> {
  const site = await makeSite({ rooms: ROOMS, chain: 'poses', unlimited: true });
  const service = new Service(site);
  const readers: Reader[] = [];
  const stallers: Staller[] = [];
  try {
    const password = await service.password();
    await service.running();
    const [key, ...others] = await service.keys(await service.login(password), 1 + SLOW);
    for (let index = 0; index < FAST; index++) readers.push(await Reader.open(service.address, key!));
    for (const other of others) {
      const staller = new Staller(service.address, other, site.rooms);
      stallers.push(staller);
      await staller.open();
    }
    const order = { port: site.udpPort, links: site.links, rate: RATE, seconds, times: false };
    const [{ sent }, samples] = await Promise.all([
      sendFrom(order),
      sampled(service, { seconds, folder: site.folder }, progress),
    ]);
    await settled(service, 1_000);
    const received = await receivedFrames(service);
    const dropped = await service.metric('csiflow_dropped_total', 'node="routers"');
    const { warnings } = service;
    return sectionOf({ seconds, sent, received, dropped, samples, readers, stallers, warnings });
  } finally {
    for (const client of [...readers, ...stallers]) client.end();
    await service.end();
    site.remove();
  }
}

async function sampled(
  service: Service,
  { seconds, folder }: { readonly seconds: number; readonly folder: string },
  progress: (line: string) => void,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    await pause(Math.min(SAMPLE_MS, end - performance.now()));
    const asked = performance.now();
    const starved = await service.starvedMs();
    const { status } = await fetch(`${service.address}/livez`);
    const livenessMs = performance.now() - asked;
    const starvedMs = Math.min(livenessMs, (await service.starvedMs()) - starved);
    const [residentMb, health, descriptors] = [
      await service.residentMb(),
      await service.health(),
      await service.descriptors(),
    ];
    samples.push({
      residentMb,
      livenessMs,
      starvedMs,
      status,
      health,
      descriptors,
      stateMb: await stateMb(folder),
    });
    if (samples.length % 12 === 0)
      progress(
        `soak: ${samples.length * (SAMPLE_MS / 1000)} of ${seconds} s: ${JSON.stringify(samples.at(-1))}`,
      );
  }
  return samples;
}

/** Size of all state except the database, which grows with its content. */
async function stateMb(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const kept = files.filter((file) => file.isFile() && !file.name.includes('.duckdb'));
  // A file may have been removed by now.
  const sizes = await Promise.all(
    kept.map(({ parentPath, name }) => stat(join(parentPath, name)).catch(() => ({ size: 0 }))),
  );
  return sizes.reduce((total, { size }) => total + size, 0) / 2 ** 20;
}

interface Soaked {
  readonly seconds: number;
  readonly sent: number;
  readonly received: number;
  readonly dropped: number;
  readonly samples: readonly Sample[];
  readonly readers: readonly Reader[];
  readonly stallers: readonly Staller[];
  readonly warnings: ReadonlyMap<string, number>;
}

function sectionOf(soaked: Soaked): Section {
  const { seconds, sent, received, dropped, samples, readers, stallers, warnings } = soaked;
  const liveness = sorted(samples.map(({ livenessMs }) => livenessMs));
  const own = sorted(samples.map(({ livenessMs, starvedMs }) => livenessMs - starvedMs));
  const course = (figure: (sample: Sample) => number): string =>
    quarters(samples.map(figure))
      .map((value) => value.toFixed(0))
      .join(', ');
  return {
    title: `Soak: ${seconds} s at ${RATE} frames/s, ${FAST} reading and ${SLOW} slow clients`,
    rows: [
      ['frames sent, received, dropped and counted', `${sent}, ${received}, ${dropped}`],
      ['memory in each quarter, median, MB', course(({ residentMb }) => residentMb)],
      ['journal, checkpoints and outboxes in each quarter, median, MB', course(({ stateMb }) => stateMb)],
      ['open file descriptors in each quarter, median', course(({ descriptors }) => descriptors)],
      ['samples by reported health', listed(counted(samples.map(({ health }) => health)))],
      ['warnings in the log', listed(warnings)],
      ['`/livez`, median and longest, ms', `${middle(liveness).toFixed(1)}, ${liveness.at(-1)?.toFixed(1)}`],
      [
        'the same without time used by other programs, ms',
        `${middle(own).toFixed(1)}, ${own.at(-1)?.toFixed(1)}`,
      ],
      [
        `fewest messages to a reading client, of ${seconds * WINDOWS_PER_S}`,
        String(Math.min(...readers.map(({ updates }) => updates))),
      ],
      [
        `times that each of the ${SLOW} slow clients was closed, by code, and reconnected`,
        stallers.map(({ closes }) => listed(closes)).join(' / '),
      ],
    ],
    findings: findingsOf(soaked, own.at(-1) ?? Infinity),
  };
}

function findingsOf(soaked: Soaked, longestMs: number): string[] {
  const { seconds, sent, received, dropped, samples, readers, stallers } = soaked;
  const missing = sent - received - dropped;
  const refused = samples.filter(({ status }) => status !== 200);
  const cut = readers.filter(({ closed }) => closed).length;
  const due = SHARE_READ * seconds * WINDOWS_PER_S;
  const behind = readers.filter(({ updates }) => updates < due).length;
  const spared = stallers.filter(({ tooSlow }) => tooSlow === 0).length;
  const growing = (figure: (sample: Sample) => number): boolean => {
    const [, second = 0, , last = 0] = quarters(samples.map(figure));
    return last > GROWTH * second;
  };
  return [
    ...(missing > 0 ? [`${missing} frames were neither received nor counted as dropped`] : []),
    ...(missing < 0 ? [`${-missing} frames more were counted than were sent`] : []),
    ...(cut > 0 ? [`${cut} reading clients were closed`] : []),
    ...(behind > 0 ? [`${behind} reading clients received fewer than ${due} messages`] : []),
    ...(spared > 0 ? [`${spared} slow clients were never closed for being too slow`] : []),
    ...(refused.length > 0
      ? [`/livez answered ${refused[0]!.status}, ${refused.length} times of ${samples.length}`]
      : []),
    ...(longestMs > LIVENESS_LIMIT_MS ? [`/livez waited ${Math.round(longestMs)} ms`] : []),
    ...(growing(({ residentMb }) => residentMb) ? ['memory grows'] : []),
    ...(growing(({ stateMb }) => stateMb) ? ['the stored state grows'] : []),
    ...(growing(({ descriptors }) => descriptors) ? ['open file descriptors grow'] : []),
  ];
}

const sorted = (values: readonly number[]): readonly number[] => [...values].sort((a, b) => a - b);

const middle = (ordered: readonly number[]): number => ordered[ordered.length >> 1] ?? NaN;

/** The median of each quarter. */
const quarters = (values: readonly number[]): readonly number[] =>
  [0, 1, 2, 3].map((quarter) => {
    const [from, to] = [quarter, quarter + 1].map((edge) => Math.floor((values.length * edge) / 4));
    return middle(sorted(values.slice(from, to)));
  });

function counted(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

const listed = (counts: ReadonlyMap<string | number, number>): string =>
  [...counts].map(([what, count]) => `${what}: ${count}`).join('; ') || 'none';
