import { deepEqual, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnySink, Context, Sink } from '../../component/index.js';
import type { Data } from '../../model/index.js';
import { testContext } from './context.js';
import { kitCase, where, type KitCase } from './cases.js';
import { definitionCases, withDefaults } from './definition.js';

/** A sink's destination, for one test. */
export interface SinkBackend {
  /** Configuration of a sink with this destination. */
  readonly config: object;
  readonly context?: Partial<Context>;
  /**
   * Identities of the stored records, as {@link SinkDriver.identity} returns them, in order. Called after a
   * flush, with the sink open or closed. If the other side stores with a delay, it waits until it has
   * `count`.
   */
  read(sink: Sink, count: number): Promise<readonly string[]>;
  close?(): Promise<void>;
}

export interface SinkDriver {
  readonly component: AnySink;
  /** Valid, but without a destination: only its schema is checked. */
  readonly config: object;
  readonly invalid?: readonly object[];
  /** A separate backend; `folder` is removed afterwards. */
  readonly backend: (folder: string) => Promise<SinkBackend>;
  /** Record `index`, of all ports that the sink takes in turn; equal for equal numbers. */
  readonly record: (index: number) => Data;
  readonly identity: (data: Data) => string;
  /** False for sinks that store nothing once closed (live feeds, standard output). Default true. */
  readonly stored?: boolean;
  /** False for sinks that promise no order, even among the records of one port. Default true. */
  readonly ordered?: boolean;
}

/** The promises of every sink, which docs/own-sink.md lists. */
export function sinkCases(driver: SinkDriver): readonly KitCase[] {
  const definition = definitionCases(driver.component, driver.config, driver.invalid ?? []);
  const { recovery } = driver.component;
  const within = (name: string, body: (bench: Bench) => Promise<void>) =>
    kitCase(name, () => onBench(driver, body));
  const { stored = true } = driver;
  return [
    ...definition,
    ...writing.map(([name, body]) => within(name, body)),
    ...where(
      stored,
      within('a write after close is rejected or fails, and stores nothing', async (bench) => {
        await closedAndWrittenTo(bench);
        const again = await bench.open();
        await bench.expectStored(again, 0, 1);
        await again.close();
      }),
      within('flushed records survive closing and opening', reopened),
    ),
    ...where(!stored, within('a write after close is rejected or fails', closedAndWrittenTo)),
    ...where(recovery === 'rewind', ...rewinding.map(([name, body]) => within(name, body))),
    ...where(recovery === 'idempotent', within('a record written twice is stored once', writtenTwice)),
  ];
}

/** A backend, and the sinks that write to it. */
class Bench {
  readonly driver: SinkDriver;
  readonly folder: string;
  readonly backend: SinkBackend;

  constructor(driver: SinkDriver, folder: string, backend: SinkBackend) {
    this.driver = driver;
    this.folder = folder;
    this.backend = backend;
  }

  async open(): Promise<Sink> {
    const { component } = this.driver;
    const { context } = testContext({
      folder: this.folder,
      stateFolder: this.folder,
      ...this.backend.context,
    });
    const sink = component.create(withDefaults(component, this.backend.config) as never, context);
    await sink.open();
    return sink;
  }

  records(from: number, to: number): readonly Data[] {
    return Array.from({ length: to - from }, (_, index) => this.driver.record(from + index));
  }

  /** Checks that these records are stored and no others, those of a port in the order in which they were written. */
  async expectStored(sink: Sink, from: number, to: number): Promise<void> {
    const { identity, ordered = true } = this.driver;
    const written = this.records(from, to);
    const names = new Set(written.map(identity));
    ok(
      names.size === written.length,
      `the driver has ${names.size} identities for ${written.length} records`,
    );
    const found = await this.backend.read(sink, written.length);
    deepEqual([...found].sort(), written.map(identity).sort());
    if (!ordered) return;
    for (const port of new Set(written.map((record) => record.port))) {
      const ofPort = written.filter((record) => record.port === port).map(identity);
      deepEqual(
        found.filter((name) => ofPort.includes(name)),
        ofPort,
      );
    }
  }
}

async function onBench(driver: SinkDriver, body: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-sink-'));
  const backend = await driver.backend(folder);
  try {
    await body(new Bench(driver, folder, backend));
  } finally {
    await backend.close?.();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Promised = readonly [name: string, body: (bench: Bench) => Promise<void>];

const writing: readonly Promised[] = [
  [
    'written and flushed records are stored, in order',
    async (bench) => {
      const sink = await bench.open();
      deepEqual(await sink.write(bench.records(0, 1), 1), []);
      deepEqual(await sink.write(bench.records(1, 40), 1), []);
      await sink.flush();
      await bench.expectStored(sink, 0, 40);
      await sink.close();
    },
  ],
  [
    'an empty batch and a flush of nothing succeed',
    async (bench) => {
      const sink = await bench.open();
      deepEqual(await sink.write([], 1), []);
      await sink.flush();
      await sink.flush();
      await bench.expectStored(sink, 0, 0);
      await sink.close();
    },
  ],
  [
    'it opens and closes repeatedly, and leaves nothing open',
    async (bench) => {
      await (await bench.open()).close();
      const before = process.getActiveResourcesInfo();
      for (let round = 0; round < ROUNDS; round++) await (await bench.open()).close();
      const left = await leftOpen(before);
      ok(left.length <= TOLERATED, `it leaves open: ${left.join(', ')}`);
    },
  ],
  [
    'it does not change its input',
    async (bench) => {
      const sink = await bench.open();
      const given = bench.records(0, 10);
      const before = structuredClone(given);
      await sink.write(given, 1);
      await sink.flush();
      deepEqual(given, before);
      await sink.close();
    },
  ],
];

async function closedAndWrittenTo(bench: Bench): Promise<void> {
  const sink = await bench.open();
  await sink.write(bench.records(0, 1), 1);
  await sink.flush();
  await sink.close();
  const refused = await sink.write(bench.records(1, 2), 1).then(
    (failed) => failed.length === 1,
    (error: unknown) => error instanceof Error,
  );
  ok(refused, 'a write after close was accepted');
}

/** What each open leaves is there as often in the end. */
const ROUNDS = 10;
/**
 * The process is not the sink's alone: a test runner reports to its parent with timers of its own, and a server of the
 * test may still close a connection. That is one or two whatever the rounds, and a sink that leaks leaves one a round.
 */
const TOLERATED = 2;
/** Turns of the event loop after which a handle that is being closed is closed. */
const TURNS = 20;

/**
 * What is open now and was not before. A handle counts as open until the turn after its close callback, or
 * some more for several, so this waits some turns if there is any.
 */
async function leftOpen(before: readonly string[]): Promise<readonly string[]> {
  for (let turn = 0; ; turn++) {
    const left = beyond(process.getActiveResourcesInfo(), before);
    if (left.length <= TOLERATED || turn === TURNS) return left;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** The names that are in `now` more often than in `before`, each as often as it is more. */
function beyond(now: readonly string[], before: readonly string[]): readonly string[] {
  const rest = [...before];
  return now.filter((name) => {
    const at = rest.indexOf(name);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

async function reopened(bench: Bench): Promise<void> {
  const sink = await bench.open();
  await sink.write(bench.records(0, 10), 1);
  await sink.flush();
  await sink.close();
  const again = await bench.open();
  await again.write(bench.records(10, 15), 2);
  await again.flush();
  await bench.expectStored(again, 0, 15);
  await again.close();
}

async function writtenTwice(bench: Bench): Promise<void> {
  const sink = await bench.open();
  await sink.write(bench.records(0, 10), 1);
  await sink.write(bench.records(5, 15), 2);
  await sink.flush();
  await bench.expectStored(sink, 0, 15);
  await sink.close();
}

const rewinding: readonly Promised[] = [
  [
    'rewinding an empty store succeeds',
    async (bench) => {
      const sink = await bench.open();
      await sink.rewind!(0);
      await sink.write(bench.records(0, 5), 1);
      await sink.flush();
      await bench.expectStored(sink, 0, 5);
      await sink.close();
    },
  ],
  [
    'rewinding deletes later epochs and nothing else',
    async (bench) => {
      const sink = await bench.open();
      for (const epoch of [5, 6, 7]) await sink.write(bench.records(epoch * 10, epoch * 10 + 10), epoch);
      await sink.flush();
      await sink.rewind!(6);
      await bench.expectStored(sink, 50, 70);
      await sink.write(bench.records(70, 80), 7);
      await sink.flush();
      await sink.rewind!(7);
      await bench.expectStored(sink, 50, 80);
      await sink.close();
    },
  ],
  [
    'rewinding also deletes what an earlier process flushed late',
    async (bench) => {
      const sink = await bench.open();
      await sink.write(bench.records(0, 10), 1);
      await sink.write(bench.records(10, 20), 2);
      await sink.flush();
      await sink.close();
      const again = await bench.open();
      await again.rewind!(1);
      await bench.expectStored(again, 0, 10);
      await again.close();
    },
  ],
];
