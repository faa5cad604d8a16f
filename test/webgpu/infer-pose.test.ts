import { beforeAll, describe, expect, it } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { UNCALIBRATED } from '../../operators/infer-pose/model/calibration.js';
import { describeBackends, loadBackend } from '../../operators/infer-pose/backends/backends.js';
import { Engine, type Answered } from '../../operators/infer-pose/serving/engine.js';
import { requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import { SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';
import { differenceOf } from '../support/inference/nearly.js';

/** Tolerance in metres, radians and probabilities between a GPU's kernels and those of WASM. */
const TOLERANCE = 1e-3;

const weights = packageFile(`${SHIPPED}/general`);

/** On a GPU, or on software that stands in for one: SwiftShader, which Chromium brings along. */
describe('WebGPU', () => {
  let wasm: readonly Answered[];
  let engine: Engine;
  const requests = (): Request[] =>
    [1, 2, 3, 4, 5].map((seed) => {
      const { environment, window } = simulatedWindow(seed, { links: 2 + (seed % 2), persons: seed % 3 });
      return requestOf(window, new LinkTable([environment]), UNCALIBRATED)!;
    });

  beforeAll(async () => {
    wasm = await (await Engine.load({ weights, backend: 'wasm' })).infer(requests());
    engine = await Engine.load({ weights, backend: 'webgpu' });
  }, 120_000);

  it('is loaded and names its device', async () => {
    expect(engine.backend).toMatchObject({ name: 'webgpu', version: '0.6.2' });
    expect(engine.backend.device).toMatch(/^(GPU|CPU) \(.+\)$/);
    const report = (await describeBackends()).find(({ name }) => name === 'webgpu');
    expect(report).toMatchObject({ available: true, device: engine.backend.device });
    await loadBackend('webgpu');
  });

  it('gives the same as WASM, within a thousandth, alone and in batches', async () => {
    const together = await engine.infer(requests());
    together.forEach((answer, i) => {
      expect(differenceOf(answer, wasm[i]!)).toBeLessThan(TOLERANCE);
    });
    const [alone] = await engine.infer([requests()[2]!]);
    expect(differenceOf(alone!, together[2]!)).toBeLessThan(TOLERANCE);
  }, 120_000);
});
