import { deepEqual, equal, fail, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RawBatch, Source, SourceBatch } from '../../component/index.js';
import type { Data } from '../../model/index.js';
import { drawing, kitCase, where, type KitCase } from './cases.js';
import { definitionCases } from './definition.js';
import { comparable, inAnyOrder, throughDisk } from './run-operator.js';
import { rawOf, type RawRecord } from './raw.js';
import { count, SENT, SourceBench, type SourceDriver } from './source-bench.js';

/** The promises of every source, which docs/own-source.md lists. */
export function sourceCases(driver: SourceDriver): readonly KitCase[] {
  const within = ([name, body]: Promised): KitCase => kitCase(name, () => onBench(driver, body));
  return [
    ...definitionCases(driver.component, driver.config, driver.invalid ?? []),
    ...reading.map(within),
    ...where(driver.component.replayable, ...replaying.map(within)),
    ...((driver.decodes ?? true) ? decoding : decoded).map(within),
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
  ['it ends on request, also before it began', endsWhenTold],
];

async function endsWhenTold(bench: SourceBench): Promise<void> {
  const abort = new AbortController();
  const source = bench.make();
  let begun: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const opened = source.open(null, {
    signal: abort.signal,
    ready: begun,
    offer: () => {
      begun();
      return new Promise((resolve) => {
        abort.signal.addEventListener('abort', () => {
          resolve(false);
        });
      });
    },
  });
  await bench.within(Promise.race([beginning, opened]), 'it does not begin to read');
  abort.abort();
  await bench.within(opened, 'it does not end on request');
  await source.close?.();
  const again = bench.make();
  const never = again.open(null, { signal: abort.signal, offer: () => true });
  await bench.within(never, 'it does not end if it is asked before it began');
  await again.close?.();
}

const replaying: readonly Promised[] = [
  [
    'it waits for a full queue',
    async (bench) => {
      const { batches, waiting } = await bench.readAll();
      ok(batches.length > 1, `it offers ${batches.length} batches: with fewer than two, none has to wait`);
      equal(waiting, 1, 'it offers a batch before the previous one is accepted');
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
  ok(whole.batches.length > 1, 'it offers one batch: nothing follows its position');
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

/** The batches that a source offers, none of them decoded. */
async function rawsOf(bench: SourceBench): Promise<readonly RawBatch[]> {
  const { batches } = await bench.read(null);
  return batches.map(
    ({ raw }) => raw ?? fail('it offers decoded records: `decodes: false` in its driver states that'),
  );
}

/** Every batch decodes into something; counters and failures explain it if not. */
async function decodesSome(bench: SourceBench): Promise<void> {
  const raws = await rawsOf(bench);
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
    'arrival times never decrease',
    async (bench) => {
      const times = (await rawsOf(bench)).flatMap(({ time, count }) => [...time.subarray(0, count)]);
      ok(times.length > 1, `it reads ${times.length} records: at least two have an order`);
      for (const [index, time] of times.entries())
        ok(index === 0 || time >= times[index - 1]!, `${time} comes after ${times[index - 1]}`);
    },
  ],
  [
    'what it decodes does not depend on the size of batches',
    async (bench) => {
      const raws = await rawsOf(bench);
      const records = raws.flatMap(recordsOf);
      ok(records.length > 1, `it reads ${records.length} records: at least two make a batch`);
      const { origin } = raws[0]!;
      const whole = { ...rawOf(records), origin };
      const singles = records.map((record) => ({ ...rawOf([record]), origin }));
      const wanted = decodedBy(bench.make(), raws);
      deepEqual(decodedBy(bench.make(), [whole]), wanted);
      deepEqual(decodedBy(bench.make(), singles), wanted);
    },
  ],
  [
    'random bytes do not make decode throw',
    async (bench) => {
      const source = bench.make();
      ok(source.decode !== undefined, 'it has no `decode`: `decodes: false` in its driver states that');
      fc.assert(
        fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (records) => {
          source.decode!(rawOf(records.map((bytes) => ({ bytes }))));
        }),
        drawing(200),
      );
    },
  ],
];

const decoded: readonly Promised[] = [
  [
    'what it offers is decoded already',
    async (bench) => {
      ok(!bench.make().decode, 'it has a `decode`, but its driver states `decodes: false`');
      for (const { raw } of (await bench.readAll()).batches)
        ok(!raw, 'it offers raw records, but its driver states `decodes: false`');
    },
  ],
];

const recordsOf = ({ bytes, offsets, time, sender, senders, count }: RawBatch): RawRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    bytes: bytes.subarray(offsets[index], offsets[index + 1]),
    time: time[index]!,
    sender: senders[sender[index]!]!,
  }));

const contents = (source: Source, batches: readonly SourceBatch[]): unknown[] =>
  inAnyOrder(
    comparable(batches.flatMap(({ raw, data }): readonly Data[] => (raw ? source.decode!(raw).data : data!))),
  );

const decodedBy = (source: Source, raws: readonly RawBatch[]): unknown[] =>
  inAnyOrder(comparable(raws.flatMap((raw) => source.decode!(raw).data)));
