import { deepEqual, equal, fail, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sliceRaw, type RawBatch, type Source, type SourceBatch } from '../../component/index.js';
import type { Data } from '../../model/index.js';
import { drawing, kitCase, where, type KitCase } from './cases.js';
import { definitionCases } from './definition.js';
import { comparable, inAnyOrder, throughDisk } from './run-operator.js';
import { rawOf } from './raw.js';
import { count, SENT, SourceBench, type SourceDriver } from './source-bench.js';

/** The promises of every source, which docs/own-source.md lists. */
export function sourceCases(driver: SourceDriver): readonly KitCase[] {
  const within = ([name, body]: Promised): KitCase => kitCase(name, () => onBench(driver, body));
  return [
    ...definitionCases(driver.component, driver.config, driver.invalid ?? []),
    ...reading.map(within),
    ...where(driver.component.replayable, ...replaying.map(within)),
    ...decoding.map(within),
  ];
}

async function onBench(driver: SourceDriver, body: (bench: SourceBench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-source-'));
  const input = await driver.input(folder);
  try {
    await body(new SourceBench(driver, folder, input));
  } finally {
    await input.close?.();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Promised = readonly [name: string, body: (bench: SourceBench) => Promise<void>];

const reading: readonly Promised[] = [
  [
    'it reads records, each batch with one kind of content and a position that survives the disk',
    async (bench) => {
      const { batches } = await bench.readAll();
      ok(count(batches) > 0, 'it reads no records');
      if (bench.isLive) ok(count(batches) >= SENT, `it reads ${count(batches)} of at least ${SENT} records`);
      for (const { raw, data, position } of batches) {
        ok((raw === undefined) !== (data === undefined), 'a batch must have either raw or data');
        deepEqual(throughDisk(position), position);
      }
    },
  ],
  [
    'arrival times never decrease',
    async (bench) => {
      const { batches } = await bench.readAll();
      let last = -Infinity;
      for (const { raw } of batches) {
        for (const time of raw?.time.subarray(0, raw.count) ?? []) {
          ok(time >= last, `${time} comes after ${last}`);
          last = time;
        }
      }
    },
  ],
  ['it ends on request, also before it began', endsWhenTold],
];

async function endsWhenTold(bench: SourceBench): Promise<void> {
  const abort = new AbortController();
  const source = bench.make();
  const opened = source.open(null, {
    signal: abort.signal,
    offer: () =>
      new Promise((resolve) => {
        abort.signal.addEventListener('abort', () => {
          resolve(false);
        });
      }),
  });
  setTimeout(() => {
    abort.abort();
  }, 30);
  await bench.ended(opened);
  await source.close?.();
  const again = bench.make();
  await bench.ended(again.open(null, { signal: abort.signal, offer: () => true }));
  await again.close?.();
}

const replaying: readonly Promised[] = [
  [
    'it waits for a full queue',
    async (bench) => {
      equal((await bench.readAll()).waiting, 1, 'it offers a batch before the previous one is accepted');
    },
  ],
  [
    'it returns the same records when it is read again',
    async (bench) => {
      const first = await bench.read(null);
      const again = await bench.read(null);
      deepEqual(contents(again.source, again.batches), contents(first.source, first.batches));
    },
  ],
  ['from the position of any batch it returns what follows', goesOnFromPositions],
];

async function goesOnFromPositions(bench: SourceBench): Promise<void> {
  const whole = await bench.read(null);
  const all = contents(bench.make(), whole.batches);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: Math.min(whole.batches.length, 12) }), async (taken) => {
      const first = whole.batches.slice(0, taken);
      const rest = await bench.read(throughDisk(first.at(-1)!.position));
      const decoder = bench.make();
      const before = contents(decoder, first);
      const state = throughDisk(decoder.snapshot?.());
      const other = bench.make();
      if (state !== undefined) other.restore?.(state);
      deepEqual(inAnyOrder([...before, ...contents(other, rest.batches)]), all);
    }),
    drawing(5),
  );
}

/** Every batch decodes into something; counters and failures explain it if not. */
async function decodesSome(bench: SourceBench): Promise<void> {
  const { batches } = await bench.read(null);
  const raws = batches.flatMap(({ raw }) => (raw ? [raw] : []));
  if (raws.length === 0) return;
  const { source, recorded } = bench.makeRecorded();
  const outputs = raws.map(
    (raw) => source.decode?.(raw) ?? fail('it offers raw records but has no `decode`'),
  );
  if (outputs.some(({ data }) => data.length > 0)) return;
  const refused = new Set(outputs.flatMap(({ failed = [] }) => failed.map(({ reason }) => reason)));
  const seen = { failed: [...refused].slice(0, 3), dropped: recorded.dropped, describe: source.describe?.() };
  fail(`none of its records decodes into anything: ${JSON.stringify(seen)}`);
}

const decoding: readonly Promised[] = [
  ['what it reads decodes into records', decodesSome],
  [
    'what it decodes does not depend on the size of batches',
    async (bench) => {
      const { batches } = await bench.read(null);
      const raws = batches.flatMap(({ raw }) => (raw ? [raw] : []));
      const singles = raws.flatMap((raw) =>
        Array.from({ length: raw.count }, (_, index) => sliceRaw(raw, index, index + 1)),
      );
      deepEqual(decoded(bench.make(), singles), decoded(bench.make(), raws));
    },
  ],
  [
    'random bytes do not make decode throw',
    async (bench) => {
      const source = bench.make();
      if (!source.decode) return;
      fc.assert(
        fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (records) => {
          source.decode!(rawOf(records.map((bytes) => ({ bytes }))));
        }),
        drawing(200),
      );
    },
  ],
];

const contents = (source: Source, batches: readonly SourceBatch[]): unknown[] =>
  inAnyOrder(
    comparable(batches.flatMap(({ raw, data }): readonly Data[] => (raw ? source.decode!(raw).data : data!))),
  );

const decoded = (source: Source, raws: readonly RawBatch[]): unknown[] =>
  inAnyOrder(comparable(raws.flatMap((raw) => source.decode!(raw).data)));
