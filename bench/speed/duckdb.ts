import { stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withTemporaryFolder } from '../../pipeline/base/temporary-folders.js';
import type { Reader, Sink } from '../../pipeline/component/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { openSink } from '../shared/context.js';
import { POSE_ENVIRONMENT as ENVIRONMENT, POSE_START_US as START, poseFrame } from '../shared/pose-frame.js';
import { fillWithPoses, HOP, PEOPLE } from './pose-rows.js';
import { timedInPairs } from '../shared/timed.js';

/**
 * Appends person rows to a store; then queries one with ten million of them, at rest and while rows are
 * appended. Runs each query twice, alternating: the second figure is the control of the first.
 *
 * `node dist/bench/speed/duckdb.js [PERSON_ROWS]`: takes about three minutes and 2 GB of disk.
 */

const PAGE = 100;
const ROUNDS = 100;
const APPENDED = 200_000;
/** While queries run: 100 rows every 100 ms. */
const RHYTHM_MS = 100;
const FRAMES_PER_BEAT = 50;

async function main(): Promise<void> {
  const rows = Number(process.argv[2] ?? 10_000_000);
  const frames = Math.floor(rows / PEOPLE);
  await withTemporaryFolder('csiflow-bench-duckdb-', async (folder) => {
    print({ append: await measureAppends(folder) });
    const path = join(folder, 'store.duckdb');
    await openSink(duckdb, { path: 'store.duckdb' }, folder).then((sink) => sink.close());
    const started = performance.now();
    await fillWithPoses(path, { environment: ENVIRONMENT, frames, start: START });
    print({ filled_rows: rows, seconds: round((performance.now() - started) / 1000), load: loadavg()[0] });
    print({ file_mb: Math.round((await stat(path)).size / 1e6) });
    const sink = await openSink(duckdb, { path: 'store.duckdb' }, folder);
    try {
      for await (const figure of measureQueries(sink.reader!, frames)) print({ at_rest: figure });
      const appends = startAppends(sink, frames);
      for await (const figure of measureQueries(sink.reader!, frames)) print({ while_appending: figure });
      print({ rows_appended_per_s: await appends.stop(), load: loadavg()[0] });
      const before = performance.now();
      await sink.rewind!(EPOCHS_FROM);
      print({ rewind_ms: round(performance.now() - before) });
    } finally {
      await sink.close();
    }
  });
}

/** Appends prepared frames: few, since records are in the processor's cache in real use too. */
async function measureAppends(folder: string): Promise<object> {
  const sink = await openSink(duckdb, { path: 'append.duckdb' }, folder);
  const batch = Array.from({ length: 256 }, (_, index) => poseFrame(index));
  const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
  for (let rows = 0; rows < APPENDED; rows += batch.length * PEOPLE) await sink.write(batch, 1);
  await sink.flush();
  const seconds = (performance.now() - before) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  await sink.close();
  return {
    rows_per_s: Math.round(APPENDED / seconds),
    rows_per_cpu_s: Math.round(APPENDED / ((cpu.user + cpu.system) / 1e6)),
    load: loadavg()[0],
  };
}

/** First epoch of rows appended while queries run. */
const EPOCHS_FROM = 1_000_000;

async function* measureQueries(reader: Reader, frames: number): AsyncGenerator<object> {
  const environment = ENVIRONMENT;
  const at = (frame: number) => START + frame * HOP;
  const cursor = (frame: number) => ({ time: at(frame), frameId: frame });
  const middle = Math.floor(frames / 2);
  const minute = { start: at(middle), end: at(middle + 600) };
  const queries: Readonly<Record<string, () => Promise<unknown>>> = {
    'poses, first page': () => reader.poses({ environment, limit: PAGE }),
    'poses, cursor in the middle': () => reader.poses({ environment, limit: PAGE, after: cursor(middle) }),
    'poses, last cursor': () => reader.poses({ environment, limit: PAGE, after: cursor(frames - PAGE) }),
    'poses of one person, first page': () => reader.poses({ environment, limit: PAGE, person: 2 }),
    'poses of one person, middle': () =>
      reader.poses({ environment, limit: PAGE, person: 2, after: cursor(middle) }),
    'poses, a minute in the middle': () => reader.poses({ environment, ...minute }),
    'poses, count of a minute': () => reader.countPoses({ environment, ...minute }),
    'poses, count of all': () => reader.countPoses({ environment }),
    'persons, page 1': () => reader.persons({ environment, limit: PAGE }),
    'persons, page 1,000': () => reader.persons({ environment, limit: PAGE, offset: 1_000 * PAGE }),
    'persons, last page': () =>
      reader.persons({ environment, limit: PAGE, offset: (frames - PAGE) * PEOPLE }),
    'persons, a minute in the middle': () => reader.persons({ environment, ...minute }),
    'persons, count of all': () => reader.countPersons({ environment }),
    'latest pose': () => reader.latestPose(environment),
    range: () => reader.range(environment),
  };
  for (const [query, run] of Object.entries(queries)) {
    await run();
    const [first, second] = await timedInPairs(run, ROUNDS);
    yield { query, ...summary(first), again: summary(second) };
  }
}

function summary(times: number[]): object {
  times.sort((a, b) => a - b);
  return {
    p50_ms: round(times[Math.floor(times.length / 2)]!),
    p99_ms: round(times[Math.ceil(times.length * 0.99) - 1]!),
    longest_ms: round(times.at(-1)!),
  };
}

/** Writes as a topology would: records arrive steadily, and the sink commits in its own time. */
function startAppends(sink: Sink, from: number): { readonly stop: () => Promise<number> } {
  const started = performance.now();
  const end = new AbortController();
  let frame = from;
  const appending = (async () => {
    for (let beat = 1; !end.signal.aborted; beat++) {
      await sink.write(
        Array.from({ length: FRAMES_PER_BEAT }, () => poseFrame(frame++)),
        EPOCHS_FROM + 1,
      );
      await pause(Math.max(0, started + beat * RHYTHM_MS - performance.now()));
    }
    await sink.flush();
  })();
  return {
    stop: async () => {
      end.abort();
      await appending;
      return Math.round(((frame - from) * PEOPLE) / ((performance.now() - started) / 1000));
    },
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

const print = (result: object): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`);
};

await main();
