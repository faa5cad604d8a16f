import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { until } from '../support/waiting.js';
import { buildProcess, cleanUp, newFolder, start } from './process.js';

/** Input of a process of shedding-child.ts. */
export interface SheddingInput {
  readonly folder: string;
  readonly port: number;
  /** Processing time of a frame. */
  readonly msEach: number;
}

const KILLS = Number(process.env['CSIFLOW_SHEDDING_KILLS'] ?? 3);

let script: string;
beforeAll(async () => {
  script = await buildProcess('shedding-child');
});
afterAll(cleanUp);

test(
  'a process killed while shedding processes or sheds each frame once',
  { timeout: 30_000 * (KILLS + 1) },
  async () => {
    const folder = newFolder();
    const sender = await Sender.start();
    const input: SheddingInput = { folder, port: sender.port, msEach: 1 };
    const runs: Run[] = [];
    let read = 0;
    const latest = () => runOf(courseOf(folder).slice(read));
    const ended = () => {
      runs.push(latest());
      read = courseOf(folder).length;
    };
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const started = start(input, undefined, script);
        await started.running;
        await until('frames that are shed', () => latest().shed.size > 0);
        // Other frames are processed and stored in the meantime, and more are shed.
        await sleep(200 + 800 * Math.random());
        started.process.kill('SIGKILL');
        expect(await started.ended).toEqual({ code: null, signal: 'SIGKILL' });
        ended();
      }
      const last = start({ ...input, msEach: 0 }, undefined, script);
      await last.running;
      await until('frames of the last run', () => latest().received.length > 0);
      sender.stop();
      await until('all that was sent', () => latest().newest === sender.newest);
      last.process.kill('SIGTERM');
      expect(await last.ended).toEqual({ code: 0, signal: null });
      ended();
    } finally {
      sender.stop();
    }
    expectEachOnce(runs, await storedIn(folder));
  },
);

function expectEachOnce(runs: readonly Run[], stored: readonly number[]): void {
  expect(new Set(stored).size, 'stored twice').toBe(stored.length);
  // A later run decides again about frames whose decision had not reached the disk.
  const decided = new Map<number, 'processed' | 'shed'>();
  for (const { processed, shed } of runs) {
    for (const number of processed) decided.set(number, 'processed');
    for (const number of shed) decided.set(number, 'shed');
  }
  expect(stored.filter((number) => decided.get(number) !== 'processed')).toEqual([]);
  const isStored = new Set(stored);
  for (const run of runs) {
    expect(new Set(run.processed).size, 'processed twice in a run').toBe(run.processed.length);
    expect(run.processed.filter((number) => run.shed.has(number))).toEqual([]);
    // A kill loses only the newest frames: those not yet on disk.
    const lost = run.received.filter((number) => !isStored.has(number) && decided.get(number) !== 'shed');
    const behind = run.received.filter((number) => number >= (lost[0] ?? Infinity));
    expect(behind.filter((number) => isStored.has(number))).toEqual([]);
    if (run === runs.at(-1)) expect(lost).toEqual([]);
    else expect(run.shed.size).toBeGreaterThan(0);
  }
  for (const [index, { shed, processed }] of runs.entries()) {
    // The store rewinds to the last checkpoint; for what was stored by then, all earlier shedding is known
    // too.
    const later = new Set(runs.slice(index + 1).flatMap((run) => run.processed));
    const kept = processed.filter((number) => isStored.has(number) && !later.has(number));
    const newest = kept.at(-1) ?? -1;
    const again = [...shed].filter((number) => number < newest && later.has(number));
    expect(again, 'shed, and processed by a later run').toEqual([]);
  }
  const last = runs.at(-1)!;
  expect(last.counted).toEqual([last.processed.length, last.shed.size]);
}

/** The reported course of a process. */
interface Run {
  readonly received: readonly number[];
  readonly processed: readonly number[];
  readonly shed: ReadonlySet<number>;
  /** The newest frame with a decision. */
  readonly newest: number;
  /** Its final metrics: processed and shed. */
  readonly counted: readonly number[];
}

/** Complete lines: the last one may be in progress. */
function courseOf(folder: string): readonly string[] {
  const file = join(folder, 'course.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** Frames are decided in order of arrival, those of the journal first. */
function runOf(course: readonly string[]): Run {
  const received: number[] = [];
  const processed: number[] = [];
  const shed = new Set<number>();
  let counted: readonly number[] = [];
  let [decided, newOnes] = [0, 0];
  for (const line of course) {
    const [what, text] = line.split(' ') as [string, string];
    const numbers = text.split(',').map(Number);
    if (what === 'received') received.push(...numbers);
    else if (what === 'counted') counted = numbers;
    else if (what === 'shed') {
      for (const number of received.slice(decided, decided + numbers[0]!)) shed.add(number);
      decided += numbers[0]!;
    } else {
      processed.push(...numbers);
      const isNew = received[decided] === numbers[0];
      if (isNew) decided += numbers.length;
      // Frames of the journal come before all frames received in this run; a full queue may meanwhile drop
      // some of the latter.
      else expect(newOnes, 'out of order').toBe(0);
      if (isNew) newOnes++;
    }
  }
  return { received, processed, shed, newest: received[decided - 1] ?? -1, counted };
}

async function storedIn(folder: string): Promise<readonly number[]> {
  const instance = await DuckDBInstance.create(join(folder, 'out.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(`select subject from measures where name = 'frame'`);
  const numbers = found.getRowsJson().map(([subject]) => Number(subject));
  connection.closeSync();
  instance.closeSync();
  return numbers;
}

/** Sends frames with increasing numbers, four times as many as a process can handle. */
class Sender {
  readonly #socket = createSocket('udp4');
  readonly #timer: NodeJS.Timeout;
  readonly port: number;
  newest = -1;

  private constructor(port: number) {
    this.port = port;
    this.#timer = setInterval(() => {
      for (let burst = 0; burst < 20; burst++) this.#send();
    }, 5);
  }

  static async start(): Promise<Sender> {
    const probe = createSocket('udp4').bind(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address();
    probe.close();
    await once(probe, 'close');
    return new Sender(port);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    const frame = { node: 1, bins: 64, mhz: 2437, sequence: ++this.newest, rssi: -40, noise: -90 };
    this.#socket.send(encodePairs(frame, new Int8Array(128).fill(this.newest)), this.port, '127.0.0.1');
  }
}
