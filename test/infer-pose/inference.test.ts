import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LinkTable } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { UNCALIBRATED } from '../../operators/infer-pose/model/calibration.js';
import { Engine } from '../../operators/infer-pose/serving/engine.js';
import { Inference, type InferenceOptions } from '../../operators/infer-pose/serving/inference.js';
import { NetworkThread } from '../../operators/infer-pose/serving/network-thread.js';
import { requestOf, type Request } from '../../operators/infer-pose/windows/request.js';
import { readManifest, readModel, SHIPPED, writeModel } from '../../operators/infer-pose/model/weights.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

const weights = packageFile(`${SHIPPED}/general`);
const { sha256, memory: remembers } = readManifest(weights);
const memory = remembers!.sha256;
const crashes: string[] = [];
const fallbacks: (string | null)[] = [];
const opened: Inference[] = [];

function open(options: Partial<InferenceOptions> = {}): Inference {
  const inference = new Inference(
    {
      ...{
        name: 'line/poses',
        weights,
        sha256,
        memory,
        backend: 'wasm',
        links: [4],
        maxBatch: 8,
        maxWaitMs: 2,
      },
      ...options,
    },
    { crashed: (reason) => crashes.push(reason), lost: (reason) => fallbacks.push(reason) },
  );
  opened.push(inference);
  return inference;
}

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(opened.splice(0).map((inference) => inference.close()));
  crashes.length = 0;
});

/** By seed and number of links: simulating one takes longer than computing its poses. */
const windows = new Map<string, ReturnType<typeof simulatedWindow>>();

function request(seed: number, links = 4): () => Request {
  const key = `${seed} ${links}`;
  const simulated = windows.get(key) ?? simulatedWindow(seed, { links });
  windows.set(key, simulated);
  return () => requestOf(simulated.window, new LinkTable([simulated.environment]), UNCALIBRATED)!;
}

describe('the engine on WASM', () => {
  it('gives a window the same answer, to the last bit, alone and in any batch', async () => {
    const engine = await Engine.load({ weights, backend: 'wasm' });
    const requests = [request(1), request(2), request(3, 3), request(4), request(5)].map((make) => make());
    const together = await engine.infer(requests);
    const alone = (await Promise.all(requests.map((one) => engine.infer([one])))).map(([one]) => one!);
    const reversed = (await engine.infer([...requests].reverse())).reverse();
    expect(alone).toEqual(together);
    expect(reversed).toEqual(together);
  });
});

describe('the inference thread', () => {
  it('drops a window that takes too long, even if that is set while it waits', async () => {
    const thread = open({ timeoutMs: 60_000 });
    await thread.open();
    const late = thread.infer(request(1));
    thread.setTimeout(0);
    await expect(late).rejects.toThrow('did not answer within 0 ms');
    thread.setTimeout(60_000);
    expect((await thread.infer(request(2))).sight).toBeDefined();
  });

  it('answers each window like the engine, however they are batched', async () => {
    const engine = await Engine.load({ weights, backend: 'wasm' });
    const makers = [11, 12, 13, 14, 15, 16, 17].map((seed) => request(seed));
    const expected = await engine.infer(makers.map((make) => make()));
    for (const maxBatch of [1, 3]) {
      const thread = open({ maxBatch });
      await thread.open();
      const answers = await Promise.all(makers.map((make) => thread.infer(make)));
      expect(answers.map(({ sight }) => sight)).toEqual(expected);
      await thread.close();
    }
  });

  it('batches windows that arrive together', async () => {
    const thread = open({ maxBatch: 4, maxWaitMs: 1000 });
    await thread.open();
    await Promise.all([1, 2, 3, 4].map((seed) => thread.infer(request(seed))));
    expect(thread.describe()).toMatchObject({ batches: 1, windows: 4, restarts: 0 });
  });

  it('batches windows that arrive during a computation, up to the limit', async () => {
    const makers = [1, 2, 3, 4, 5, 6, 7].map((seed) => request(seed));
    const thread = open({ maxBatch: 4, maxWaitMs: 0 });
    await thread.open();
    await Promise.all(makers.map((make) => thread.infer(make)));
    const { batches, windows } = thread.describe() as { batches: number; windows: number };
    expect(windows).toBe(7);
    expect(batches).toBeGreaterThanOrEqual(2);
    expect(batches).toBeLessThan(7);
  });

  it('restarts after a crash, and answers running and waiting windows', async () => {
    const thread = open({ maxBatch: 2 });
    await thread.open();
    const before = await thread.infer(request(21));
    thread.crash();
    const after = await Promise.all([21, 22, 23, 24, 25].map((seed) => thread.infer(request(seed))));
    expect(after[0]!.sight).toEqual(before.sight);
    expect(after).toHaveLength(5);
    expect(thread.describe()).toMatchObject({ restarts: 1 });
    expect(crashes).toEqual(['it ended with code 70']);
  });

  it('restarts after a hang, once nobody waits for it any more', async () => {
    const thread = open({ maxWaitMs: 0, timeoutMs: 30_000 });
    await thread.open();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    thread.crash('hang');
    const late = expect(thread.infer(request(1))).rejects.toThrow('did not answer within 30000 ms');
    vi.advanceTimersByTime(29_999);
    expect(thread.describe()).toMatchObject({ restarts: 0 });
    vi.advanceTimersByTime(1);
    await late;
    expect((await thread.infer(request(2))).sight).toBeDefined();
    expect(thread.describe()).toMatchObject({ restarts: 1, windows: 1 });
    expect(crashes).toEqual(['it was silent for 30000 ms']);
  });

  it('rejects only the invalid windows of a batch', async () => {
    const thread = open({ maxBatch: 4, maxWaitMs: 1000 });
    await thread.open();
    const broken = (): Request => {
      const { size, links } = request(2)();
      return { size, links: links.map((link) => ({ ...link, layout: null as never })) };
    };
    const makers = [request(1), broken, request(3), request(4)];
    const settled = await Promise.allSettled(makers.map((make) => thread.infer(make)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });

  it('reports what is missing when it cannot start', async () => {
    const thread = open({ weights: packageFile('docs') });
    await expect(thread.open()).rejects.toThrow(/manifest.json.*csiflow train pose/);
  });

  it('answers nothing after close', async () => {
    const thread = open({ maxWaitMs: 1000 });
    await thread.open();
    const waiting = thread.infer(request(31));
    const refused = expect(waiting).rejects.toThrow(/closed/);
    await thread.close();
    await refused;
    await expect(thread.infer(request(31))).rejects.toThrow(/closed/);
  });
});

describe('a thread that several operators share', () => {
  const seeds = Array.from({ length: 4 }, (_, index) => 100 + index);

  it('answers each like a thread of its own, and batches their windows', async () => {
    const alone: unknown[] = [];
    const own = open({ maxBatch: 1 });
    await own.open();
    for (const seed of seeds) alone.push((await own.infer(request(seed, 3 + (seed % 2)))).sight);
    await own.close();
    const partitions = seeds.map(() => open({ maxBatch: 4, maxWaitMs: 1000, links: [3, 4] }));
    await Promise.all(partitions.map((one) => one.open()));
    const answers = await Promise.all(
      partitions.map((one, index) => one.infer(request(seeds[index]!, 3 + (seeds[index]! % 2)))),
    );
    expect(answers.map(({ sight }) => sight)).toEqual(alone);
    for (const one of partitions)
      expect(one.describe()).toMatchObject({ shared_by: 4, batches: 1, windows: 1 });
  });

  it('is another one for other batches, and accepts rooms with other numbers of links', async () => {
    const [first, second, third] = [open(), open({ links: [9] }), open({ maxBatch: 4 })];
    await Promise.all([first, second, third].map((one) => one.open()));
    expect([first, second, third].map((one) => one.describe()['shared_by'])).toEqual([2, 2, 1]);
    expect((await second.infer(request(1, 9))).sight).toBeDefined();
  });

  it('continues for the others when one closes or drops its windows', async () => {
    const [first, second, third] = [open(), open({ timeoutMs: 60_000 }), open()];
    await Promise.all([first, second, third].map((one) => one.open()));
    const waiting = [first, second, third].map((one) => one.infer(request(1)));
    const refused = expect(waiting[0]).rejects.toThrow(/closed/);
    const late = expect(waiting[1]).rejects.toThrow(/did not answer/);
    second.setTimeout(0);
    await Promise.all([first.close(), refused, late]);
    expect((await waiting[2]!).sight).toBeDefined();
    expect(third.describe()).toMatchObject({ shared_by: 2, windows: 1, restarts: 0 });
  });

  it('sends new windows after all earlier ones were dropped', async () => {
    const batches = { maxBatch: 32, maxWaitMs: 5 };
    const [first, second] = [open(batches), open({ ...batches, timeoutMs: 10_000 })];
    await Promise.all([first.open(), second.open()]);
    const refused = expect(first.infer(request(1))).rejects.toThrow(/closed/);
    await Promise.all([first.close(), refused]);
    // Fires after the thread's own timer, which is older and of the same duration.
    await after(batches.maxWaitMs);
    expect((await second.infer(request(2))).sight).toBeDefined();
  });

  it('takes their windows in turn: a busy one does not delay the others', async () => {
    const shared = { maxBatch: 1, maxWaitMs: 0 };
    const [replay, live] = [
      open({ ...shared, name: 'replay/poses' }),
      open({ ...shared, name: 'live/poses' }),
    ];
    await Promise.all([replay.open(), live.open()]);
    const answered: string[] = [];
    const ask = (by: Inference, name: string) => by.infer(request(1)).then(() => answered.push(name));
    const many = [1, 2, 3, 4, 5, 6].map(() => ask(replay, 'replay'));
    await Promise.all([...many, ask(live, 'live')]);
    // The thread has two already, then the replay is next.
    expect(answered.indexOf('live')).toBe(3);
  });

  it('computes no windows that were dropped before it received them', async () => {
    const thread = NetworkThread.of({ weights, sha256, memory, backend: 'wasm', maxBatch: 1, maxWaitMs: 0 });
    const user = { name: 'line/poses', onCrash: () => undefined, timeoutMs: () => Infinity };
    await thread.join(user, [4]);
    const give = () => {
      let number = 0;
      const batch = new Promise<number>((resolve, reject) => {
        const answer = (_: unknown, one: { number: number }) => {
          resolve(one.number);
        };
        number = thread.give({ name: user.name, request: request(1), resolve: answer, reject });
      });
      return { number, batch };
    };
    for (const { number } of Array.from({ length: 20 }, give)) thread.forget(number);
    // After the two that it already had.
    expect(await give().batch).toBe(3);
    await thread.leave(user);
  });

  it('that crashes answers all of them again, and notifies each node once', async () => {
    const users = ['line/poses', 'line/poses', 'other/poses'].map((name) => open({ name }));
    await Promise.all(users.map((one) => one.open()));
    users[0]!.crash();
    const answers = await Promise.all(users.map((one) => one.infer(request(21))));
    expect(new Set(answers.map(({ sight }) => JSON.stringify(sight))).size).toBe(1);
    expect(crashes).toEqual(['it ended with code 70', 'it ended with code 70']);
  });

  it('that could not start is retried by the next operator', async () => {
    const wrong = { weights: packageFile('docs') };
    await expect(open(wrong).open()).rejects.toThrow(/manifest.json/);
    const again = open(wrong);
    await expect(again.open()).rejects.toThrow(/manifest.json/);
    expect(again.describe()).toMatchObject({ shared_by: 0 });
  });
});

describe('several threads', () => {
  const makers = [11, 12, 13, 14, 15].map((seed) => request(seed));

  it('compute together what one computes, each window once', async () => {
    const one = open();
    const three = open({ threads: 3, maxBatch: 2, maxWaitMs: 0 });
    await Promise.all([one, three].map((by) => by.open()));
    const expected = await Promise.all(makers.map((make) => one.infer(make)));
    const answers = await Promise.all(makers.map((make) => three.infer(make)));
    expect(answers.map(({ sight }) => sight)).toEqual(expected.map(({ sight }) => sight));
    expect(three.describe()).toMatchObject({ threads: 3, windows: 5, restarts: 0 });
    expect(three.describe()['batches']).toBeGreaterThanOrEqual(3);
  });

  it('answer all windows when one of them crashes', async () => {
    const two = open({ threads: 2, maxBatch: 1 });
    await two.open();
    two.crash();
    const answers = await Promise.all(makers.map((make) => two.infer(make)));
    expect(answers).toHaveLength(5);
    expect(two.describe()).toMatchObject({ restarts: 1, windows: 5 });
  });
});

describe('a backend that is lost', () => {
  it('rejects the windows if nothing may take over, until it works again', async () => {
    const thread = open({ fallsBack: false, retryMs: 200 });
    await thread.open();
    thread.crash('lose');
    await expect(thread.infer(request(1))).rejects.toThrow('the backend was made to fail');
    await expect(thread.infer(request(1))).rejects.toThrow('the backend was made to fail');
    expect(fallbacks).toEqual(['the backend was made to fail']);
    await vi.waitFor(
      () => {
        expect(fallbacks).toEqual(['the backend was made to fail', null]);
      },
      { timeout: 20_000 },
    );
    expect((await thread.infer(request(1))).sight.counts).toHaveLength(5);
  });

  it('leaves no thread behind if it is closed while it opens', async () => {
    const thread = open();
    const opened = thread.open();
    await thread.close();
    await expect(opened).rejects.toThrow('closed');
    expect(thread.describe()).toMatchObject({ threads: 0, backend: null });
  });
});

describe('weights replaced while a thread uses them', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-replaced-'));
    await cp(weights, folder, { recursive: true });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const replace = () => {
    const model = readModel(folder);
    return writeModel(
      folder,
      model.weights.map((value) => 0.5 * value),
      { ...model.manifest, version: '2' },
    );
  };

  it('stay for operators opened before, and are new for later ones', async () => {
    const first = open({ weights: folder });
    await first.open();
    const before = await first.infer(request(1));
    const second = open({ weights: folder, sha256: replace().sha256, memory: null });
    await second.open();
    expect([first, second].map((one) => one.describe()['shared_by'])).toEqual([1, 1]);
    expect((await first.infer(request(1))).sight).toEqual(before.sight);
    expect((await second.infer(request(1))).sight).not.toEqual(before.sight);
  });

  it('are rejected by a restarted thread', async () => {
    const inference = open({ weights: folder });
    await inference.open();
    replace();
    inference.crash();
    await expect(inference.infer(request(1))).rejects.toThrow(/were replaced .* version 2/);
  });
});
