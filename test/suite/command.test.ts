import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CONTRACTS } from '../../bench/suite/contracts.js';
import { readSuite } from '../../bench/suite/report.js';
import { csiflow } from '../support/csiflow.js';
import { madeFolder, makeAmplitudes } from './made-data.js';
import { meanPoolOnnx } from './onnx-model.js';

const folder = madeFolder();
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const suite = (...args: readonly string[]) => csiflow('evaluate', 'suite', ...args);

it('judges an external model beside csiflow, and writes a report', { timeout: 120_000 }, async () => {
  makeAmplitudes(folder, 1);
  const { inputs, outputs } = CONTRACTS['activity-rpi4'];
  const model = meanPoolOnnx(
    'csi',
    [1, ...inputs['csi']!.shape],
    outputs.map((_, index) => index),
  );
  writeFileSync(join(folder, 'model.onnx'), model);
  const manifest = join(folder, 'model.yaml');
  writeFileSync(
    manifest,
    'name: always the last\nlicence: MIT\ntask: activity-rpi4\nruntime: onnx\npath: model.onnx\ntrained_on: []\n',
  );
  const out = join(folder, 'report');
  const args = ['--data', folder, '--only', 'activity-rpi4', 'falls', '--model', manifest, '--out', out];
  const { code, output } = await suite(...args);
  expect(output).toContain('falls: skipped:');
  expect(code).toBe(0);
  const [activity, falls] = readSuite(join(out, 'suite.json')).tasks;
  const row = activity!.table!.rows.find(({ name }) => name === 'always the last');
  expect(row!.cells['accuracy']!.value).toBeCloseTo(1 / 7, 5);
  expect(falls!.skipped).toMatch(/falls-intel5300-bedroom does not exist/);
  expect(readFileSync(join(out, 'suite.md'), 'utf8')).toContain('| always the last | 14.3 %');
});

it('rejects a manifest by its line, and an unknown task', { timeout: 60_000 }, async () => {
  const manifest = join(folder, 'wrong.yaml');
  writeFileSync(manifest, 'name: x\nlicence: MIT\ntask: fals\nruntime: onnx\npath: m.onnx\ntrained_on: []\n');
  const refused = await suite('--model', manifest, '--only', 'falls');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.output).toMatch(/wrong\.yaml:3:7 error config\.value\.choice/);
  expect(await suite('--only', 'dancing')).toMatchObject({ code: 2 });
});
