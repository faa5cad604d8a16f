import { beforeAll, describe, expect, it } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { UNCALIBRATED } from '../../operators/infer-pose/model/calibration.js';
import { describeBackends } from '../../operators/infer-pose/backends/backends.js';
import { Engine } from '../../operators/infer-pose/serving/engine.js';
import type { Sight } from '../../operators/infer-pose/sights/sight.js';
import { requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import { SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

/**
 * Tolerance in metres, radians and probabilities between TensorFlow's kernels and WASM's: both compute with
 * 32-bit floats, in a different order.
 */
const TOLERANCE = 1e-3;

const weights = packageFile(`${SHIPPED}/general`);

describe('the native part of @tensorflow/tfjs-node-gpu', () => {
  let wasm: Sight[];
  let native: Engine;
  const requests = (): Request[] =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
      const { environment, window } = simulatedWindow(seed, { links: 2 + (seed % 4) });
      return requestOf(window, new LinkTable([environment]), UNCALIBRATED)!;
    });

  beforeAll(async () => {
    wasm = await (await Engine.load({ weights, backend: 'wasm' })).infer(requests());
    native = await Engine.load({ weights, backend: 'tensorflow-gpu' });
  });

  it('is loaded and names what computes', async () => {
    const report = (await describeBackends()).find(({ name }) => name === 'tensorflow-gpu');
    expect(report).toMatchObject({ available: true, version: native.backend.version });
    expect(['CPU', 'GPU']).toContain(report!.device);
  });

  it('gives the same as WASM, within a thousandth', async () => {
    (await native.infer(requests())).forEach(({ counts, alone: estimate }, index) => {
      const { counts: otherCounts, alone: other } = wasm[index]!;
      const pairs: [ArrayLike<number>, ArrayLike<number>][] = [
        [
          [...counts, estimate.scale, estimate.moving],
          [...otherCounts, other.scale, other.moving],
        ],
        [estimate.root, other.root],
        [estimate.heading, other.heading],
        [estimate.postures, other.postures],
        [estimate.joints, other.joints],
        [estimate.jointScales, other.jointScales],
      ];
      for (const [a, b] of pairs) {
        Array.from(a).forEach((value, i) => {
          expect(Math.abs(value - b[i]!)).toBeLessThan(TOLERANCE);
        });
      }
    });
  });

  it('gives a window the same answer alone and in a batch, within a ten-thousandth', async () => {
    const together = await native.infer(requests());
    for (const [index, request] of requests().entries()) {
      const [alone] = await native.infer([request]);
      expect(Math.abs(alone!.alone.root[0] - together[index]!.alone.root[0])).toBeLessThan(1e-4);
      expect(Math.abs(alone!.alone.scale - together[index]!.alone.scale)).toBeLessThan(1e-4);
    }
  });
});
