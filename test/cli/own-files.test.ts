import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { temporaryFolder } from '../support/flow.js';

test.skipIf(process.platform === 'win32')(
  "files of people's data are their owner's alone, whatever the umask",
  () => {
    const folder = temporaryFolder();
    const topology = join(folder, 't.yaml');
    writeFileSync(
      topology,
      `id: own
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, rate_hz: 50, seed: 7, duration_s: 5 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
sinks:
  files: { type: file, from: [motion], path: data/out.ndjson }
  history: { type: duckdb, from: [motion], path: data/store.duckdb }
`,
    );
    const command = `umask 000; exec "${process.execPath}" "${packageFile('dist/api/cli/csiflow.js')}" run --no-api --until-end --log error "${topology}"`;
    expect(spawnSync('sh', ['-c', command], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name !== 't.yaml',
    );
    expect(names).toContain(join('data', 'store.duckdb'));
    expect(names.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
  },
);
