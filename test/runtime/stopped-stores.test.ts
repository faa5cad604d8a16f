import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Runner } from '../../pipeline/runtime/runner.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { testContext } from '../support/context.js';
import { counter, runnerOf, sum, topologyOf } from '../support/flow.js';
import { DEFAULT_LIMITS } from '../../api/service/limits/limits.js';
import { openService } from '../api/support.js';

let folder: string;
let runner: Runner;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-stopped-'));
  const topology = topologyOf(
    {
      in: { component: counter, config: { count: 300 } },
      sums: { component: sum, from: ['in'] },
      history: { component: duckdb, from: ['sums'], config: { path: '../history.duckdb' } },
    },
    join(folder, 'state'),
  );
  runner = runnerOf(topology);
  await runner.start();
  await runner.finished();
  await runner.stop();
});
afterEach(async () => {
  await runner.stop();
  rmSync(folder, { recursive: true });
});

const measuresOf = async (): Promise<number> => {
  const reader = (await runner.openReaders()).get('history')!;
  const [environment] = runner.topology.environments;
  return (await reader.measures({ environment: environment!.id })).length;
};

test('the stores of a stopped topology can be read, and it can be started again', async () => {
  expect(runner.readers.size).toBe(0);
  const stored = await measuresOf();
  expect(stored).toBeGreaterThan(0);
  await runner.start();
  expect(await measuresOf()).toBe(stored);
  await runner.stop();
  expect(await measuresOf()).toBe(stored);
});

test('concurrent requests open the store once', async () => {
  const counts = await Promise.all(Array.from({ length: 8 }, measuresOf));
  expect(new Set(counts).size).toBe(1);
});

test('releases the file when stopped twice', async () => {
  await measuresOf();
  await runner.stop();
  const sink = duckdb.create(
    { ...(runner.topology.nodes.at(-1)!.config as object), path: 'history.duckdb' } as never,
    testContext({ folder }).context,
  );
  await sink.open();
  await sink.close();
});

test('over the service interface only calls that need a running topology return 503', async () => {
  const service = await openService(DEFAULT_LIMITS, { main: runner });
  try {
    const range = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
    const statusOf = async (path: string) =>
      (await service.get(`/form-b/api/v1${path}`, service.token('viewer'))).status;
    for (const path of [
      `/pose/history?${range}`,
      '/analytics/events',
      `/analytics/summary?${range}`,
      `/analytics/occupancy?${range}`,
    ])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    expect(await statusOf('/pose/tracking/1')).toBe(404);
    expect(await statusOf('/pose/latest')).toBe(503);
  } finally {
    await service.close();
  }
});
