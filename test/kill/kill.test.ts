import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test as one, vi, type RunnerTestCase } from 'vitest';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { batchOf } from '../formats/batches.js';
import { datagrams } from '../kit/csi-input.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { sharedFile } from '../support/shared.js';
import { Accepted, type Loss } from './accepted.js';
import {
  beginningOf,
  datagramsOf,
  fillTopic,
  isFrame,
  publish,
  writeCapture,
  type Heard,
} from './brokers.js';
import {
  buildChild,
  cleanUp,
  newFolder,
  removeFolder,
  start,
  type ChildInput,
  type ChildSinks,
  type Kind,
  type Started,
} from './process.js';
import { writeGrowing } from './growing.js';
import { Report } from './report.js';
import { alertsIn, expectInInflux, expectSame, outcomeOf, without, type Outcome } from './stored.js';
import { brokerOf, AlertReceivers, WAYS, type Broker } from './receivers.js';

/**
 * Kills a process by SIGKILL at named and at random moments and restarts it until it has read everything. Its
 * tables, its files and its topics must equal those of an uninterrupted run, row by row, and every receiver
 * of alerts must have received each. With `CSIFLOW_SERVICES`, sources and sinks include real servers
 * (InfluxDB, Mosquitto, Kafka). `CSIFLOW_KILL=full` runs a thousand kills instead of a sample, with real
 * servers, and writes docs/reports/kill.md. `CSIFLOW_KILLS` sets another number of random kills.
 */
const full = process.env['CSIFLOW_KILL'] === 'full';
const services = full || process.env['CSIFLOW_SERVICES'] !== undefined;
/** Total of random kills, shared among the sources that need no server. */
const asked = process.env['CSIFLOW_KILLS'];
const KILLS = asked
  ? sharedOut(Number(asked))
  : full
    ? // Twice over for the first three.
      { file: 150, simulator: 120, udp: 90, kafka: 130, mqtt: 90, follow: 90 }
    : { file: 2, simulator: 2, udp: 2, kafka: 4, mqtt: 4, follow: 2 };
/** Playback speed relative to the recording, for many checkpoints: each kill comes before the end. */
const SLOWLY = full ? 2 : 5;
/** Milliseconds of datagrams that a kill may lose; on a busy machine a sample is less meaningful. */
const LOSS_MS = full ? 100 : 1000;
/** Kills of one folder, one after the other; then it runs to the end and is compared. */
const CHAIN = 10;
const POINTS = ['read', 'enqueued', 'written', 'flushed', 'mid_checkpoint'] as const;
const COUNTS = full ? [1, 4, 17] : [5];
/** Approximate number of datagrams in the topics of brokers. */
const MESSAGES = 3000;
const minutes = (count: number) => ({ timeout: count * 60_000 });
/** A killed process mostly starts, waits and loads: sources run concurrently. */
const test = full ? one.concurrent : one;

const report = new Report();
let recording: string;
let whole: Outcome;
let simulated: Outcome;
let broker: Broker;
let receivers: AlertReceivers;
let influx: InfluxServer | undefined;
let databases = 0;
let turns = 0;
let heard: readonly Heard[];

beforeAll(async () => {
  await buildChild();
  recording = sharedFile('captures/adr018/pretrain-1775182186.csi.jsonl') ?? madeRecording();
  heard = await datagramsOf(recording);
  broker = await brokerOf(services);
  receivers = await AlertReceivers.start(broker);
  if (services) influx = await startInflux();
  const folder = newFolder();
  await toEnd({ folder, source: 'file', path: recording, speed: 0, blockRecords: 64 });
  whole = await outcomeOf(folder);
  expect(whole.rows.length).toBeGreaterThan(100_000);
  expect(alertsIn(whole.rows).length).toBeGreaterThan(20);
  const room = newFolder();
  await toEnd({ ...simulatorInput(), folder: room, speed: 0 });
  simulated = await outcomeOf(room);
  expect(simulated.rows.length).toBeGreaterThan(100_000);
  expect(simulated.lines).toContain('"trainedOn"');
}, 240_000);

afterAll(async () => {
  cleanUp();
  await (receivers as AlertReceivers | undefined)?.close();
  await (broker as Broker | undefined)?.stop();
  await influx?.server.stop();
});

const REPLAYED = {
  file: { input: () => fileInput(), outcome: () => whole },
  simulator: { input: () => simulatorInput(), outcome: () => simulated },
} as const;

/** Alternates between kinds, so that an aborted run has covered all of them. */
const randomly = (lane: number) => {
  for (const kind of ['file', 'simulator'] as const) {
    const { input: makeInput, outcome } = REPLAYED[kind];
    test(`${kind}, killed at random moments (${lane})`, minutes(120), async ({ task }) => {
      const before = report.kills(kind, 'random');
      for (let left = KILLS[kind]; left > 0; left -= CHAIN) {
        await chain(kind, async () => {
          const input = { ...makeInput(), sinks: { ...receivers.sinks(), ...ownInflux() } };
          await killManyTimes(input, left);
          await toEnd({ ...input, speed: 0 });
          await expectWhole(input, outcome());
        });
      }
      expectKilled(task, report.kills(kind, 'random') - before, KILLS[kind]);
      report.expectNone(kind);
    });
  }
  test(`datagrams, killed at random moments (${lane})`, minutes(120), async ({ task }) => {
    const before = report.kills('udp', 'random');
    for (let left = KILLS.udp; left > 0; left -= CHAIN) {
      await chain('udp', () =>
        withDatagrams(async (input, accepted) => {
          for (let turn = 0; turn < Math.min(CHAIN, left); turn++) {
            const killed = await killAtRandom(input);
            const loss = await accepted.afterRun();
            if (killed) report.killed('udp', 'random', loss);
          }
        }),
      );
    }
    expectKilled(task, report.kills('udp', 'random') - before, KILLS.udp);
    report.expectNone('udp');
  });
};

/** Reports how many kills came before the end of the input, as most must: the others killed nothing. */
function expectKilled({ meta }: RunnerTestCase, killed: number, wanted: number): void {
  Object.assign(meta, { kills: killed });
  expect(killed).toBeGreaterThanOrEqual(Math.floor(0.8 * wanted));
}

randomly(1);

if (services) {
  test('Kafka to Kafka, killed', minutes(120), async () => {
    const cluster = await KafkaCluster.start();
    try {
      const from = await fillTopic(cluster, beginningOf(heard, MESSAGES));
      const wanted = await outcomeOfCapture();
      const whole = await throughKafka(cluster, from, 'exactly_once', async () => undefined);
      const results = without(whole.results, UNLIKE);
      await chains('kafka', async (kill, index) => {
        const delivery = index % 2 === 0 ? 'exactly_once' : 'at_least_once';
        const found = await throughKafka(cluster, from, delivery, kill);
        await expectLike('kafka', found, wanted);
        const lines = without(found.results, UNLIKE).split('\n');
        const unlike = delivery === 'exactly_once' ? lines : [...new Set(lines)];
        expectSame(unlike.join('\n'), results, `topic, ${delivery}`);
        report.delivered(delivery, unlike.length, lines.length - unlike.length);
      });
    } finally {
      await cluster.stop();
    }
  });

  test('MQTT, killed', minutes(120), async () => {
    const wanted = await outcomeOfCapture();
    await chains('mqtt', async (kill) => {
      await expectLike('mqtt', await throughMqtt(kill), wanted);
    });
  });
}

test('a file that grows and is rotated, killed', minutes(120), async () => {
  const wanted = await outcomeOfCapture();
  await chains('follow', async (kill) => {
    await expectLike('follow', await throughGrowingFile(kill), wanted);
  });
});

for (const kind of ['file', 'simulator'] as const) {
  const { input: makeInput, outcome } = REPLAYED[kind];
  test(`${kind}, killed at each named moment`, minutes(60), async () => {
    for (const count of COUNTS) {
      await chain(kind, async () => {
        const input = { ...makeInput(), speed: SLOWLY, sinks: receivers.sinks() };
        await killAtEach(input, count);
        await toEnd({ ...input, speed: 0 });
        await expectWhole(input, outcome());
      });
    }
    report.expectNone(kind);
    report.expectEach(kind, POINTS);
  });
}

test('datagrams, killed at each named moment', minutes(60), async () => {
  for (const count of COUNTS) {
    await chain('udp', () =>
      withDatagrams(async (input, accepted) => {
        for (const point of POINTS) {
          expect((await start(turned(input), `${point}:${count}`).ended).signal, point).toBe('SIGKILL');
          report.killed('udp', point, await accepted.afterRun());
        }
      }),
    );
  }
  report.expectNone('udp');
  report.expectEach('udp', POINTS);
});

if (full) randomly(2);

one('what a kill takes of the datagrams is what was not yet committed', () => {
  expect(report.longestLoss).toBeLessThanOrEqual(LOSS_MS);
});

/** Chains of kills at each named and at random moments. */
async function chains(
  kind: 'kafka' | 'mqtt' | 'follow',
  work: (kill: (input: ChildInput) => Promise<void>, index: number) => Promise<void>,
): Promise<void> {
  let index = 0;
  for (const count of COUNTS) await chain(kind, () => work((input) => killAtEach(input, count), index++));
  for (let left = KILLS[kind]; left > 0; left -= CHAIN)
    await chain(kind, () => work((input) => killManyTimes(input, left), index++));
  report.expectNone(kind);
  report.expectEach(kind, POINTS);
}

/** A failing chain does not stop the others. */
async function chain(kind: Kind, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    report.broke(kind, error);
  }
  if (full) report.write();
}

/** The length of a chain, or the number of kills left. */
async function killManyTimes(input: ChildInput, left: number): Promise<void> {
  for (let turn = 0; turn < Math.min(CHAIN, left); turn++) {
    if (await killAtRandom(input)) report.killed(input.source, 'random');
  }
}

/** On a busy machine the input may end before a moment occurs for the last time: that is no kill. */
async function killAtEach(input: ChildInput, count: number): Promise<void> {
  for (const point of POINTS) {
    const ended = await start(turned(input), `${point}:${count}`).ended;
    expect([KILLED, ENDED], point).toContainEqual(ended);
    if (ended.signal !== null) report.killed(input.source, point);
  }
}

/** Every second process has the signal processing in a thread: state and results are the same. */
const turned = (input: ChildInput): ChildInput => ({ ...input, threads: turns++ % 2 });

const blockRecords = (): number => 1 + Math.floor(Math.random() * 64);

function sharedOut(count: number) {
  const [file, simulator] = [Math.round(count * 0.35), Math.round(count * 0.25)];
  return { file, simulator, udp: count - file - simulator, kafka: 4, mqtt: 4, follow: 4 };
}

const fileInput = (): ChildInput => ({
  folder: newFolder(),
  source: 'file',
  path: recording,
  // Six seconds for the two minutes: kills are spread over all of it.
  speed: 20,
  blockRecords: blockRecords(),
});

const simulatorInput = (): ChildInput => ({
  folder: newFolder(),
  source: 'simulator',
  speed: 8,
  blockRecords: 64,
  network: true,
});

/** Every second chain has a real InfluxDB among the sinks. */
function ownInflux(): Pick<ChildSinks, 'influxdb'> {
  if (!influx || ++databases % 2 === 0) return {};
  const database = `kill-${databases}`;
  const config = { url: influx.url, database, username: 'admin', password: INFLUX_USERS.admin };
  return { influxdb: config };
}

/** Checks that all output of a chain is as if nothing had happened. */
async function expectWhole(
  input: ChildInput & { readonly sinks: ChildSinks & { readonly chain: string } },
  outcome: Outcome,
): Promise<void> {
  const found = await outcomeOf(input.folder);
  expectSame(found.rows, outcome.rows, 'tables');
  expectSame(found.lines, outcome.lines, 'files');
  report.compared(input.source, outcome.rows);
  await expectAlerts(input.sinks.chain, input.folder, found.rows);
  if (input.sinks.influxdb) report.stored(await expectInInflux(input.sinks.influxdb, input.folder));
  removeFolder(input.folder);
}

/** Each alert was delivered at least once; its id deduplicates it. */
async function expectAlerts(chain: string, folder: string, rows: string): Promise<void> {
  const ids = alertsIn(rows);
  for (const way of WAYS) {
    // The broker has them; they are on their way to the listener.
    await vi.waitFor(() => {
      expect(receivers.alerts(way, chain, folder).ids, way).toEqual(ids);
    }, 45_000);
    report.alerted(way, ids.length, receivers.alerts(way, chain, folder).again);
  }
}

/**
 * Kills between the opening of its state and well into its input. @returns false if it reached its end before
 */
async function killAtRandom(input: ChildInput): Promise<boolean> {
  const started = start(turned(input));
  if (Math.random() > 0.2) await Promise.race([started.running, started.ended]);
  await sleep(Math.random() * 800);
  started.process.kill('SIGKILL');
  const ended = await started.ended;
  // A process that crashed by itself was not killed.
  expect([KILLED, ENDED]).toContainEqual(ended);
  return ended.signal !== null;
}

const KILLED = { code: null, signal: 'SIGKILL' };
const ENDED = { code: 0, signal: null };

async function toEnd(input: ChildInput): Promise<void> {
  expect(await start(input).ended).toEqual(ENDED);
}

/**
 * Datagrams arrive all the time, while `kill` starts and kills processes; then a last process reads some and
 * is stopped. Its stored results must equal those of the file source for the accepted datagrams.
 */
async function withDatagrams(kill: (input: ChildInput, accepted: Accepted) => Promise<void>): Promise<void> {
  const folder = newFolder();
  const sinks = receivers.sinks();
  const input: ChildInput = {
    folder,
    source: 'udp',
    port: await freePort(),
    blockRecords: blockRecords(),
    sinks,
  };
  const accepted = new Accepted(folder);
  const sender = new Sender(heard, input.port!);
  try {
    await kill(input, accepted);
    const last = start(turned(input));
    await last.running;
    await sleep(300);
    await sender.end(join(folder, 'decoded.part'));
    last.process.kill('SIGTERM');
    expect(await last.ended).toEqual({ code: 0, signal: null });
    const loss: Loss = await accepted.afterRun();
    expect(loss.records).toBe(0);
  } finally {
    sender.close();
  }
  const capture = join(folder, 'accepted.csi');
  accepted.writeCapture(capture);
  const wanted = await outcomeOfCapture(capture);
  const stored = await outcomeOf(folder, ...UNLIKE);
  expectSame(stored.rows, wanted.rows, 'tables');
  expectSame(stored.lines, wanted.lines, 'files');
  report.compared('udp', stored.rows);
  await expectAlerts(sinks.chain, folder, stored.rows);
  removeFolder(folder);
}

/** A file's results have the origin `replay`, a radio's `live`; otherwise they must be equal. */
const UNLIKE = ['origin'];

/**
 * Results of the file source for a capture, which then waits for more. Default: the datagrams in the topics.
 */
async function outcomeOfCapture(capture?: string): Promise<Outcome> {
  const folder = newFolder();
  const path = capture ?? writeCapture(folder, beginningOf(heard, MESSAGES));
  await toStop(start({ folder, source: 'file', path, speed: 0, blockRecords: 64, hold: true }));
  const outcome = await outcomeOf(folder, ...UNLIKE);
  removeFolder(folder);
  return outcome;
}

/** Stops it when it has read everything. */
async function toStop(started: Started): Promise<void> {
  await Promise.race([started.read, started.ended]);
  started.process.kill('SIGTERM');
  expect(await started.ended).toEqual(ENDED);
}

interface Passed {
  readonly folder: string;
  readonly chain: string;
}

async function expectLike(
  kind: 'kafka' | 'mqtt' | 'follow',
  { folder, chain, ...found }: Passed & Outcome,
  wanted: Outcome,
): Promise<void> {
  expectSame(found.rows, wanted.rows, 'tables');
  expectSame(found.lines, wanted.lines, 'files');
  report.compared(kind, found.rows);
  await expectAlerts(chain, folder, found.rows);
  removeFolder(folder);
}

/** Reads one topic and writes another; calls `kill` before it reads to the end. */
async function throughKafka(
  cluster: KafkaCluster,
  topic: string,
  delivery: 'exactly_once' | 'at_least_once',
  kill: (input: ChildInput) => Promise<void>,
): Promise<Passed & Outcome & { readonly results: readonly string[] }> {
  const { chain, ...sinks } = receivers.sinks();
  const { brokers } = cluster;
  // Results carry the time of the recording, which exceeds a broker's default retention.
  const to = await cluster.topic(1, [{ name: 'retention.ms', value: '-1' }]);
  const session = { group: chain, session_timeout_ms: 1500, fetch_wait_ms: 50 };
  const input: ChildInput = {
    ...slowly('kafka'),
    from: { brokers, topics: [topic], origin: 'replay', ...session },
    sinks: { ...sinks, kafka: { brokers, topic: to, delivery, transactional_id: chain } },
  };
  await kill(input);
  await toStop(start(turned({ ...input, speed: 0 })));
  await cluster.decided(to);
  return {
    ...(await outcomeOf(input.folder, ...UNLIKE)),
    folder: input.folder,
    chain,
    results: await cluster.values(to),
  };
}

/** Reads a topic that is filled once its session exists. */
async function throughMqtt(kill: (input: ChildInput) => Promise<void>): Promise<Passed & Outcome> {
  const { chain, ...sinks } = receivers.sinks();
  const { url, username, password } = broker;
  const topic = `csi/${chain}`;
  const input: ChildInput = {
    ...slowly('mqtt'),
    from: { url, username, password, topics: [topic], client_id: chain, idle_tick_ms: 0 },
    sinks,
  };
  const first = start(input);
  await first.running;
  const messages = beginningOf(heard, MESSAGES);
  const published = publish(broker, topic, messages.slice(0, -1));
  first.process.kill('SIGKILL');
  await first.ended;
  report.killed('mqtt', 'random');
  await kill(input);
  await published;
  // If a process had received all of them before it was killed, the next one would wait for the last.
  await publish(broker, topic, messages.slice(-1));
  await toStop(start(turned({ ...input, speed: 0 })));
  return { ...(await outcomeOf(input.folder, ...UNLIKE)), folder: input.folder, chain };
}

/** So many begin before the first kill, and all but the last are committed. */
const CHECKPOINTS = 20;

/** Follows a file that a program writes and rotates while the processes are killed. */
async function throughGrowingFile(kill: (input: ChildInput) => Promise<void>): Promise<Passed & Outcome> {
  const { chain, ...sinks } = receivers.sinks();
  const given = slowly('follow');
  const input: ChildInput = { ...given, path: join(given.folder, 'growing.csi'), sinks };
  const first = start(input, `mid_checkpoint:${CHECKPOINTS}`);
  const written = writeGrowing(input.path!, beginningOf(heard, MESSAGES), first.ended);
  expect(await first.ended).toEqual(KILLED);
  report.killed('follow', 'mid_checkpoint');
  await kill(input);
  await written;
  await toStop(start(turned({ ...input, speed: 0 })));
  return { ...(await outcomeOf(input.folder, ...UNLIKE)), folder: input.folder, chain };
}

/** No process reaches the end of its input before it is killed. */
const slowly = (source: 'kafka' | 'mqtt' | 'follow') => ({
  folder: newFolder(),
  source,
  until: beginningOf(heard, MESSAGES).at(-1)!.time,
  speed: SLOWLY,
  blockRecords: blockRecords(),
});

/** At the end of a capture's record. */
const CHECKSUM_BYTES = 4;

/** Sends the datagrams of a recording in a loop, three per millisecond. */
class Sender {
  readonly #socket = createSocket('udp4');
  readonly #timer: NodeJS.Timeout;
  readonly #packets: readonly Uint8Array[];
  readonly #port: number;
  #next = 0;

  constructor(heard: readonly Heard[], port: number) {
    this.#packets = heard.map(({ bytes }) => bytes);
    this.#port = port;
    this.#timer = setInterval(() => {
      for (let burst = 0; burst < 3; burst++) this.#send();
    }, 2);
  }

  /**
   * Ends with a frame, so that the radio's and the file's watermarks are equal, and waits until it is decoded. A busy
   * machine may have dropped it, because it reads late: then it is sent again.
   */
  async end(decoded: string): Promise<void> {
    clearInterval(this.#timer);
    let packet = this.#send();
    while (!isFrame(packet)) packet = this.#send();
    const isLast = () =>
      readFileSync(decoded)
        .subarray(-packet.length - CHECKSUM_BYTES, -CHECKSUM_BYTES)
        .equals(packet);
    await vi.waitUntil(
      () => {
        if (isLast()) return true;
        this.#socket.send(packet, this.#port, '127.0.0.1');
        return false;
      },
      { interval: 500, timeout: 60_000 },
    );
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.close();
  }

  #send(): Uint8Array {
    const packet = this.#packets[this.#next++ % this.#packets.length]!;
    this.#socket.send(packet, this.#port, '127.0.0.1');
    return packet;
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => {
    socket.close(resolve);
  });
  return port;
}

/** Without the recordings: generated datagrams of two nodes, a hundred per second. */
function madeRecording(): string {
  const path = join(newFolder(), 'made.csi');
  const start = 1_700_000_000_000_000;
  const records = datagrams(6000).map((bytes, index) => ({ bytes, time: start + index * 20_000 }));
  writeFileSync(
    path,
    Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), encodeRecords(batchOf(...records))]),
  );
  return path;
}
