import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Context, Source } from '../../pipeline/component/index.js';
import { mqtt } from '../../pipeline/sources/mqtt/mqtt.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { startBroker } from '../support/mqtt-broker.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { collector } from './outputs.js';
import { eventually } from '../support/waiting.js';

let broker: Awaited<ReturnType<typeof startBroker>>;
let publisher: MqttClient;
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  broker = await startBroker();
  publisher = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await publisher.endAsync(true);
  await broker.close();
});

async function start(config: object, overrides: Partial<Context> = {}) {
  const { context, recorded } = testContext(overrides);
  const filled = withDefaults(mqtt, {
    url: `mqtt://127.0.0.1:${broker.port}`,
    protocol: '3.1.1',
    idle_tick_ms: 0,
    ...config,
  });
  const source: Source = mqtt.create(filled as never, context);
  const taken = collector();
  const ended = source.open(null, taken.output);
  stops.push(async () => {
    taken.stop();
    await ended;
  });
  await eventually(() => {
    expect(source.describe!()['connected']).toBe(true);
  });
  return { source, taken, recorded };
}

/** One antenna of two subcarriers. */
const json = (router: string, timestamp: string) =>
  JSON.stringify({
    timestamp,
    antenna_data: [
      [
        { real: 1, imag: 2 },
        { real: 3, imag: 4 },
      ],
    ],
    metadata: { router_id: router, signal_strength: -40 },
  });

test('JSON frames have their own time and sender', async () => {
  const { source, taken } = await start({ topics: ['csi'], format: 'csi-json' });
  await publisher.publishAsync('csi', json('node-2', '2023-11-14T22:00:00.5Z'), { qos: 1 });
  await eventually(() => {
    expect(taken.records()).toBe(1);
  });
  const [block] = taken.batches.flatMap(({ raw }) => source.decode!(raw!).data);
  expect(block).toMatchObject({ port: 'csi', count: 1 });
  if (block?.port !== 'csi') throw new Error('no frames');
  expect([...block.time]).toEqual([1_699_999_200_500_000]);
  expect([...block.link]).toEqual([1]);
  expect([...block.values]).toEqual([1, 2, 3, 4]);
});

test('the topic is the sender for formats that name none', async () => {
  const links = testEnvironment.links.map((link, index) => ({ ...link, sender: `csi/receiver-${index}` }));
  const environments = [{ ...testEnvironment, links }];
  const { source, taken } = await start(
    { topics: ['csi/+'], format: 'esp32-serial' },
    { environments, links: new LinkTable(environments) },
  );
  const line = `CSIRAW 7 100 -40 128 ${'01'.repeat(128)}`;
  await publisher.publishAsync('csi/receiver-1', line, { qos: 1 });
  await publisher.publishAsync('csi/stranger', line, { qos: 1 });
  await eventually(() => {
    expect(taken.records()).toBe(2);
  });
  const data = taken.batches.flatMap(({ raw }) => source.decode!(raw!).data);
  expect(data.flatMap((one) => (one.port === 'csi' ? [...one.link] : []))).toEqual([1]);
});

test('silence advances event time once something was received', async () => {
  let now = 1_700_000_000_000_000;
  const clock = { now: () => (now += 1000), elapsed: () => 0 };
  const { taken } = await start({ topics: ['csi'], idle_tick_ms: 5 }, { clock });
  await publisher.publishAsync('csi', 'one', { qos: 1 });
  await eventually(() => {
    expect(taken.records()).toBeGreaterThan(2);
  });
  const last = taken.batches.at(-1)!.raw!;
  expect(last.senders).toEqual(['']);
  expect(last.bytes).toHaveLength(0);
});

test('reports and waits for a broker that is unreachable', async () => {
  const { context } = testContext();
  const filled = withDefaults(mqtt, { url: 'mqtt://127.0.0.1:9', topics: ['csi'] });
  const source = mqtt.create(filled as never, context);
  const taken = collector();
  const problems: (string | null)[] = [];
  const ended = source.open(null, { ...taken.output, problem: (problem) => problems.push(problem) });
  await eventually(() => {
    expect(problems[0]).toMatch(/nothing listens there/);
  });
  taken.stop();
  await ended;
});
