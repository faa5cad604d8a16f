import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRecord } from '../../pipeline/component/index.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/capture.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { batchOf } from '../formats/batches.js';
import { datagrams } from '../kit/csi-input.js';
import { sharedFile } from '../support/shared.js';
import { Accepted, type Loss } from './accepted.js';
import { buildChild, cleanUp, newFolder, removeFolder, start, type ChildInput } from './process.js';
import { Report } from './report.js';

/**
 * A process is killed by SIGKILL at named and at random moments and started again until it has taken in
 * all. Its tables must be those of a run that was never killed, row by row.
 * `CSIFLOW_KILL=full` takes 200 random moments instead of a sample, and writes docs/reports/kill.md.
 */
const full = process.env['CSIFLOW_KILL'] === 'full';
const FILE_KILLS = full ? 130 : 2;
const UDP_KILLS = full ? 70 : 2;
/** Milliseconds of datagrams that a kill may take; a sample on a busy machine says less. */
const LOSS_MS = full ? 100 : 1000;
/** Kills of one folder, one after the other; then it runs to the end and is compared. */
const CHAIN = 10;
const POINTS = ['read', 'enqueued', 'written', 'flushed', 'mid_checkpoint'] as const;
const COUNTS = full ? [1, 4, 17] : [5];
const minutes = (count: number) => ({ timeout: count * 60_000 });

const report = new Report();
let recording: string;
let whole: string;

beforeAll(async () => {
  await buildChild();
  recording = sharedFile('captures/adr018/pretrain-1775182186.csi.jsonl') ?? madeRecording();
  const folder = newFolder();
  await toEnd({ folder, source: 'file', path: recording, speed: 0, blockRecords: 64 });
  whole = await rowsOf(folder);
  expect(whole.length).toBeGreaterThan(100_000);
}, 120_000);

afterAll(() => {
  cleanUp();
  if (full) report.write();
});

test('a recording, killed at each named moment', minutes(20), async () => {
  for (const count of COUNTS) {
    // Slow enough for many checkpoints: each kill comes before the end.
    const input = { ...fileInput(), speed: 5 };
    for (const point of POINTS) {
      expect((await start(input, `${point}:${count}`).ended).signal, point).toBe('SIGKILL');
      report.killed('file', point);
    }
    await toEnd({ ...input, speed: 0 });
    expectSame(await rowsOf(input.folder), whole);
    report.compared('file', whole);
    removeFolder(input.folder);
  }
});

test('a recording, killed at random moments', minutes(40), async () => {
  for (let kills = 0; kills < FILE_KILLS;) {
    const input = fileInput();
    for (let turn = 0; turn < CHAIN && kills < FILE_KILLS; turn++, kills++) {
      await killAtRandom(input);
      report.killed('file', 'random');
    }
    await toEnd({ ...input, speed: 0 });
    expectSame(await rowsOf(input.folder), whole);
    report.compared('file', whole);
    removeFolder(input.folder);
  }
});

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

test('datagrams, killed at random moments', minutes(40), async () => {
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

/** From before it has opened its state until well into its input. */
async function killAtRandom(input: ChildInput): Promise<void> {
  const started = start(input);
  if (Math.random() > 0.2) await Promise.race([started.running, started.ended]);
  await sleep(Math.random() * 800);
  started.process.kill('SIGKILL');
  await started.ended;
}

async function toEnd(input: ChildInput): Promise<void> {
  expect(await start(input).ended).toEqual({ code: 0, signal: null });
}

/**
 * Datagrams arrive all the time, while `kill` starts and kills processes; then a last process takes some in
 * and is stopped. What it stored must be what the file source makes of the datagrams that were accepted.
 */
async function withDatagrams(kill: (input: ChildInput, accepted: Accepted) => Promise<void>): Promise<void> {
  const folder = newFolder();
  const input: ChildInput = { folder, source: 'udp', port: await freePort(), blockRecords: blockRecords() };
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
  const stored = await rowsOf(folder, 'origin');
  expectSame(stored, await rowsOf(reference, 'origin'));
  report.compared('udp', stored);
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
