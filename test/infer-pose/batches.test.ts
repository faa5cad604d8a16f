import * as tf from '@tensorflow/tfjs-core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { UNCALIBRATED } from '../../operators/infer-pose/model/calibration.js';
import { Engine, type Answered } from '../../operators/infer-pose/serving/engine.js';
import { estimate, estimateBy } from '../../operators/infer-pose/sights/estimate.js';
import { FusedNetwork } from '../../operators/infer-pose/networks/fused-network.js';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import { PaddedParts, paddedSize, paddedSizes } from '../../operators/infer-pose/backends/padded-parts.js';
import { AwaitedTensorParts, type Parts } from '../../operators/infer-pose/networks/parts.js';
import { featuresOf, requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import { readModel, SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

const weights = packageFile(`${SHIPPED}/general`);
const requests: readonly Request[] = [1, 2, 3, 4, 5, 6].map((seed) => {
  const { environment, window } = simulatedWindow(seed, { links: 1 + (seed % 2), persons: seed % 3 });
  return requestOf(window, new LinkTable([environment]), UNCALIBRATED)!;
});

/** Numbers of some windows, cut into batches. */
const batchings = fc
  .shuffledSubarray(
    requests.map((_, i) => i),
    { minLength: 1 },
  )
  .chain((order) =>
    fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 6, maxLength: 6 }).map((sizes) => {
      const batches: number[][] = [];
      for (let at = 0, i = 0; at < order.length; at += sizes[i++]!)
        batches.push(order.slice(at, at + sizes[i]!));
      return batches;
    }),
  );

describe('results do not depend on the batch', () => {
  let engine: Engine;
  let network: Network;
  let alone: readonly Answered[];
  beforeAll(async () => {
    engine = await Engine.load({ weights, backend: 'wasm' });
    network = new Network(weightTensors(readModel(weights).weights));
    alone = (await Promise.all(requests.map((one) => engine.infer([one])))).map(([one]) => one!);
  });

  it('to the last bit on WASM, in any order and batches', async () => {
    await fc.assert(
      fc.asyncProperty(batchings, async (batches) => {
        for (const batch of batches)
          expect(await engine.infer(batch.map((i) => requests[i]!))).toEqual(batch.map((i) => alone[i]));
      }),
      { numRuns: 12 },
    );
  });

  it('nor when batches are filled up, and results are awaited', async () => {
    const padded = new PaddedParts(new AwaitedTensorParts(network));
    const equal = requests.filter(({ links }) => links.length === 2);
    for (let size = 1; size <= equal.length; size++) {
      const batch = equal.slice(0, size);
      expect(await estimateBy(padded, batch, featuresOf(batch))).toEqual(
        estimate(network, batch, featuresOf(batch)),
      );
    }
  });

  it('nor on whether layers are fused, within rounding', async () => {
    const weightsOfLayers = weightTensors(readModel(weights).weights);
    const plain = estimate(network, requests.slice(1, 2), featuresOf(requests.slice(1, 2)));
    const fused = estimate(
      new FusedNetwork(weightsOfLayers),
      requests.slice(1, 2),
      featuresOf(requests.slice(1, 2)),
    );
    expect(largestDifference(plain, fused)).toBeLessThan(1e-5);
    tf.dispose(weightsOfLayers);
  });

  it('batches are filled up to powers of two, each of which is warmed up', async () => {
    expect([1, 2, 3, 5, 32, 33].map(paddedSize)).toEqual([1, 2, 4, 8, 32, 64]);
    expect(paddedSizes(5)).toEqual([1, 2, 4, 8]);
    const sizes = { see: [] as number[], look: [] as number[] };
    const real = new AwaitedTensorParts(network);
    const noted: Parts = {
      see: (batch) => {
        sizes.see.push(batch.windows);
        return real.see(batch);
      },
      look: (batch) => {
        sizes.look.push(batch.windows);
        return real.look(batch);
      },
    };
    await new PaddedParts(noted).warmUp(2, 2);
    expect(sizes).toEqual({ see: [1, 2], look: [1, 2, 4, 8, 16, 32] });
  });

  it('leave no tensors behind, also when they fail', async () => {
    const broken = {
      ...requests[0]!,
      links: requests[0]!.links.map((link) => ({ ...link, layout: null as never })),
    };
    await engine.infer(requests);
    const before = tf.memory();
    for (let i = 0; i < 20; i++) {
      await engine.infer(requests.slice(i % 3));
      await expect(engine.infer([broken])).rejects.toThrow();
      await estimateBy(new AwaitedTensorParts(network), [requests[1]!], featuresOf([requests[1]!]));
    }
    const { numTensors, numBytes } = tf.memory();
    expect({ numTensors, numBytes }).toEqual({ numTensors: before.numTensors, numBytes: before.numBytes });
  });
});

/** Between all numbers of two results of the same shape. */
function largestDifference(one: unknown, other: unknown): number {
  if (typeof one === 'number') return Math.abs(one - (other as number));
  if (typeof one !== 'object' || one === null) return 0;
  const rest = Object.entries(one).map(([key, value]) =>
    largestDifference(value, (other as Record<string, unknown>)[key]),
  );
  return Math.max(0, ...rest);
}
