import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bestOf, type BatchSpeed, type Speed } from '../../bench/speed/inference/inference.js';
import { spreadOf } from '../../bench/shared/spread.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-bench-inference-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const QUICK = ['--backends', 'wasm', '--links', '2', '--windows', '4', '--rounds', '1'];

test('each batch size has the bare networks, their control and the operator, and is drawn', async () => {
  const plot = join(folder, 'sweep.svg');
  const sweep = ['--batches', '4', '--in-flight', '1,2', '--plot', plot, '--json'];
  const { code, out } = await csiflow('bench', 'inference', ...QUICK, ...sweep);
  expect(code).toBe(0);
  const { speeds, best, machine } = JSON.parse(out) as {
    speeds: BatchSpeed[];
    best: ReturnType<typeof bestOf>;
    machine: object;
  };
  expect(machine).toHaveProperty('cores');
  expect(speeds.map(({ batch, operator }) => [batch, operator.map(({ inFlight }) => inFlight)])).toEqual([
    [4, [4, 8]],
  ]);
  for (const { bare, control, operator } of speeds)
    for (const [median] of [bare.perSecond, bare.cpuUs, control.perSecond, control.cpu, operator[0]!.cpuUs])
      expect(median).toBeGreaterThan(0);
  expect(best).toEqual(bestOf(speeds));
  const svg = readFileSync(plot, 'utf8');
  for (const label of ['wasm, bare', 'wasm, 1 batch in flight', 'wasm, 2 batches in flight', 'windows/s'])
    expect(svg).toContain(`>${label}<`);
}, 60_000);

test('the best setting is compared with the best batch of the bare networks of its backend', () => {
  const speed = (perSecond: number): Speed => ({ perSecond: [perSecond, 0, 0], cpuUs: [1, 1, 1] });
  const none = { perSecond: [1, 1, 1], cpu: [1, 1, 1] } as const;
  const row = (
    backend: 'wasm' | 'tensorflow',
    batch: number,
    bare: number,
    operator: number,
  ): BatchSpeed => ({
    ...{ backend, device: 'CPU', batch, bare: speed(bare), control: none },
    operator: [{ ...speed(operator), inFlight: batch, overBare: none }],
  });
  const speeds = [row('wasm', 1, 100, 80), row('wasm', 8, 90, 95), row('tensorflow', 8, 200, 90)];
  expect(bestOf(speeds)).toMatchObject({ backend: 'wasm', batch: 8, bareBatch: 1, overBare: 0.95 });
});

test('the median of an even number of measurements lies between the two in the middle', () => {
  expect(spreadOf([4, 1, 3, 2])).toEqual([2.5, 1, 4]);
  expect(spreadOf([3, 1, 2])).toEqual([2, 1, 3]);
});

test('a soak reads tensors and memory on the way, and finds none left', async () => {
  const soak = ['--backends', 'wasm', '--links', '1', '--batches', '4', '--soak', '40', '--json'];
  const { code, out } = await csiflow('bench', 'inference', ...soak);
  expect(code).toBe(0);
  const { points } = JSON.parse(out) as { points: { windows: number; tensors: number }[] };
  expect(points.at(-1)!.windows).toBe(40);
  expect(new Set(points.map(({ tensors }) => tensors)).size).toBe(1);
}, 60_000);

test('rejects unknown backends, missing ones and repeated sizes', async () => {
  const unknown = await csiflow('bench', 'inference', '--backends', 'abacus');
  expect(unknown).toMatchObject({ code: EXIT.invalid });
  expect(unknown.err).toContain('there is no backend `abacus`; there are tensorflow-gpu, ');
  const missing = await csiflow('bench', 'inference', '--backends', 'tensorflow');
  expect(missing).toMatchObject({ code: EXIT.unavailable });
  expect(missing.err).toContain('npm install @tensorflow/tfjs-node');
  expect((await csiflow('bench', 'inference', '--batches', '8,8')).err).toContain('may occur once');
});
