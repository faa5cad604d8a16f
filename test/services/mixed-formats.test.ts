import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { formatNamed, RawBuilder } from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock, type Data } from '../../pipeline/model/index.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { mqtt } from '../../pipeline/sources/mqtt/mqtt.js';
import { bareRecords, SAMPLES } from '../formats/samples.js';
import { withDefaults } from '../kit/definition.js';
import { formatRecords } from '../kit/drivers/formats.js';
import { collector } from '../sources/outputs.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext } from '../support/context.js';
import { runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { anySender } from '../support/recordings.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { startMosquitto } from '../support/servers/mosquitto.js';
import { eventually, until } from '../support/waiting.js';

/** Formats with their own record in the kits, besides those of the samples. */
const OTHERS = ['adr018', 'csi-json', 'esp32-serial', 'intel5300'];
const FORMATS = [...SAMPLES.map(({ format }) => format), ...OTHERS];
const EACH = 4;

/** Records of all formats in turn, as they arrive in one topic. */
const MIXED = Array.from({ length: EACH }, (_, index) => [
  ...SAMPLES.map((sample) => bareRecords(sample)[index]!),
  ...OTHERS.map((format) => formatRecords[format]!(index).bytes),
]).flat();

/** Nobody writes this. */
const UNKNOWN = Buffer.from('what is this?');

/** Frames by layout, which identifies their formats. */
function tally(blocks: readonly Pick<CsiBlock, 'layout' | 'count'>[]): Readonly<Record<string, number>> {
  const frames: Record<string, number> = {};
  for (const { layout, count } of blocks) frames[layout.key] = (frames[layout.key] ?? 0) + count;
  return frames;
}

const csiOf = (data: readonly Data[]): CsiBlock[] =>
  data.filter((one): one is CsiBlock => one.port === 'csi');

/** Output for each record alone, from the decoder of its own format. */
const alone = (): CsiBlock[] =>
  MIXED.flatMap((record, i) => {
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const builder = new RawBuilder(1, 'live');
    builder.add(1e15, record, 0, record.length, 'csi/mixed');
    const name = FORMATS[i % FORMATS.length]!;
    return csiOf(formatNamed(name).decoder(context).decode(builder.take()).data);
  });

describe('one topic with records of all formats', () => {
  test('mqtt: each record from mosquitto is read in its own format', { timeout: 300_000 }, async () => {
    const broker = await startMosquitto();
    afterThisTest(() => broker.server.stop());
    const login = { username: 'csiflow', password: broker.password };
    const settings = { url: broker.url, ...login, topics: ['csi/#'], format: 'auto', idle_tick_ms: 0 };
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const source = mqtt.create(withDefaults(mqtt, { client_id: 'mixed', ...settings }) as never, context);
    const taken = collector();
    const ended = source.open(null, taken.output);
    afterThisTest(async () => {
      taken.stop();
      await ended;
    });
    await eventually(() => {
      expect(source.describe!()['connected']).toBe(true);
    });
    const client = await connectAsync(broker.url, login);
    afterThisTest(() => client.endAsync(true));
    for (const record of [...MIXED, UNKNOWN])
      await client.publishAsync('csi/mixed', Buffer.from(record), { qos: 1 });
    await eventually(() => {
      expect(taken.records()).toBe(MIXED.length + 1);
    });
    const outputs = taken.batches.map(({ raw }) => source.decode!(raw!));
    const expected = alone();
    expect(tally(outputs.flatMap(({ data }) => csiOf(data)))).toEqual(tally(expected));
    expect(outputs.flatMap(({ failed = [] }) => failed).map(({ code }) => code)).toEqual([
      'decode.unknown_format',
    ]);
    expect(String(source.describe!()['format']).split(', ').sort()).toEqual([...FORMATS].sort());
  });

  test('kafka: the same, and unknown records are dead letters', { timeout: 300_000 }, async () => {
    const cluster = await KafkaCluster.start();
    afterThisTest(() => cluster.stop());
    const topic = await cluster.topic();
    const producer = cluster.client.producer();
    await producer.connect();
    const messages = [...MIXED.slice(0, 30), UNKNOWN, ...MIXED.slice(30)].map((record) => ({
      key: 'csi/mixed',
      value: Buffer.from(record),
    }));
    await producer.send({ topic, messages });
    await producer.disconnect();
    const table = new Table();
    const config = { brokers: cluster.brokers, topics: [topic], group: 'mixed', format: 'auto' };
    const topology = topologyOf(
      {
        input: { component: kafka, config: { ...config, fetch_wait_ms: 50, session_timeout_ms: 6_000 } },
        store: { component: table.component, from: ['input'] },
      },
      temporaryFolder(),
      { checkpointIntervalMs: 100 },
    );
    const runner = runnerOf({ ...topology, environments: [anySender] });
    await runner.start();
    const expected = alone();
    const frames = expected.reduce((sum, { count }) => sum + count, 0);
    const blocks = () => table.stored.flatMap(({ record }) => (record.port === 'csi' ? [record] : []));
    await until('all frames', () => blocks().reduce((sum, { count }) => sum + count, 0) >= frames);
    await runner.stop();
    expect(tally(blocks())).toEqual(tally(expected));
    expect(runner.status().nodes[0]).toMatchObject({ failed: 1, dropped: { malformed_unknown_format: 1 } });
    const letters = await runner.deadLetters();
    expect(letters.map(({ code }) => code)).toEqual(['decode.unknown_format']);
  });
});
