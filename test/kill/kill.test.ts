import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRecord } from '../../pipeline/component/index.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/capture.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { batchOf } from '../formats/batches.js';
import { withDefaults } from '../kit/definition.js';
import { datagrams } from '../kit/csi-input.js';
import { testContext } from '../support/context.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';
import { sharedFile } from '../support/shared.js';
import { Accepted, type Loss } from './accepted.js';
import {
  buildChild,
  cleanUp,
  newFolder,
  removeFolder,
  start,
  type ChildInput,
  type ChildSinks,
} from './process.js';
import { Report } from './report.js';
import { Told } from './told.js';

/**
 * A process is killed by SIGKILL at named and at random moments and started again until it has taken in
 * all. Its tables and its files must be those of a run that was never killed, row by row, and whoever is told of
 * alerts must have been told of each.
 * `CSIFLOW_KILL=full` takes a thousand kills instead of a sample, a part of them with a real InfluxDB beside, and
 * writes docs/reports/kill.md.
 */
const full = process.env['CSIFLOW_KILL'] === 'full';
const FILE_KILLS = full ? 470 : 2;
const SIMULATOR_KILLS = full ? 270 : 2;
const UDP_KILLS = full ? 230 : 2;
/** Milliseconds of datagrams that a kill may take; a sample on a busy machine says less. */
const LOSS_MS = full ? 100 : 1000;
/** Kills of one folder, one after the other; then it runs to the end and is compared. */
const CHAIN = 10;
const POINTS = ['read', 'enqueued', 'written', 'flushed', 'mid_checkpoint'] as const;
const COUNTS = full ? [1, 4, 17] : [5];
const minutes = (count: number) => ({ timeout: count * 60_000 });

const report = new Report();
let recording: string;
let whole: Outcome;
let simulated: Outcome;
let told: Told;
let influx: InfluxServer | undefined;
let databases = 0;

/** What is left behind by a chain of kills. */
interface Outcome {
  readonly rows: string;
  readonly lines: string;
}

beforeAll(async () => {
  await buildChild();
  recording = sharedFile('captures/adr018/pretrain-1775182186.csi.jsonl') ?? madeRecording();
  const folder = newFolder();
  told = await Told.start();
  if (full) influx = await startInflux();
  await toEnd({ folder, source: 'file', path: recording, speed: 0, blockRecords: 64 });
  whole = await outcomeOf(folder);
  expect(whole.rows.length).toBeGreaterThan(100_000);
  expect(alertsIn(whole.rows).length).toBeGreaterThan(20);
  const room = newFolder();
  await toEnd({ folder: room, source: 'simulator', speed: 0, blockRecords: 64 });
  simulated = await outcomeOf(room);
  expect(simulated.rows.length).toBeGreaterThan(100_000);
}, 240_000);

afterAll(async () => {
  cleanUp();
  await (told as Told | undefined)?.close();
  await influx?.server.stop();
  if (full) report.write();
});

const REPLAYED = {
  file: { kills: FILE_KILLS, input: () => fileInput(), outcome: () => whole },
  simulator: { kills: SIMULATOR_KILLS, input: () => simulatorInput(), outcome: () => simulated },
} as const;

for (const [source, { kills, input: makeInput, outcome }] of Object.entries(REPLAYED)) {
  const kind = source as keyof typeof REPLAYED;

  test(`${kind}, killed at each named moment`, minutes(20), async () => {
    for (const count of COUNTS) {
      const sinks = told.sinks();
      // Slow enough for many checkpoints: each kill comes before the end.
      const input = { ...makeInput(), speed: 5, sinks };
      for (const point of POINTS) {
        expect((await start(input, `${point}:${count}`).ended).signal, point).toBe('SIGKILL');
        report.killed(kind, point);
      }
      await toEnd({ ...input, speed: 0 });
      await expectWhole(input, outcome());
    }
  });

  test(`${kind}, killed at random moments`, minutes(120), async () => {
    for (let done = 0; done < kills;) {
      const input = { ...makeInput(), sinks: { ...told.sinks(), ...(await ownInflux()) } };
      for (let turn = 0; turn < CHAIN && done < kills; turn++, done++) {
        await killAtRandom(input);
        report.killed(kind, 'random');
      }
      await toEnd({ ...input, speed: 0 });
      await expectWhole(input, outcome());
    }
  });
}

test('datagrams, killed at each named moment', minutes(20), async () => {
  for (const count of COUNTS) {
    await withDatagrams(async (input, accepted) => {
      for (const point of POINTS) {
        expect((await start(input, `${point}:${count}`).ended).signal, point).toBe('SIGKILL');
        report.killed('udp', point, await accepted.afterRun());
      }
    });
  }
});

test('datagrams, killed at random moments', minutes(120), async () => {
  for (let kills = 0; kills < UDP_KILLS;) {
    await withDatagrams(async (input, accepted) => {
      for (let turn = 0; turn < CHAIN && kills < UDP_KILLS; turn++, kills++) {
        await killAtRandom(input);
        report.killed('udp', 'random', await accepted.afterRun());
      }
    });
  }
});

test('what a kill takes of the datagrams is what was not yet committed', () => {
  expect(report.longestLoss).toBeLessThanOrEqual(LOSS_MS);
});

const blockRecords = (): number => 1 + Math.floor(Math.random() * 64);

const fileInput = (): ChildInput => ({
  folder: newFolder(),
  source: 'file',
  path: recording,
  // Six seconds for the two minutes: kills fall all over it.
  speed: 20,
  blockRecords: blockRecords(),
});

const simulatorInput = (): ChildInput => ({
  folder: newFolder(),
  source: 'simulator',
  speed: 8,
  blockRecords: 64,
});

/** In every second chain of a full run a real InfluxDB is among the sinks. */
async function ownInflux(): Promise<Pick<ChildSinks, 'influxdb'>> {
  if (!influx || ++databases % 2 === 0) return {};
  const database = `kill-${databases}`;
  const config = { url: influx.url, database, username: 'admin', password: INFLUX_USERS.admin };
  return { influxdb: config };
}

/** All that a chain has left behind is as if nothing had happened. */
async function expectWhole(
  input: ChildInput & { readonly sinks: ChildSinks & { readonly chain: string } },
  outcome: Outcome,
): Promise<void> {
  const found = await outcomeOf(input.folder);
  expectSame(found.rows, outcome.rows);
  expectSame(found.lines, outcome.lines);
  report.compared(input.source, outcome.rows);
  expectTold(input.sinks.chain, found.rows);
  if (input.sinks.influxdb) {
    await expectInInflux(input.sinks.influxdb, found.rows);
    report.stored();
  }
  removeFolder(input.folder);
}

/** Each alert was told at least once; by its id it is shown once. */
function expectTold(chain: string, rows: string): void {
  const ids = alertsIn(rows);
  for (const way of ['webhook', 'mqtt'] as const) {
    const alerts = told.alerts(way, chain);
    expect(alerts.ids, way).toEqual(ids);
    report.told(way, ids.length, alerts.again);
  }
}

const alertsIn = (rows: string): readonly string[] =>
  [...rows.matchAll(/^events .*?"(room\/fall_detection\/\d+)"/gm)].map((match) => match[1]!).sort();

/** Events and measures of the InfluxDB are those of the DuckDB beside it. */
async function expectInInflux(config: Readonly<Record<string, unknown>>, rows: string): Promise<void> {
  const sink = influxdb.create(withDefaults(influxdb, config) as never, testContext().context);
  await sink.open();
  try {
    const { reader } = sink;
    const events = await reader!.events({ environment: 'room' });
    expect(events.map(({ id }) => id).sort()).toEqual(alertsIn(rows));
    const measures = await reader!.measures({ environment: 'room' });
    const motion = [...rows.matchAll(/^measures .*?"motion".*"csiflow"/gm)].length;
    expect(measures.filter(({ name }) => name === 'motion')).toHaveLength(motion);
    expect(await reader!.countPoses({ environment: 'room' })).toBe([...rows.matchAll(/^poses /gm)].length);
  } finally {
    await sink.close();
  }
}

async function outcomeOf(folder: string, ...except: readonly string[]): Promise<Outcome> {
  return { rows: await rowsOf(folder, ...except), lines: linesOf(folder, except) };
}

/** Lines of the files, in order of their text: two nodes that write to one sink have no order between them. */
function linesOf(folder: string, except: readonly string[]): string {
  const names = readdirSync(folder).filter((name) => /^out\.\d+\.ndjson$/.test(name));
  const lines = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
  const left = new Set(['processingMs', ...except]);
  return lines
    .map((line) =>
      JSON.stringify(JSON.parse(line), (key, value: unknown) => (left.has(key) ? undefined : value)),
    )
    .sort()
    .join('\n');
}

/** From before it has opened its state until well into its input. */
async function killAtRandom(input: ChildInput): Promise<void> {
  const started = start(input);
  if (Math.random() > 0.2) await Promise.race([started.running, started.ended]);
  await sleep(Math.random() * 800);
  started.process.kill('SIGKILL');
  // It may have come to its end before; one that broke down by itself was not killed.
  expect([KILLED, ENDED]).toContainEqual(await started.ended);
}

const KILLED = { code: null, signal: 'SIGKILL' };
const ENDED = { code: 0, signal: null };

async function toEnd(input: ChildInput): Promise<void> {
  expect(await start(input).ended).toEqual(ENDED);
}

/**
 * Datagrams arrive all the time, while `kill` starts and kills processes; then a last process takes some in
 * and is stopped. What it stored must be what the file source makes of the datagrams that were accepted.
 */
async function withDatagrams(kill: (input: ChildInput, accepted: Accepted) => Promise<void>): Promise<void> {
  const folder = newFolder();
  const sinks = told.sinks();
  const input: ChildInput = {
    folder,
    source: 'udp',
    port: await freePort(),
    blockRecords: blockRecords(),
    sinks,
  };
  const accepted = new Accepted(folder);
  const sender = await Sender.start(recording, input.port!);
  try {
    await kill(input, accepted);
    const last = start(input);
    await last.running;
    await sleep(300);
    await sender.stop();
    await quiet(join(folder, 'decoded.part'));
    last.process.kill('SIGTERM');
    expect(await last.ended).toEqual({ code: 0, signal: null });
    const loss: Loss = await accepted.afterRun();
    expect(loss.records).toBe(0);
  } finally {
    await sender.stop();
  }
  const capture = join(folder, 'accepted.csi');
  accepted.writeCapture(capture);
  const reference = newFolder();
  const read = start({
    folder: reference,
    source: 'file',
    path: capture,
    speed: 0,
    blockRecords: 64,
    hold: true,
  });
  await read.read;
  read.process.kill('SIGTERM');
  expect(await read.ended).toEqual({ code: 0, signal: null });
  // A file's results say `replay` where the radio's say `live`; the same they must be else.
  const stored = await outcomeOf(folder, 'origin');
  const wanted = await outcomeOf(reference, 'origin');
  expectSame(stored.rows, wanted.rows);
  expectSame(stored.lines, wanted.lines);
  report.compared('udp', stored.rows);
  expectTold(sinks.chain, stored.rows);
  removeFolder(folder);
  removeFolder(reference);
}

/** Says where they differ first, rather than all of ten thousand rows. */
function expectSame(stored: string, wanted: string): void {
  if (stored === wanted) return;
  const [found, right] = [stored.split('\n'), wanted.split('\n')];
  const first = right.findIndex((row, index) => row !== found[index]);
  const around = (rows: readonly string[]) => rows.slice(Math.max(0, first - 3), first + 12);
  expect({ rows: found.length, first, around: around(found) }).toEqual({
    rows: right.length,
    first,
    around: around(right),
  });
}

/** All rows as text, without what may differ between two runs of the same input. */
async function rowsOf(folder: string, ...except: readonly string[]): Promise<string> {
  const instance = await DuckDBInstance.create(join(folder, 'out.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const parts: string[] = [];
  for (const table of ['poses', 'persons', 'events', 'measures']) {
    const left = [
      'epoch',
      ...(table === 'poses' ? ['processing_ms'] : []),
      ...(table === 'persons' ? [] : except),
    ];
    const found = await connection.runAndReadAll(
      `select * exclude (${left.join(', ')}) from ${table} order by all`,
    );
    for (const row of found.getRowsJson()) parts.push(`${table} ${JSON.stringify(row)}`);
  }
  connection.closeSync();
  instance.closeSync();
  return parts.join('\n');
}

/** Sends the datagrams of a recording round and round, three a millisecond. */
class Sender {
  readonly #socket = createSocket('udp4');
  #timer: NodeJS.Timeout | undefined;
  readonly #packets: readonly Uint8Array[];
  readonly #port: number;
  #next = 0;

  static async start(path: string, port: number): Promise<Sender> {
    const packets: Uint8Array[] = [];
    for await (const { raw } of (await openRecording(path)).batches(512))
      for (let index = 0; index < raw.count; index++) packets.push(Uint8Array.from(rawRecord(raw, index)));
    return new Sender(packets, port);
  }

  private constructor(packets: readonly Uint8Array[], port: number) {
    this.#packets = packets;
    this.#port = port;
    this.#timer = setInterval(() => {
      for (let burst = 0; burst < 3; burst++) this.#send();
    }, 2);
  }

  /** Ends with a frame: the radio's watermark and the file's are then the same. */
  async stop(): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    while (!isFrame(this.#send()));
    await sleep(20);
    this.#socket.close();
  }

  #send(): Uint8Array {
    const packet = this.#packets[this.#next++ % this.#packets.length]!;
    this.#socket.send(packet, this.#port, '127.0.0.1');
    return packet;
  }
}

const isFrame = (packet: Uint8Array): boolean =>
  packet[0] === 0x01 && packet[1] === 0x00 && packet.length > 60;

/** Resolves when a file has not grown for a while. */
async function quiet(path: string): Promise<void> {
  for (let size = -1, now = statSync(path).size; now !== size; now = statSync(path).size) {
    size = now;
    await sleep(250);
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

/** Where the recordings are not there: made datagrams of two nodes, a hundred a second. */
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
