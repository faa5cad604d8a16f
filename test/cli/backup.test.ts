import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow, csiflowWith } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-backup-cli-'));
const file = join(folder, 'room.yaml');
const backups = join(folder, 'backups');
let csiflow: Csiflow;
let env: Record<string, string>;
let url: string;

beforeAll(async () => {
  writeFileSync(
    file,
    `id: room
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, rate_hz: 20, seed: 7 }
operators:
  windows: { type: window, from: flat, length_ms: 1000, hop_ms: 200, points: 50 }
  motion: { type: detect-motion, from: windows }
sinks:
  history: { type: duckdb, from: motion, path: room.duckdb }
`,
  );
  csiflow = new Csiflow(['run', file, '--port', '0']);
  url = (await csiflow.printed(/live page +(http:\S+)\//))[1]!;
  env = { CSIFLOW_PASSWORD: (await csiflow.printed(/admin \/ (\S+)/))[1]! };
  await csiflow.printed(/the topology is running/);
}, 60_000);

afterAll(async () => {
  await csiflow.kill();
  rmSync(folder, { recursive: true });
});

async function command(...words: readonly string[]): Promise<{ code: number; output: string }> {
  const { code, output } = await csiflowWith(env, ...words);
  return { code, output };
}

test('a running csiflow makes its backup, which can be restored', async () => {
  expect(await command('health', '--url', url)).toEqual({ code: 0, output: 'healthy\n' });
  const made = await command('backup', file, '--to', backups, '--url', url, '--json');
  expect(made.output).toContain(backups);
  expect(made.code).toBe(0);
  const [name] = readdirSync(backups) as [string];
  expect(readdirSync(join(backups, name)).sort()).toContain('manifest.json');
  expect(readdirSync(join(folder, 'data', 'room.state', 'backups'))).toEqual([]);

  const running = await command('restore', join(backups, name), file, '--replace');
  expect(running.output).toMatch(/is in use by process \d+/);
  expect(running.code).toBe(3);
  const second = new Csiflow(['run', file, '--port', '0']);
  expect(await second.ended()).toBe(3);
  expect(second.output).toMatch(/^csiflow: .* is in use by process \d+/);

  expect(await csiflow.interrupt()).toBe(0);
  const occupied = await command('restore', join(backups, name), file);
  expect(occupied.output).toContain('--replace');
  expect(occupied.code).toBe(1);
  const restored = await command('restore', join(backups, name), file, '--replace');
  expect(restored.output).toMatch(/room is restored; the previous state is now in .*before-restore-/);
  expect(restored.code).toBe(0);
  const again = await command('restore', join(backups, name), file, '--replace', '--json');
  expect(JSON.parse(again.output)).toEqual({
    topology: 'room',
    moved_to: expect.stringContaining('before-restore-') as string,
  });

  csiflow = new Csiflow(['run', file, '--port', '0']);
  await csiflow.printed(/the topology is running/);
  url = (await csiflow.printed(/live page +(http:\S+)\//))[1]!;
  expect(csiflow.output).toContain('as before');
  await expect.poll(async () => (await command('health', '--url', url)).output).toBe('healthy\n');
  expect(await csiflow.interrupt()).toBe(0);

  const stopped = await command('backup', file);
  expect(stopped.output).toMatch(/\d+ files, [\d.]+ MiB, in .*backups/);
  expect(stopped.code).toBe(0);
}, 120_000);
