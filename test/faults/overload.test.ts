import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineOperator, NOTHING, type Output } from '../../pipeline/component/index.js';
import type { QueueSettings } from '../../pipeline/config/topology/topology.js';
import type { SensedEvent } from '../../pipeline/model/index.js';
import { counter, Radio, rawNumbers, runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { stopwatch, until } from '../support/waiting.js';
import { sensedEvent } from '../support/records.js';
import { FaultyStore, refused } from './faulty-store.js';

const ALARM = 0xff_ffff;

/** An event at the frame numbered {@link ALARM}. */
const alarm = defineOperator({
  name: 'alarm',
  summary: 'An event at one frame.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['event'],
  create: () => ({
    process: (data): Output<SensedEvent> => {
      for (let index = 0; index < data.count; index++)
        if (data.sequence[index] === ALARM) return { data: [sensedEvent(1, { id: 'fall' })] };
      return NOTHING;
    },
  }),
});

/** Counts frames, and blocks until a test releases it. */
class Sluice {
  frames = 0;
  #open: () => void = () => undefined;
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  open(): void {
    this.#open();
  }

  readonly component = defineOperator({
    name: 'sluice',
    summary: 'Waits for the test.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['csi'],
    asynchronous: { maxInFlight: () => 2 },
    create: () => ({
      process: async (data) => {
        await this.#opened;
        this.frames += data.count;
        return { data: [data] };
      },
    }),
  });
}

const BATCH = Array.from({ length: 64 }, (_, index) => index);

/** Sends `batches` of 64 frames whose time is `time`. */
async function flood(radio: Radio, batches: number, time: number) {
  const times = BATCH.map(() => time);
  for (let batch = 0; batch < batches; batch++) {
    void radio.output!.offer({ position: batch, raw: rawNumbers(BATCH, times) });
    if (batch % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

test(
  'behind a million frames that are too old an alert arrives within two seconds',
  { timeout: 60_000 },
  async () => {
    const radio = new Radio();
    const sluice = new Sluice();
    const store = new FaultyStore('at-least-once');
    const runner = runnerOf(
      topologyOf(
        {
          in: {
            component: radio.component,
            queue: { capacity: 20_000, maxAgeMs: 10_000, policy: 'drop_oldest' },
          },
          sluice: { component: sluice.component, from: ['in'] },
          alarm: { component: alarm, from: ['sluice'] },
          out: { component: store.component(), from: ['alarm'] },
        },
        temporaryFolder(),
        { checkpointIntervalMs: 1000 },
      ),
    );
    await runner.start();
    const now = Date.now() * 1000;
    await flood(radio, 12, now);
    await flood(radio, 15_700, now - 60e6);
    expect(runner.status().nodes[0]!.queueDepth).toBeGreaterThan(15_600);
    // Sent with the current time: on a slow machine the flood alone takes longer than a frame may wait.
    void radio.send([ALARM], [Date.now() * 1000]);
    sluice.open();
    const took = stopwatch();
    await until('the alert', () => store.stored.includes('fall'));
    expect(took()).toBeLessThan(2000);
    const { dropped } = runner.status().nodes[0]!;
    expect(dropped['stale']! + sluice.frames).toBe(15_712 * 64 + 1);
    expect(dropped['stale']).toBeGreaterThan(1_000_000);
  },
);

test(
  'behind a million frames waiting for a store an alert arrives within two seconds of its return',
  { timeout: 60_000 },
  async () => {
    const store = new FaultyStore('at-least-once');
    store.down = refused;
    const radio = new Radio();
    const runner = runnerOf(
      topologyOf(
        {
          in: { component: counter, config: { count: 1_000_064, holdAt: 1_000_000, block: 500 } },
          radio: { component: radio.component },
          alarm: { component: alarm, from: ['radio'] },
          out: { component: store.component(), from: ['in', 'alarm'] },
        },
        temporaryFolder(),
        { checkpointIntervalMs: 1000 },
      ),
    );
    await runner.start();
    await until(
      'the backlog',
      () => runner.status().nodes.find(({ id }) => id === 'out')!.received >= 1_000_000,
    );
    void radio.send([ALARM]);
    await until(
      'the alert in the sink',
      () => runner.status().nodes.find(({ id }) => id === 'alarm')!.sent === 1,
    );
    store.slow = 2;
    const took = stopwatch();
    store.down = null;
    await until('the alert', () => store.stored.includes('fall'));
    expect(took()).toBeLessThan(2000);
    expect(store.size).toBeLessThan(1500);
  },
);

/** A site whose pump is blocked, so that its queue fills. */
async function full(queue: Partial<QueueSettings>, folder = temporaryFolder()) {
  const radio = new Radio();
  const sluice = new Sluice();
  const table = new Table();
  const topology = topologyOf(
    {
      in: { component: radio.component, queue },
      sluice: { component: sluice.component, from: ['in'] },
      out: { component: table.component, from: ['sluice'] },
    },
    folder,
    { checkpointIntervalMs: 1_000_000 },
  );
  const runner = runnerOf(topology);
  await runner.start();
  return { radio, sluice, table, runner, topology };
}

async function sent(
  radio: Radio,
  count: number,
): Promise<readonly { readonly taken: boolean | Promise<boolean> }[]> {
  const offers: { readonly taken: boolean | Promise<boolean> }[] = [];
  for (let number = 1; number <= count; number++) {
    offers.push({ taken: radio.send([number]) });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return offers;
}

const numbersOf = (table: Table) =>
  table.stored.map(({ record }) => (record.port === 'csi' ? record.sequence[0]! : 0));

test('block: the source waits, and nothing is lost', async () => {
  const { radio, sluice, table, runner } = await full({ capacity: 4, policy: 'block' });
  const offers = await sent(radio, 60);
  expect(offers.filter(({ taken }) => taken instanceof Promise).length).toBeGreaterThan(40);
  sluice.open();
  for (const { taken } of offers) expect(await taken).toBe(true);
  await until('all', () => sluice.frames === 60);
  await runner.stop();
  expect(numbersOf(table)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  expect(runner.status().nodes[0]!.dropped).toEqual({});
});

test('block: waiting records are in the journal; a crash loses none', async () => {
  const folder = temporaryFolder();
  const first = await full({ capacity: 4, policy: 'block' }, folder);
  await sent(first.radio, 60);
  await first.runner.stop({ force: true });
  const second = await full({ capacity: 4, policy: 'block' }, folder);
  second.sluice.open();
  await until('all', () => second.sluice.frames === 60);
  await second.runner.stop();
  expect(numbersOf(second.table)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
});

test('drop_newest: the first records stay, new ones are refused and counted', async () => {
  const { radio, sluice, table, runner } = await full({ capacity: 4, policy: 'drop_newest' });
  const offers = await sent(radio, 60);
  const count = offers.filter(({ taken }) => taken === true).length;
  expect(runner.status().nodes[0]!.dropped['queue_full']).toBe(60 - count);
  sluice.open();
  await until('those taken', () => sluice.frames === count);
  await runner.stop();
  expect(numbersOf(table)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test('drop_oldest: the newest stay, dropped ones are counted', async () => {
  const { radio, sluice, table, runner } = await full({ capacity: 4, policy: 'drop_oldest' });
  await sent(radio, 60);
  const dropped = runner.status().nodes[0]!.dropped['queue_full']!;
  sluice.open();
  await until('the rest', () => sluice.frames === 60 - dropped);
  await runner.stop();
  expect(numbersOf(table).slice(-4)).toEqual([57, 58, 59, 60]);
  expect(table.stored).toHaveLength(60 - dropped);
});

test('input during a stop is in the journal, and processed by the next start', async () => {
  const folder = temporaryFolder();
  const first = await full({ capacity: 100, policy: 'drop_oldest' }, folder);
  first.sluice.open();
  await sent(first.radio, 10);
  first.radio.output!.signal.addEventListener('abort', () => {
    queueMicrotask(() => void first.radio.send([11]));
  });
  await first.runner.stop();
  const second = await full({ capacity: 100, policy: 'drop_oldest' }, folder);
  second.sluice.open();
  await until('the last one', () => second.sluice.frames === 1);
  await second.runner.stop();
  expect(numbersOf(second.table)).toEqual([11]);
});
