import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EXIT } from '../../pipeline/base/exit.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-shadow-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A walker in the demo's flat, before two networks with one setting, and a third that never reports anybody. */
function topology(name: string, unlike: string): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `id: shadow
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  routers: { type: udp }
operators:
  windows: { type: window, from: routers, length_ms: 2000, hop_ms: 200, points: 100 }
  poses: { type: infer-pose, from: windows, backend: wasm }
  again: { type: infer-pose, from: windows, backend: wasm, max_batch: 2 }
  blind: { type: infer-pose, from: windows, backend: wasm, presence: 1 }
  alike: { type: compare-poses, from: [poses, again] }
  unlike: { type: compare-poses, from: ${unlike} }
sinks:
  history: { type: duckdb, from: [poses, alike, unlike], path: nowhere/shadow.duckdb }
tests:
  - name: the disagreement of two models
    input: { routers: { type: simulator, seed: 3, rate_hz: 50, duration_s: 3, people: [{ script: [{ activity: walk, seconds: 9 }] }] } }
    expect:
      - { from: poses, contains: { port: pose } }
      - { from: alike, contains: { name: pose_distance_m, value: 0 } }
      - { from: alike, matching: { port: measure }, every: { value: 0 } }
      - { from: unlike, contains: { name: pose_count_difference, value: 1 } }
      - { from: unlike, none: { name: pose_distance_m } }
      - { from: history, contains: { name: pose_count_difference, value: 1 } }
`,
  );
  return path;
}

it('two models behind one window are compared, and their disagreement is stored', async () => {
  const { code, output } = await csiflow('test', topology('two.yaml', '[poses, blind]'));
  expect(output).toContain('1 tests: 1 passed');
  expect(code).toBe(EXIT.fine);
}, 60_000);

it('one model alone is refused, with the place and the nodes that could be added', async () => {
  const path = topology('one.yaml', 'poses');
  const { code, output } = await csiflow('validate', path);
  expect(code).toBe(EXIT.invalid);
  expect(output).toContain(
    `${path}:11:40 error config.from.count \`unlike\` (compare-poses) must read 2 nodes with pose records, but \`from\` names 1: add one of again, blind`,
  );
});
