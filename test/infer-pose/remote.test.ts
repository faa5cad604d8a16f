import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { UNCALIBRATED } from '../../operators/infer-pose/model/calibration.js';
import { Engine, type Answered } from '../../operators/infer-pose/serving/engine.js';
import { Inference } from '../../operators/infer-pose/serving/inference.js';
import { partNames } from '../../operators/infer-pose/backends/remote-parts.js';
import { requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import { readModel, SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { KserveModel } from '../../operators/shared/kserve.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';
import { KserveServer } from '../support/inference/kserve-server.js';
import { differenceOf } from '../support/inference/nearly.js';
import { servedModels } from '../support/inference/served-models.js';

/** Between ONNX Runtime's kernels and those of tfjs: both compute with 32-bit floats, in another order. */
const TOLERANCE = 1e-3;

const weights = packageFile(`${SHIPPED}/general`);
const model = readModel(weights);
const { sha256 } = model.manifest;
const memory = model.manifest.memory!.sha256;
const [see] = partNames(sha256);
const models = servedModels(model);

const request = (seed: number): Request => {
  const { environment, window } = simulatedWindow(seed, { links: 2 + (seed % 2) });
  return requestOf(window, new LinkTable([environment]), UNCALIBRATED)!;
};
const requests = () => [1, 2, 3].map(request);

let expected: readonly Answered[];
beforeAll(async () => {
  expected = await (await Engine.load({ weights, backend: 'wasm' })).infer(requests());
});

describe.each([true, false])('a server with binary tensors: %s', (isBinary) => {
  let server: KserveServer;
  beforeAll(async () => {
    server = await KserveServer.open(models, { isBinary });
  });
  afterAll(() => server.close());

  it('gives what WASM gives, within a thousandth, in batches by number of links', async () => {
    const engine = await Engine.load({
      ...{ weights, backend: 'remote' },
      server: { url: server.url, timeoutMs: 30_000 },
    });
    expect(engine.backend).toMatchObject({ name: 'remote', device: server.url, version: '1' });
    server.calls.length = 0;
    const answers = await engine.infer(requests());
    answers.forEach((answer, i) => {
      expect(differenceOf(answer, expected[i]!)).toBeLessThan(TOLERANCE);
    });
    const seen = server.calls.filter(({ model: asked }) => asked === see);
    expect(seen).toEqual([2, 1].map((windows) => ({ model: see, windows, isBinary })));
  });
});

describe('a server that fails', () => {
  let server: KserveServer;
  let url: string;
  beforeEach(async () => {
    server = await KserveServer.open(models);
    url = server.url;
  });
  afterEach(() => server.close());
  const open = (options: object = {}) => KserveModel.open({ url, model: see, timeoutMs: 20_000, ...options });
  const blank = { features: { shape: [1], data: new Float32Array(1) } };

  it('for a moment is tried again', async () => {
    const engine = await Engine.load({ weights, backend: 'remote', server: { url, timeoutMs: 30_000 } });
    server.faults.push(503, 429);
    const [answer] = await engine.infer([request(1)]);
    expect(differenceOf(answer!, expected[0]!)).toBeLessThan(TOLERANCE);
  });

  it('for good is named with its model and its answer', async () => {
    const asked = await open();
    server.faults.push(400);
    await expect(asked.infer(blank, ['cells'])).rejects.toThrow(
      `the inference server ${url}, model ${see}: answers 400: {"error":"made to fail"}`,
    );
    server.faults.push(503, 503, 503);
    await expect(asked.infer(blank, ['cells'])).rejects.toThrow(`model ${see}: answers 503`);
    expect(server.faults).toEqual([]);
  });

  it('lacks the model, or is not there', async () => {
    await expect(open({ model: 'other' })).rejects.toThrow(/model other: answers 404: .*unknown model other/);
    await expect(open({ url: 'http://127.0.0.1:1' })).rejects.toThrow(
      /the inference server http:\/\/127.0.0.1:1, model .*-see: cannot be reached: .*ECONNREFUSED|bad port/,
    );
  });

  it('in mid-run is replaced by WebAssembly, and used again when it is back', async () => {
    const told: (string | null)[] = [];
    let back: () => void = () => undefined;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const inference = new Inference(
      {
        ...{ name: 'line/poses', weights, sha256, memory, backend: 'remote', links: [] },
        ...{ maxBatch: 4, maxWaitMs: 0, retryMs: 50, server: { url, timeoutMs: 5_000 } },
      },
      {
        crashed: () => undefined,
        lost: (reason) => {
          told.push(reason);
          if (reason === null) back();
        },
      },
    );
    try {
      expect(await inference.open()).toMatchObject({ name: 'remote' });
      const { port } = server;
      await server.close();
      const answers = await Promise.all([1, 2, 3].map((seed) => inference.infer(() => request(seed))));
      expect(answers.map(({ sight }) => sight)).toEqual(expected);
      expect(told).toEqual([expect.stringMatching(`${url}, model ${see}: cannot be reached`)]);
      expect(inference.describe()).toMatchObject({ backend: 'wasm', fallback: told[0] });
      server = await KserveServer.open(models, { port });
      await isBack;
      expect(inference.describe()).toMatchObject({ backend: 'remote', fallback: null });
      const { sight } = await inference.infer(() => request(1));
      expect(differenceOf(sight, expected[0]!)).toBeLessThan(TOLERANCE);
    } finally {
      await inference.close();
    }
  }, 60_000);
});
