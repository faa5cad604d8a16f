import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadManifest } from '../../bench/suite/foreign/manifest.js';
import { rowOf } from '../../bench/suite/foreign/panel.js';
import { madeFolder } from './made-data.js';

const folder = madeFolder();
mkdirSync(folder, { recursive: true });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const GOOD = `name: other
licence: MIT
task: falls
runtime: onnx
path: model.onnx
trained_on: [simulated]
`;

function load(text: string) {
  const file = join(folder, 'model.yaml');
  writeFileSync(file, text);
  return loadManifest(file);
}

/** `LINE:COLUMN code`, of each problem. */
const problemsOf = (text: string): readonly string[] =>
  load(text).problems.map(({ line, column, code }) => `${line}:${column} ${code}`);

it('accepts a manifest in YAML or JSON', () => {
  expect(load(GOOD).manifest).toMatchObject({ name: 'other', task: 'falls', folder });
  expect(
    load('{"name":"o","licence":"MIT","task":"falls","runtime":"tfjs","path":"m","trained_on":[]}').problems,
  ).toEqual([]);
});

it('reports the place and reason of an error', () => {
  expect(problemsOf(GOOD.replace('falls', 'fall'))).toEqual(['3:7 config.value.choice']);
  expect(problemsOf(GOOD.replace('licence', 'license'))).toEqual(['2:1 config.field.unknown']);
  expect(problemsOf(GOOD.replace('path: model.onnx\n', ''))).toEqual(['4:10 config.value.invalid']);
  expect(problemsOf(`${GOOD}url: http://127.0.0.1/v2/models/m\n`)).toEqual(['7:6 config.value.invalid']);
  expect(problemsOf(`${GOOD}inputs: { csi: x, phase: y }\n`)).toEqual(['7:26 config.value.invalid']);
  expect(problemsOf(`${GOOD}classes: [fall]\n`)).toEqual(['7:10 config.value.invalid']);
  expect(problemsOf('name: [')).toHaveLength(1);
});

it('suggests the nearest task, and lists its classes', () => {
  expect(load(GOOD.replace('falls', 'fals')).problems[0]!.suggestion).toContain('falls');
  expect(load(`${GOOD}classes: [fall]\n`).problems[0]!.message).toContain('other, fall');
});

it('marks a model trained on its evaluation data', () => {
  const trained = GOOD.replace('[simulated]', '[labelled/falls-intel5300-bedroom]');
  expect(rowOf(load(trained).manifest!).row).toBe('other (trained on these recordings)');
  expect(rowOf(load(trained.replace('model.onnx', 'without-{fold}.onnx')).manifest!).row).toBe('other');
});
