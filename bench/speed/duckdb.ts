import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context, Reader, Sink } from '../../pipeline/component/index.js';
import { LinkTable, type PoseFrame } from '../../pipeline/model/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';

/**
 * Fills a store with person rows, then measures queries while further rows are appended.
 *
 * `node dist/bench/speed/duckdb.js [PERSON_ROWS]`, default ten million: takes some minutes and 1.5 GB of disk.
 */

const PEOPLE = 2;
const HOP = 100_000;
const START = 1_700_000_000_000_000;
const ENVIRONMENT = 'ward-1';
const PAGE = 100;
const ROUNDS = 60;

interface Figure {
  readonly query: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function main(): Promise<void> {
  const rows = Number(process.argv[2] ?? 10_000_000);
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-bench-duckdb-'));
  const sink = openSink(folder);
  try {
    await sink.open();
    const frames = Math.floor(rows / PEOPLE);
    print({ appended_rows_per_s: await fill(sink, 0, frames) });
    print({ file_mb: Math.round((await stat(join(folder, 'store.duckdb'))).size / 1e6) });
    let stopped = false;
    const writing = appendUntil(sink, frames, () => stopped);
    for (const figure of await measureQueries(sink.reader!, frames)) print(figure);
    stopped = true;
    print({ rows_appended_meanwhile: (await writing) * PEOPLE });
    const before = performance.now();
    await sink.rewind!(frames);
    print({ rewind_ms: round(performance.now() - before) });
  } finally {
    await sink.close();
    await rm(folder, { recursive: true });
  }
}

async function measureQueries(reader: Reader, frames: number): Promise<Figure[]> {
  const environment = ENVIRONMENT;
  const at = (frame: number) => START + frame * HOP;
  const cursor = (frame: number) => ({ time: at(frame), frameId: frame });
  const middle = Math.floor(frames / 2);
  const queries: Readonly<Record<string, () => Promise<unknown>>> = {
    'poses, first page': () => reader.poses({ environment, limit: PAGE }),
    'poses, cursor in the middle': () => reader.poses({ environment, limit: PAGE, after: cursor(middle) }),
    'poses, last cursor': () => reader.poses({ environment, limit: PAGE, after: cursor(frames - PAGE) }),
    'poses of one person, middle': () =>
      reader.poses({ environment, limit: PAGE, person: 2, after: cursor(middle) }),
    'persons, page 1': () => reader.persons({ environment, limit: PAGE }),
    'persons, page 1,000': () => reader.persons({ environment, limit: PAGE, offset: 1_000 * PAGE }),
    'persons, last page': () =>
      reader.persons({ environment, limit: PAGE, offset: (frames - PAGE) * PEOPLE }),
    'persons, a minute in the middle': () =>
      reader.persons({ environment, start: at(middle), end: at(middle + 600) }),
    'persons, count': () => reader.countPersons({ environment }),
    'latest pose': () => reader.latestPose(environment),
  };
  const figures: Figure[] = [];
  for (const [query, run] of Object.entries(queries)) {
    const times: number[] = [];
    await run();
    for (let round = 0; round < ROUNDS; round++) {
      const before = performance.now();
      await run();
      times.push(performance.now() - before);
    }
    times.sort((a, b) => a - b);
    figures.push({
      query,
      p50Ms: round(times[Math.floor(ROUNDS / 2)]!),
      p99Ms: round(times[Math.ceil(ROUNDS * 0.99) - 1]!),
    });
  }
  return figures;
}

/** Rows a second. */
async function fill(sink: Sink, from: number, to: number): Promise<number> {
  const before = performance.now();
  for (let frame = from; frame < to; frame += 1_000) {
    const batch = Array.from({ length: Math.min(1_000, to - frame) }, (_, index) => poseFrame(frame + index));
    await sink.write(batch, Math.floor(frame / 1_000));
  }
  await sink.flush();
  return Math.round(((to - from) * PEOPLE) / ((performance.now() - before) / 1000));
}

/** A thousand rows a second: a hundred rooms with a person each. Gives the frames written. */
async function appendUntil(sink: Sink, from: number, stopped: () => boolean): Promise<number> {
  let frame = from;
  for (; !stopped(); frame += 50) {
    await sink.write(
      Array.from({ length: 50 }, (_, index) => poseFrame(frame + index)),
      from + 1,
    );
    await sink.flush();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return frame - from;
}

const millimetres = (value: number): number => Math.round(value * 1000) / 1000;

/** People on slow circles, with a little noise in the joints as a network's output has it. */
function poseFrame(frameId: number): PoseFrame {
  const time = START + frameId * HOP;
  return {
    port: 'pose',
    frameId,
    environment: ENVIRONMENT,
    time,
    windowEnd: time + 500_000,
    processingMs: 3,
    persons: Array.from({ length: PEOPLE }, (_, index) => {
      const x = 2 + Math.cos(frameId / 300 + index);
      const y = 2 + Math.sin(frameId / 300 + index);
      return {
        confidence: 0.5 + ((frameId * 7919) % 5000) / 10_000,
        position: { x: millimetres(x), y: millimetres(y), z: 0 },
        positionError: 0.25,
        heading: null,
        headingConfidence: 0,
        posture: 'upright' as const,
        keypoints: Array.from({ length: 17 }, (_, k) => ({
          x: millimetres(x + k / 50 + noise(frameId + k)),
          y: millimetres(y + noise(frameId + 3 * k)),
          z: millimetres(1.7 - k / 10 + noise(frameId + 5 * k)),
          error: 0.05,
        })),
        articulated: true,
        track: {
          id: index + 1,
          state: 'active' as const,
          age: frameId,
          since: START,
          velocity: { x: 0.1, y: 0 },
        },
      };
    }),
    links: 4,
    signalQuality: 0.98,
    provenance: { origin: 'simulated' },
  };
}

const noise = (seed: number): number => ((Math.imul(seed, 2_654_435_761) >>> 0) / 2 ** 32 - 0.5) * 0.02;

function openSink(folder: string): Sink {
  const quiet = () => undefined;
  const context: Context = {
    topology: 'bench',
    node: 'history',
    environments: [],
    links: new LinkTable([]),
    clock: { now: () => Date.now() * 1000, elapsed: () => performance.now() },
    random: () => 0.5,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    metrics: { dropped: quiet, failed: quiet, gauge: quiet, count: quiet },
    folder,
    stateFolder: folder,
    provenance: { origin: 'simulated' },
  };
  return duckdb.create(
    {
      path: 'store.duckdb',
      batch_rows: 5_000,
      commit_interval_ms: 500,
      retention_days: null,
      memory_limit_bytes: 256 * 2 ** 20,
      wal_limit_bytes: 16 * 2 ** 20,
    },
    context,
  );
}

const round = (value: number): number => Math.round(value * 100) / 100;

const print = (result: object): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`);
};

await main();
