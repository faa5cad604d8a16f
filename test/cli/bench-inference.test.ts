import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bestOf, type BatchSpeed, type Speed } from '../../bench/speed/inference/inference.js';
import { spreadOf } from '../../bench/shared/spread.js';
import { namedModel } from '../../operators/infer-pose/model/named-model.js';
import { readModel } from '../../operators/infer-pose/model/weights.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { csiflow } from '../support/csiflow.js';
import { KserveServer } from '../support/inference/kserve-server.js';
import { servedModels } from '../support/inference/served-models.js';

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

test('threads are varied, and the best setting is named by the fields of infer-pose', async () => {
  const sweep = ['--batches', '2', '--in-flight', '2', '--threads', '1,2', '--links', '1'];
  const { code, out } = await csiflow('bench', 'inference', ...QUICK, ...sweep);
  expect(code).toBe(0);
  for (const threads of [1, 2])
    expect(out).toMatch(new RegExp(`^\\| wasm, CPU \\(SIMD\\) \\| 2 \\| ${threads} \\| 4 \\| `, 'm'));
  expect(out).toMatch(/^Best: backend wasm, max_batch 2, max_in_flight 4, threads [12]: \d/m);
}, 60_000);

describe('the backend remote', () => {
  const remote = ['bench', 'inference', '--backends', 'remote'];

  test('is measured on the server of --url', async () => {
    const server = await KserveServer.open(servedModels(readModel(namedModel('general'))));
    try {
      const quick = ['--links', '1', '--windows', '2', '--rounds', '1', '--batches', '2', '--in-flight', '1'];
      const { code, out } = await csiflow(
        ...remote,
        '--url',
        server.url,
        ...quick,
        '--threads',
        '2',
        '--json',
      );
      expect(code).toBe(0);
      const { speeds, best, url } = JSON.parse(out) as {
        readonly speeds: readonly BatchSpeed[];
        readonly best: object;
        readonly url: string;
      };
      expect(url).toBe(server.url);
      expect(speeds).toMatchObject([{ backend: 'remote', device: server.url, batch: 2 }]);
      expect(best).toMatchObject({ backend: 'remote', batch: 2, threads: 2, inFlight: 2 });
      const seen = server.calls.filter(({ model }) => model.endsWith('-see'));
      expect(Math.max(...seen.map(({ windows }) => windows))).toBe(2);
    } finally {
      await server.close();
    }
  }, 60_000);

  test('requires --url, which no other backend uses', async () => {
    const without = await csiflow(...remote);
    expect(without).toMatchObject({ code: EXIT.invalid });
    expect(without.err).toContain('remote cannot be used. It requires --url, the address of');
    const url = ['--url', 'http://127.0.0.1:1'];
    const other = await csiflow('bench', 'inference', ...QUICK, ...url);
    expect(other).toMatchObject({ code: EXIT.invalid });
    expect(other.err).toContain('--url: only the backend `remote` uses it');
    const path = await csiflow(...remote, '--url', 'http://127.0.0.1:1/v2');
    expect(path).toMatchObject({ code: EXIT.invalid });
    expect(path.err).toContain('must be an address without a path');
  });

  test('names a server that cannot be reached', async () => {
    const { code, err } = await csiflow(...remote, '--url', 'http://127.0.0.1:1');
    expect(code).toBe(EXIT.unavailable);
    expect(err).toMatch(
      /^csiflow: the inference server http:\/\/127\.0\.0\.1:1, model .*: cannot be reached/m,
    );
  });
});

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
    operator: [{ ...speed(operator), threads: 2, inFlight: batch, overBare: none }],
  });
  const speeds = [row('wasm', 1, 100, 80), row('wasm', 8, 90, 95), row('tensorflow', 8, 200, 90)];
  expect(bestOf(speeds)).toMatchObject({
    ...{ backend: 'wasm', batch: 8, threads: 2, inFlight: 8 },
    ...{ bareBatch: 1, overBare: 0.95 },
  });
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
