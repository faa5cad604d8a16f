import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { temporaryFolder } from '../support/flow.js';
import { motionTopology, RUN_TO_END, runToEnd } from '../support/motion-run.js';

test.skipIf(process.platform === 'win32')(
  "files with people's data are private to their owner, whatever the umask",
  () => {
    const folder = temporaryFolder();
    const topology = motionTopology(folder, {
      seconds: 5,
      sinks: `  files: { type: file, from: [motion], path: data/out.ndjson }
  history: { type: duckdb, from: [motion], path: data/store.duckdb }
  parquet: { type: file, from: [motion], path: data/out.parquet, format: parquet }
  recording: { type: mcap, from: [motion], path: data/out.mcap }`,
    });
    const command = `umask 000; exec ${[process.execPath, packageFile('dist/api/cli/csiflow.js'), ...RUN_TO_END, topology].map((word) => `"${word}"`).join(' ')}`;
    expect(spawnSync('sh', ['-c', command], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name !== 't.yaml',
    );
    expect(names).toContain(join('data', 'store.duckdb'));
    expect(names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
  },
);

test('a run of recordings whose file cannot be opened reports it, and ends with 3; nothing is lost', async () => {
  const folder = temporaryFolder();
  const topology = motionTopology(folder, {
    sinks: '  files: { type: file, from: [motion], path: out.ndjson }',
  });
  const run = () => runToEnd(topology);
  expect(await run()).toMatchObject({ code: 0 });
  const index = join(folder, 'out.ndjson.index');
  renameSync(index, join(folder, 'aside'));
  mkdirSync(index);
  const refused = await run();
  expect(refused.code).toBe(3);
  expect(refused.err).toContain(`${index}: EISDIR`);
  expect(refused.err).toContain(`fix the problem and run it again`);
  rmdirSync(index);
  renameSync(join(folder, 'aside'), index);
  expect(await run()).toMatchObject({ code: 0 });
}, 60_000);
