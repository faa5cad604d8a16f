import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import { expect, test, vi } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { FreedMemory } from '../../sinks/duckdb/freed-memory.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { poseFrame } from '../support/records.js';

const LOG = { debug: vi.fn() };

test('queries that use all memory do not make it fail', async () => {
  const run = vi.fn().mockRejectedValue(new Error('Out of Memory Error'));
  await new FreedMemory({ run } as unknown as DuckDBConnection, 1000).step(0, LOG);
  expect(LOG.debug.mock.calls).toEqual([['freed memory was not returned', { error: 'Out of Memory Error' }]]);
});

test('the sink returns it with its commits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-duckdb-'));
  const { context } = testContext({ folder });
  const sink = duckdb.create(withDefaults(duckdb, { path: 'store.duckdb' }) as never, context);
  const step = vi.spyOn(FreedMemory.prototype, 'step');
  try {
    await sink.open();
    await sink.write([poseFrame(0)], 1);
    expect(step).not.toHaveBeenCalled();
    await sink.flush();
    expect(step).toHaveBeenCalledOnce();
  } finally {
    step.mockRestore();
    await sink.close();
    await rm(folder, { recursive: true });
  }
});

test('sets the limit at once, then every half minute', async () => {
  const run = vi.fn();
  const freed = new FreedMemory({ run } as unknown as DuckDBConnection, 1000);
  for (const elapsed of [5_000, 34_999, 35_000, 64_999]) await freed.step(elapsed, LOG);
  expect(run.mock.calls).toEqual([["SET memory_limit = '1000B'"], ["SET memory_limit = '1000B'"]]);
});

/** Frees 60 MB between small buffers that stay, as blocks of frames do; prints resident megabytes. */
const FREEING = `
  const [duckdb, freedMemory] = process.argv.slice(1);
  const { DuckDBInstance } = (await import(duckdb)).default;
  const { FreedMemory } = await import(freedMemory);
  const resident = () => process.memoryUsage.rss() / 1e6;
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const start = resident();
  let large = [];
  const small = [];
  for (let i = 0; i < 1000; i++) {
    large.push(Buffer.allocUnsafeSlow(60_000).fill(1));
    if (i % 20 === 0) small.push(Buffer.allocUnsafeSlow(200).fill(1));
  }
  large = null;
  // Another thread frees them.
  for (gc(); process.memoryUsage().arrayBuffers > 5e6; gc()) await new Promise(setImmediate);
  const freed = resident();
  await new FreedMemory(connection, 256 * 2 ** 20).step(0, console);
  console.log(JSON.stringify({ kept: freed - start, left: resident() - start, stay: small.length }));
`;

const isGlibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

test.runIf(isGlibc)(
  'returns what glibc keeps',
  async () => {
    const modules = ['node_modules/@duckdb/node-api/lib/index.js', 'dist/sinks/duckdb/freed-memory.js'];
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...['--expose-gc', '--input-type=module', '-e', FREEING],
      ...modules.map((module) => pathToFileURL(packageFile(module)).href),
    ]);
    const { kept, left } = JSON.parse(stdout) as { kept: number; left: number };
    // Otherwise the rest shows nothing.
    expect(kept).toBeGreaterThan(40);
    expect(left).toBeLessThan(kept / 2);
  },
  30_000,
);
