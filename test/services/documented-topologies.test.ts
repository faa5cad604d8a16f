import { transformSync } from 'esbuild';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { kafka as kafkaSink } from '../../sinks/kafka/kafka.js';
import { withDefaults } from '../kit/definition.js';
import { messagesOf } from '../kit/drivers/nats.js';
import { afterThisTest } from '../support/clean-up.js';
import { blocksOf, fileOf } from '../support/code-blocks.js';
import { testContext } from '../support/context.js';
import { csiflow, Csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';
import { measure, poseFrame } from '../support/records.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { startNats } from '../support/servers/nats.js';
import { startPostgres } from '../support/servers/postgres.js';
import { freePorts } from '../support/servers/server.js';

// Each whole topology of the pages runs here as it is written, with other addresses; or elsewhere, as RUN_ELSEWHERE
// says. Parts of topologies are validated (test/config), and recipes run in test/testing/recipes.test.ts.

const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/tutorial.md': 'test/long/tutorial.test.ts',
  'docs/scripts.md': 'test/long/documented-commands.test.ts',
};
const topologies = blocksOf('yaml').filter(({ text }) => /^id: /m.test(text) && /^sources:/m.test(text));
const RUN_HERE: Readonly<Record<string, number>> = {
  'README.md': 1,
  'docs/kafka.md': 2,
  'docs/nats.md': 1,
  'docs/own-operator.md': 1,
  'docs/own-source.md': 1,
  'docs/postgresql.md': 1,
  'docs/topology.md': 1,
};

const root = mkdtempSync(join(tmpdir(), 'csiflow-documented-'));
const recording = join(root, 'walk.csi');
beforeAll(async () => {
  const esp32 = packageFile('topologies/esp32-udp.yaml');
  expect(await csiflow('simulate', esp32, '--seconds', '6', '--out', recording)).toMatchObject({ code: 0 });
}, 60_000);
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** A topology of a page in a folder of its own, with `environments/ward-3.yaml`. */
class Documented {
  readonly folder = mkdtempSync(join(root, 'one-'));
  #text: string;

  /** @param at which of the page's, from 0 */
  constructor(page: string, at = 0) {
    const block = topologies.filter((one) => one.page === page)[at];
    if (!block) throw new Error(`${page} has no topology ${at}`);
    this.#text = block.text;
    this.addRoom('ward-3');
  }

  /** The room of two ESP32 nodes under another name. @param sender of a node's frames */
  addRoom(id: string, sender = (node: string) => node): void {
    const pair = readFileSync(packageFile('topologies/environments/esp32-pair.yaml'), 'utf8');
    const own = pair
      .replace('id: esp32-pair', `id: ${id}`)
      .replace(/- id: node/g, `- id: ${id}-node`)
      .replace(/sender: (node-\d)/g, (_, node: string) => `sender: ${sender(node)}`);
    mkdirSync(join(this.folder, 'environments'), { recursive: true });
    writeFileSync(join(this.folder, `environments/${id}.yaml`), own);
  }

  /** Puts in what differs for each reader. */
  with(written: string, own: string): this {
    expect(this.#text).toContain(written);
    this.#text = this.#text.replaceAll(written, own);
    return this;
  }

  start(env: Record<string, string> = {}, ...options: readonly string[]): Csiflow {
    writeFileSync(join(this.folder, 'topology.yaml'), this.#text);
    const started = new Csiflow(['run', 'topology.yaml', '--no-api', ...options], { cwd: this.folder, env });
    afterThisTest(() => started.kill());
    return started;
  }

  /** Its rows in a DuckDB file. */
  async stored(file: string, sql: string): Promise<readonly (readonly unknown[])[]> {
    const answer = await csiflow('query', sql, '--from', join(this.folder, file), '--json');
    return (JSON.parse(answer.out) as { rows: readonly (readonly unknown[])[] }).rows;
  }
}

const running = (started: Csiflow) => started.printed(/the topology is running/);
const replayTo = async (port: number): Promise<void> => {
  expect(await csiflow('replay', recording, '--to', `udp://127.0.0.1:${port}`)).toMatchObject({ code: 0 });
};
const freePort = async (): Promise<number> => (await freePorts(1))[0]!;
const START = Date.parse('2026-03-01T08:00:00Z') * 1_000;
const MOTION = "SELECT count(*) FROM measures WHERE name = 'motion'";

test('README: from UDP to poses in DuckDB', { timeout: 180_000 }, async () => {
  const port = await freePort();
  const documented = new Documented('README.md').with('port: 5005', `port: ${port}`);
  const started = documented.start();
  await running(started);
  await replayTo(port);
  expect(await started.interrupt()).toBe(0);
  const [[poses]] = (await documented.stored('data/ward-3.duckdb', 'SELECT count(*) FROM poses')) as [
    [number],
  ];
  expect(poses).toBeGreaterThan(5);
});

test('docs/topology.md: from UDP to motion in DuckDB', { timeout: 120_000 }, async () => {
  const port = await freePort();
  const documented = new Documented('docs/topology.md').with('port: 5005', `port: ${port}`);
  const started = documented.start();
  await running(started);
  await replayTo(port);
  expect(await started.interrupt()).toBe(0);
  const [[found]] = (await documented.stored('data/ward-3.duckdb', MOTION)) as [[number]];
  expect(found).toBeGreaterThan(5);
});

test('docs/nats.md: from UDP to a stream that it creates', { timeout: 120_000 }, async () => {
  const [{ server, address }, port] = await Promise.all([startNats(), freePort()]);
  afterThisTest(() => server.stop());
  const documented = new Documented('docs/nats.md')
    .with('port: 5005', `port: ${port}`)
    .with('nats-1:4222', address);
  const started = documented.start();
  await running(started);
  await replayTo(port);
  expect(await started.interrupt()).toBe(0);
  const subjects = (await messagesOf('csiflow', address)).map(({ subject }) => subject);
  expect(subjects).toContain('csiflow.ward-3.measure.motion');
});

test('docs/postgresql.md: from UDP to a prepared database', { timeout: 120_000 }, async () => {
  const [postgres, port] = await Promise.all([startPostgres(), freePort()]);
  afterThisTest(() => postgres.stop());
  const [prepare] = blocksOf('sql').filter(({ page }) => page === 'docs/postgresql.md');
  for (const statement of prepare!.text.split(';\n')) await postgres.execute(statement);
  const documented = new Documented('docs/postgresql.md')
    .with('port: 5005', `port: ${port}`)
    .with('db:5432', `127.0.0.1:${postgres.port}`)
    .with('username: csiflow #', 'username: csiflow\n    password: ${secret:postgresql_password} #');
  const started = documented.start({ CSIFLOW_SECRET_POSTGRESQL_PASSWORD: 'a long password' });
  await running(started);
  await replayTo(port);
  expect(await started.interrupt()).toBe(0);
  const [{ count }] = (await postgres.execute(
    "SELECT count(*) FROM csiflow.measures WHERE name = 'motion' AND environment = 'ward-3'",
    'sensing',
  )) as [{ count: string }];
  expect(Number(count)).toBeGreaterThan(5);
});

test(
  'docs/kafka.md: from a topic to another, and from results to a store',
  { timeout: 240_000 },
  async () => {
    const cluster = await KafkaCluster.start();
    afterThisTest(() => cluster.stop());
    const admin = await cluster.admin();
    const topics = ['csi', 'csiflow.pose', 'csiflow.event', 'csiflow.measure', 'csiflow.results'];
    await admin.createTopics({ topics: topics.map((topic) => ({ topic })) });
    const brokers = cluster.brokers.join(', ');

    const wards = new Documented('docs/kafka.md', 0).with('kafka-1:9092, kafka-2:9092', brokers);
    wards.addRoom('ward-3', (node) => `${node}@ward-3`);
    const sensing = wards.start();
    await running(sensing);
    const producer = cluster.client.producer();
    await producer.connect();
    // In an order of their own: all messages of one request have one timestamp.
    const messages = (await datagrams()).map((value, index) => ({
      ...{ key: 'ward-3', value },
      headers: { 'csiflow-time': String(START + index * 10_000) },
    }));
    await producer.send({ topic: 'csi', messages });
    await producer.disconnect();
    await expect
      .poll(async () => (await cluster.values('csiflow.measure')).length, { timeout: 60_000 })
      .toBeGreaterThan(5);
    expect(await sensing.interrupt()).toBe(0);

    const sink = kafkaSink.create(
      withDefaults(kafkaSink, { brokers: cluster.brokers, topic: 'csiflow.results' }) as never,
      testContext({ stateFolder: temporaryFolder() }).context,
    );
    await sink.open();
    const environment = 'ward-2';
    expect(
      await sink.write(
        [
          { ...poseFrame(0), environment },
          { ...measure(1), environment },
        ],
        1,
      ),
    ).toEqual([]);
    await sink.close();
    const store = new Documented('docs/kafka.md', 1).with('kafka-1:9092', brokers);
    for (const id of ['ward-1', 'ward-2']) store.addRoom(id, (node) => `${node}@${id}`);
    const storing = store.start();
    await running(storing);
    const read = async (): Promise<string | undefined> => {
      const [found] = await admin.fetchOffsets({ groupId: 'csiflow-store', topics: ['csiflow.results'] });
      return found?.partitions[0]?.offset;
    };
    // A checkpoint commits what it covers.
    await expect.poll(read, { timeout: 60_000 }).toBe('2');
    expect(await storing.interrupt()).toBe(0);
    expect(await store.stored('data/wards.duckdb', 'SELECT environment FROM measures')).toEqual([['ward-2']]);
  },
);

/** Operators and sources of one's own, compiled as the page says. */
function withPlugin(page: string, module: string): Documented {
  const documented = new Documented(page);
  const { text } = blocksOf('ts').find((block) => block.page === page && fileOf(block) === `${module}.ts`)!;
  const { code } = transformSync(text, { loader: 'ts', format: 'esm' });
  writeFileSync(join(documented.folder, `${module}.mjs`), code);
  mkdirSync(join(documented.folder, 'node_modules'));
  for (const [name, folder] of [
    ['csiflow', packageFolder],
    ['typebox', packageFile('node_modules/typebox')],
  ] as const)
    symlinkSync(folder, join(documented.folder, 'node_modules', name));
  return documented;
}

async function ownRoom({ folder }: Documented): Promise<void> {
  const { out } = await csiflow('create', '--environment');
  writeFileSync(join(folder, 'room.yaml'), out);
}

test('docs/own-source.md: the thermometer is read to its end', { timeout: 60_000 }, async () => {
  const documented = withPlugin('docs/own-source.md', 'thermometer');
  await ownRoom(documented);
  const started = documented.start({}, '--plugin', 'thermometer.mjs', '--until-end');
  expect(await started.ended(), started.output).toBe(0);
  for (const celsius of ['20.5', '20.6', '20.4']) expect(started.output).toContain(celsius);
});

test('docs/own-operator.md: the person who lies down is shown', { timeout: 240_000 }, async () => {
  const documented = withPlugin('docs/own-operator.md', 'lying');
  await ownRoom(documented);
  const started = documented.start({}, '--plugin', 'lying.mjs');
  await started.printed(/lying/);
  expect(await started.interrupt()).toBe(0);
});

test('every whole topology of the pages runs here or elsewhere', () => {
  const found: Record<string, number> = {};
  for (const { page } of topologies) if (!(page in RUN_ELSEWHERE)) found[page] = (found[page] ?? 0) + 1;
  expect(found).toEqual(RUN_HERE);
});

/** The datagrams of the recording, as nodes send them. */
async function datagrams(): Promise<readonly Buffer[]> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const received: Buffer[] = [];
  socket.on('message', (datagram) => received.push(datagram));
  await replayTo(socket.address().port);
  socket.close();
  return received;
}
