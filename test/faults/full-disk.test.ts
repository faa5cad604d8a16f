import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Measure } from '../../pipeline/model/index.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { file } from '../../sinks/file.js';
import { Radio, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';

/** Only root may mount; without root there is no small disk to fill. */
const isRoot = process.getuid?.() === 0;

let disk: string;

beforeEach(() => {
  if (!isRoot) return;
  disk = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
});

afterEach(() => {
  if (isRoot) execFileSync('umount', ['-l', disk]);
});

const filler = () => join(disk, 'filler');

/** Fills the disk to the last byte. */
function fill(): void {
  const block = Buffer.alloc(64 * 1024);
  for (let size = block.length; size >= 512; size /= 2) {
    for (;;) {
      try {
        writeFileSync(filler(), block.subarray(0, size), { flag: 'a' });
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') break;
        throw error;
      }
    }
  }
}

const make = (room: () => void) => {
  rmSync(filler(), { force: true });
  room();
};

function site(stateFolder: string, outFolder: string) {
  mkdirSync(stateFolder, { recursive: true });
  const radio = new Radio();
  const sibling = new Table();
  const metrics = createMetrics();
  const runner = runnerOf(
    topologyOf(
      {
        in: { component: radio.component, queue: { capacity: 10_000 } },
        sums: { component: sum, from: ['in'], config: { span: 1 } },
        store: {
          component: duckdb,
          from: ['sums'],
          config: { path: join(outFolder, 'out.duckdb'), commit_interval_ms: 20 },
        },
        lines: { component: file, from: ['sums'], config: { path: join(outFolder, 'out.ndjson') } },
        sibling: { component: sibling.component, from: ['sums'] },
      },
      stateFolder,
    ),
    { metrics },
  );
  const waiting = (node: string) => metrics.node('test', node).own.get('outbox_records')?.value ?? 0;
  return { radio, sibling, runner, waiting };
}

async function send(radio: Radio, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++) {
    await radio.send([number]);
    if (number % 20 === 0) await turn();
  }
}

async function timesInStore(folder: string): Promise<readonly number[]> {
  const instance = await DuckDBInstance.create(join(folder, 'out.duckdb'), { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(
    "select epoch_us(time) from measures where name = 'sum' order by 1",
  );
  connection.closeSync();
  instance.closeSync();
  return found.getRows().map(([time]) => Number(time));
}

const timesInLines = (folder: string): readonly number[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => (JSON.parse(line) as { time: number }).time)
    .sort((a, b) => a - b);

const times = (to: number) => Array.from({ length: to }, (_, index) => (index + 1) * 1000);

test.runIf(isRoot)(
  'a full disk of the stores: degraded, other sinks continue, everything is stored once there is room',
  { timeout: 60_000 },
  async () => {
    const { radio, sibling, runner, waiting } = site(temporaryFolder(), disk);
    await runner.start();
    await send(radio, 0, 200);
    await until('the first rows', () => sibling.stored.length >= 190);
    fill();
    await send(radio, 200, 3000);
    await until('the sibling', () => sibling.stored.length >= 2990);
    // On a slow machine the topology may first be degraded because it is late.
    await until('degraded by the disk', () => /space|full|ENOSPC/i.test(runner.status().problem ?? ''));
    expect(runner.status().state).toBe('degraded');
    make(() => undefined);
    await send(radio, 3000, 3101);
    await until('running', () => runner.status().state === 'running');
    await until('all', () => sibling.stored.length >= 3100);
    await until('all delivered', () => waiting('store') + waiting('lines') === 0);
    await runner.stop();
    expect(await timesInStore(disk)).toEqual(times(3100));
    expect(timesInLines(disk)).toEqual(times(3100));
  },
);

test.runIf(isRoot)(
  'a full disk of the state: a clear error, then it recovers once there is room; nothing is corrupt',
  { timeout: 60_000 },
  async () => {
    const state = join(disk, 'state');
    const { radio, sibling, runner, waiting } = site(state, disk);
    await runner.start();
    await send(radio, 0, 200);
    await until('the first rows', () => sibling.stored.length >= 190);
    fill();
    let number = 200;
    const reported: string[] = [];
    runner.onChange(({ state: is, problem }) => {
      if (problem !== null) reported.push(`${is}: ${problem}`);
    });
    await until('the error', () => {
      void radio.send([number++]);
      return runner.status().state === 'restarting';
    });
    expect(reported.join('\n')).toMatch(/disk full|ENOSPC|No space/i);
    make(() => undefined);
    await until('running again', () => runner.status().state === 'running');
    const from = number;
    await send(radio, from, from + 300);
    await until(
      'the rest',
      () => ((sibling.stored.at(-1)?.record as Measure | undefined)?.time ?? 0) >= (from + 290) * 1000,
    );
    await until('all delivered', () => waiting('store') + waiting('lines') === 0);
    await runner.stop();
    const stored = await timesInStore(disk);
    expect(new Set(stored).size).toBe(stored.length);
    expect(timesInLines(disk)).toEqual(stored);
    expect(stored.slice(0, 190)).toEqual(times(190));
  },
);
