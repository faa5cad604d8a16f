import { afterEach, describe, expect, it } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/telemetry/paths.js';
import { Engine } from '../../operators/infer-pose/engine.js';
import { Inference, type InferenceOptions } from '../../operators/infer-pose/inference.js';
import { requestOf, type Request } from '../../operators/infer-pose/request.js';
import { SHIPPED } from '../../operators/infer-pose/weights.js';
import { simulatedWindow } from './windows.js';

const weights = packageFile(`${SHIPPED}/general`);
const crashes: string[] = [];
let inference: Inference | undefined;

function open(options: Partial<InferenceOptions> = {}): Inference {
  inference = new Inference(
    { weights, backend: 'wasm', links: [4], maxBatch: 8, maxWaitMs: 2, ...options },
    (reason) => crashes.push(reason),
  );
  return inference;
}

afterEach(async () => {
  await inference?.close();
  inference = undefined;
  crashes.length = 0;
});

function request(seed: number, links = 4): () => Request {
  const { environment, window } = simulatedWindow(seed, { links });
  return () => requestOf(window, new LinkTable([environment]), {})!;
}

describe('the engine on WASM', () => {
  it('gives a window the same answer, to the last bit, alone and in any company', async () => {
    const engine = await Engine.load({ weights, backend: 'wasm' });
    const requests = [request(1), request(2), request(3, 3), request(4), request(5)].map((make) => make());
    const together = engine.infer(requests);
    const alone = requests.map((one) => engine.infer([one])[0]!);
    const reversed = engine.infer([...requests].reverse()).reverse();
    expect(alone).toEqual(together);
    expect(reversed).toEqual(together);
  });
});

describe('the inference thread', () => {
  it('gives up a window that takes too long, also where that is set while it waits', async () => {
    const thread = open({ timeoutMs: 60_000 });
    await thread.open();
    const late = thread.infer(request(1));
    thread.setTimeout(0);
    await expect(late).rejects.toThrow('did not answer within 0 ms');
    thread.setTimeout(60_000);
    expect((await thread.infer(request(2))).estimate).toBeDefined();
  });

  it('answers each window as the engine does, however they are batched', async () => {
    const engine = await Engine.load({ weights, backend: 'wasm' });
    const makers = [11, 12, 13, 14, 15, 16, 17].map((seed) => request(seed));
    const expected = engine.infer(makers.map((make) => make()));
    for (const maxBatch of [1, 3, 8]) {
      const thread = open({ maxBatch });
      await thread.open();
      const answers = await Promise.all(makers.map((make) => thread.infer(make)));
      expect(answers.map(({ estimate }) => estimate)).toEqual(expected);
      await thread.close();
    }
  });

  it('puts windows that arrive together into one batch', async () => {
    const thread = open({ maxBatch: 4, maxWaitMs: 1000 });
    await thread.open();
    await Promise.all([1, 2, 3, 4].map((seed) => thread.infer(request(seed))));
    expect(thread.describe()).toMatchObject({ batches: 1, windows: 4, restarts: 0 });
  });

  it('puts windows that arrive while others are computed into one batch, none larger than allowed', async () => {
    const makers = [1, 2, 3, 4, 5, 6, 7].map((seed) => request(seed));
    const thread = open({ maxBatch: 4, maxWaitMs: 0 });
    await thread.open();
    await Promise.all(makers.map((make) => thread.infer(make)));
    const { batches, windows } = thread.describe() as { batches: number; windows: number };
    expect(windows).toBe(7);
    expect(batches).toBeGreaterThanOrEqual(2);
    expect(batches).toBeLessThan(7);
  });

  it('is started again when it dies, and answers what was under way and what waited', async () => {
    const thread = open({ maxBatch: 2 });
    await thread.open();
    const before = await thread.infer(request(21));
    thread.crash();
    const after = await Promise.all([21, 22, 23, 24, 25].map((seed) => thread.infer(request(seed))));
    expect(after[0]!.estimate).toEqual(before.estimate);
    expect(after).toHaveLength(5);
    expect(thread.describe()).toMatchObject({ restarts: 1 });
    expect(crashes).toEqual(['it ended with code 70']);
  });

  it('says what is missing when it cannot start', async () => {
    const thread = open({ weights: packageFile('docs') });
    await expect(thread.open()).rejects.toThrow(/no manifest.json.*csiflow train pose/);
  });

  it('answers nobody after it was closed', async () => {
    const thread = open({ maxWaitMs: 1000 });
    await thread.open();
    const waiting = thread.infer(request(31));
    const refused = expect(waiting).rejects.toThrow(/closed/);
    await thread.close();
    await refused;
    await expect(thread.infer(request(31))).rejects.toThrow(/closed/);
  });
});
