import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFolder } from '../../pipeline/telemetry/paths.js';
import { withDefaults } from '../kit/definition.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';

/**
 * A process is killed by SIGKILL at named and at random moments and started again until it has taken in
 * all. Its tables must be those of a run that was never killed, row by row.
 * `CSIFLOW_KILL=full` takes 200 random moments instead of a sample.
 */
const full = process.env['CSIFLOW_KILL'] === 'full';
const REPLAY_KILLS = full ? 140 : 4;
const UDP_KILLS = full ? 60 : 3;
const SPAN_US = 10_000;
const FRAMES = 3000;
const POINTS = ['read', 'enqueued', 'written', 'flushed', 'mid_checkpoint'] as const;

const child = join(packageFolder, 'node_modules/.cache/csiflow-kill/child.mjs');
const folders: string[] = [];
const running = new Set<ChildProcess>();

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile: child,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
});

afterAll(() => {
  for (const process of running) process.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-kill-'));
  folders.push(folder);
  return folder;
}

interface Started {
  readonly process: ChildProcess;
  /** The UDP port, where it has one. */
  readonly port: Promise<number>;
  readonly running: Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

function start(folder: string, input: string, killAt?: string): Started {
  const process_ = spawn(process.execPath, [child, folder, input], {
    env: {
      ...process.env,
      ...(killAt === undefined ? {} : { CSIFLOW_KILL_AT: killAt }),
      CSIFLOW_TEST_DUCKDB: JSON.stringify(withDefaults(duckdb, { path: join(folder, 'out.duckdb') })),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(process_);
  let text = '';
  const said = <T>(pattern: RegExp, read: (match: RegExpExecArray) => T): Promise<T> =>
    new Promise((resolve) => {
      process_.stdout.on('data', () => {
        const match = pattern.exec(text);
        if (match) resolve(read(match));
      });
    });
  process_.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    process: process_,
    port: said(/port (\d+)\n/, (match) => Number(match[1])),
    running: said(/running\n/, () => undefined),
    ended: new Promise((resolve) => {
      process_.on('exit', (code, signal) => {
        running.delete(process_);
        resolve({ code, signal });
      });
    }),
  };
}

interface Row {
  readonly name: string;
  readonly time: number;
  readonly value: number;
}

async function rows(folder: string): Promise<readonly Row[]> {
  const instance = await DuckDBInstance.create(join(folder, 'out.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(
    'SELECT name, epoch_us("time")::DOUBLE AS time, value FROM measures',
  );
  connection.closeSync();
  instance.closeSync();
  return found.getRowObjects() as unknown as Row[];
}

/** What the frames in `stored` must have led to, computed by a plain loop: fan-in order and sums. */
function expected(stored: readonly Row[]): {
  readonly seen: readonly string[];
  readonly sums: readonly string[];
} {
  const frames = stored
    .filter(({ name }) => name.startsWith('frame_'))
    .map(({ name, time }) => ({ number: Number(name.slice('frame_'.length)), time }))
    .sort((a, b) => a.number - b.number);
  const sums: { time: number; total: number }[] = [];
  let total = 0;
  let next = 0;
  for (const { number, time } of frames) {
    if (next === 0) next = (Math.floor(time / SPAN_US) + 1) * SPAN_US;
    for (; next <= time; next += SPAN_US) sums.push({ time: next, total });
    total += number;
  }
  const merged = [
    ...frames.map(({ number, time }) => ({ time, port: 0, name: `frame_${number}` })),
    ...sums.map(({ time }) => ({ time, port: 1, name: 'sum_seen' })),
  ].sort((a, b) => a.time - b.time || a.port - b.port);
  return {
    seen: merged.map(({ name, time }, index) => `${index} ${name} ${time}`),
    sums: sums.map(({ time, total: sum }) => `${time} ${sum}`),
  };
}

/** Rows as they should be; the end of `seen` and of `sums` may be cut off where the fan-in still held them. */
function check(stored: readonly Row[]): void {
  const { seen, sums } = expected(stored);
  const seenRows = stored.filter(({ name }) => name !== 'sum').sort((a, b) => a.value - b.value);
  // A sum may be stored whose next frame, which closed its span, is still held.
  while (seenRows.length > seen.length && seenRows.at(-1)!.name === 'sum_seen') seenRows.pop();
  const sumRows = stored.filter(({ name }) => name === 'sum').sort((a, b) => a.time - b.time);
  expect(seenRows.map(({ name, time, value }) => `${value} ${name} ${time}`)).toEqual(
    seen.slice(0, seenRows.length),
  );
  const texts = sumRows.map(({ time, value }) => `${time} ${value}`);
  expect(texts.slice(0, sums.length)).toEqual(sums.slice(0, texts.length));
  expect(seen.length - seenRows.length).toBeLessThanOrEqual(2);
}

async function finishReplay(folder: string): Promise<void> {
  const last = start(folder, 'replay');
  expect(await last.ended).toEqual({ code: 0, signal: null });
  const stored = await rows(folder);
  expect(stored.filter(({ name }) => name.startsWith('frame_'))).toHaveLength(FRAMES);
  check(stored);
}

test('a run that is never killed stores what a plain loop computes', { timeout: 30_000 }, async () => {
  await finishReplay(newFolder());
});

test.each(POINTS)('killed at the point `%s`, again and again', { timeout: 60_000 }, async (point) => {
  const folder = newFolder();
  for (const count of full ? [1, 2, 3, 5, 8] : [3]) {
    expect((await start(folder, 'replay', `${point}:${count}`).ended).signal).toBe('SIGKILL');
  }
  await finishReplay(folder);
});

test(
  'killed at random moments while it reads a recording',
  { timeout: full ? 1_200_000 : 60_000 },
  async () => {
    for (let kills = 0; kills < REPLAY_KILLS;) {
      const folder = newFolder();
      for (let turn = 0; turn < 5 && kills < REPLAY_KILLS; turn++, kills++) {
        const started = start(folder, 'replay');
        // From before it has opened its state until well into the recording.
        await Promise.race([Math.random() < 0.2 ? undefined : started.running, started.ended]);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
        started.process.kill('SIGKILL');
        await started.ended;
      }
      await finishReplay(folder);
    }
  },
);

test('killed at random moments while datagrams arrive', { timeout: full ? 1_200_000 : 60_000 }, async () => {
  const socket = createSocket('udp4');
  let number = 0;
  try {
    for (let kills = 0; kills < UDP_KILLS;) {
      const folder = newFolder();
      let port = 0;
      const send = setInterval(() => {
        if (port === 0) return;
        for (let burst = 0; burst < 3; burst++) {
          const bytes = Buffer.alloc(4);
          bytes.writeUInt32BE(++number);
          socket.send(bytes, port, '127.0.0.1');
        }
      }, 1);
      const turns = Math.min(5, UDP_KILLS - kills);
      for (let turn = 0; turn < turns; turn++, kills++) {
        const started = start(folder, String(port));
        port = await started.port;
        await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 300));
        started.process.kill('SIGKILL');
        await started.ended;
      }
      const last = start(folder, String(port));
      await last.running;
      await new Promise((resolve) => setTimeout(resolve, 150));
      clearInterval(send);
      last.process.kill('SIGTERM');
      expect(await last.ended).toEqual({ code: 0, signal: null });
      const stored = await rows(folder);
      expect(stored.length).toBeGreaterThan(0);
      check(stored);
    }
  } finally {
    socket.close();
  }
});
