import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { readModel, SHIPPED } from '../../operators/infer-pose/model/weights.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';
import { inferPose } from '../../operators/infer-pose/infer-pose.js';
import { ServedModels } from '../../operators/infer-pose/serving/served-models.js';
import { ServedModel } from '../../operators/infer-pose/serving/served-model.js';
import type { Operator } from '../../pipeline/component/index.js';
import { LinkTable, type PoseFrame, type Window } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { KserveServer } from '../support/inference/kserve-server.js';
import { servedModels } from '../support/inference/served-models.js';

const rooms = [21, 22].map((seed) => simulatedWindow(seed));
const environments = rooms.map(({ environment }) => environment);
const [usual, high] = ['csiflow-pose-general', 'csiflow-pose-general-5-ghz'];

/** The same window from links at these channels; the last one is that of all others. */
const at = (window: Window, ...centres: number[]): Window => ({
  ...window,
  links: window.links.map((link, index) => ({ ...link, centreMhz: centres[index] ?? centres.at(-1)! })),
});

const opened: Operator[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close?.();
});

const CONFIG = {
  backend: 'wasm',
  weights: 'auto',
  fallback: 'wasm',
  threads: 1,
  max_batch: 4,
  max_wait_ms: 0,
  max_in_flight: 16,
  timeout_ms: 30_000,
  presence: 0.5,
  articulate_below_m: 0.6,
} as const;

async function open(changes: object = {}, snapshot?: unknown) {
  const { context, recorded } = testContext({ environments, links: new LinkTable(environments) });
  const operator = inferPose.create({ ...CONFIG, ...changes }, context);
  opened.push(operator);
  await operator.open?.();
  if (snapshot) operator.restore!(snapshot as never);
  return { operator, recorded };
}

async function result(operator: Operator, window: Window): Promise<PoseFrame> {
  const { data } = operator.settle!(await operator.process(window, 'windows'));
  return data[0] as PoseFrame;
}

const modelOf = ({ provenance }: PoseFrame) => provenance.model?.name;

/** Later windows of a room. */
const later = (window: Window, beats: number): Window => ({
  ...window,
  start: window.start + beats * 400_000,
  index: window.index + 2 * beats,
});

let first: Window;
let second: Window;
beforeAll(() => {
  [first, second] = rooms.map(({ window }) => window) as [Window, Window];
});

it('rooms at 5 GHz have a model of their own, which starts with their first window', async () => {
  const { operator, recorded } = await open();
  const loaded = () => recorded.lines.filter(({ message }) => message === 'pose network loaded').length;
  expect(modelOf(await result(operator, first))).toBe(usual);
  expect(loaded()).toBe(1);
  expect(operator.describe!()).not.toHaveProperty('at_5_ghz');
  const answers = await Promise.all(
    [at(second, 5500), later(at(second, 5500), 1)].map(async (one) => operator.process(one, 'windows')),
  );
  expect(answers.map(({ data }) => modelOf(data[0] as PoseFrame))).toEqual([high, high]);
  expect(loaded()).toBe(2);
  expect(operator.describe!()).toMatchObject({
    ...{ model: { name: usual }, windows: 3 },
    at_5_ghz: { model: { name: high }, windows: 2 },
  });
});

it('a room of both bands has the model of most of its links, also while some of them fail', async () => {
  const { operator } = await open();
  const mixed = at(first, 5500, 5500, 2437, 5745);
  expect(modelOf(await result(operator, mixed))).toBe(high);
  const [, , low] = mixed.links;
  expect(modelOf(await result(operator, { ...mixed, links: [low!] }))).toBe(high);
  expect(modelOf(await result(operator, at(second, 5500, 2437)))).toBe(usual);
});

it('named weights compute every room', async () => {
  const { operator } = await open({ weights: 'general' });
  expect(modelOf(await result(operator, at(first, 5500)))).toBe(usual);
});

it('rooms of either band keep their memory across a restart, and side by side', async () => {
  const low = [0, 1, 2, 3, 4].map((beats) => later(first, beats));
  const fives = low.map((_, beats) => at(later(second, beats), 5500));
  const strip = (frame: PoseFrame) => ({ ...frame, processingMs: 0 });
  const play = async (operator: Operator, from: number, to: number) => {
    const frames: PoseFrame[] = [];
    for (let beat = from; beat < to; beat++)
      for (const window of [low[beat]!, fives[beat]!]) frames.push(strip(await result(operator, window)));
    return frames;
  };
  const whole = await play((await open()).operator, 0, 5);
  const { operator } = await open();
  const before = await play(operator, 0, 3);
  const { operator: restarted, recorded } = await open({}, structuredClone(operator.snapshot!()));
  expect([...before, ...(await play(restarted, 3, 5))]).toEqual(whole);
  expect(recorded.lines.map(({ message }) => message)).not.toContain(
    'the memory of a room is dropped: the model or the room has changed',
  );
});

it('memories of a checkpoint before there were bands belong to its one network', async () => {
  const { operator } = await open();
  await result(operator, first);
  const { rooms: stored, ...rest } = operator.snapshot!() as { rooms: readonly { memory: string }[] };
  const old = {
    ...rest,
    memory: stored[0]!.memory,
    rooms: stored.map((room) => ({ ...room, memory: undefined })),
  };
  const next = await result(operator, later(first, 1));
  const { operator: restarted } = await open({}, structuredClone(old));
  const again = await result(restarted, later(first, 1));
  expect({ ...again, processingMs: 0 }).toEqual({ ...next, processingMs: 0 });
});

it('a room of both bands keeps its model across a restart, although most of its links are silent then', async () => {
  const { operator } = await open();
  const mixed = at(first, 5500, 5500, 2437, 5745);
  await result(operator, mixed);
  const { operator: restarted } = await open({}, structuredClone(operator.snapshot!()));
  const [, , low] = mixed.links;
  expect(modelOf(await result(restarted, { ...later(mixed, 1), links: [low!] }))).toBe(high);
});

it('windows that wait for the model at 5 GHz are computed, although other weights are set meanwhile', async () => {
  const { operator } = await open();
  const waiting = [0, 1].map(async (beats) => operator.process(later(at(first, 5500), beats), 'windows'));
  operator.adjust!({ ...CONFIG, weights: 'general' });
  for (const { data, failed } of await Promise.all(waiting)) {
    expect(failed).toBeUndefined();
    expect(modelOf(data[0] as PoseFrame)).toBe(high);
  }
  await expect
    .poll(async () => modelOf(await result(operator, at(first, 5500))), { interval: 1 })
    .toBe(usual);
});

it('a server with one of two models: WebAssembly computes the other, and only its rooms learn that', async () => {
  const server = await KserveServer.open(servedModels(readModel(packageFile(`${SHIPPED}/general`))));
  const { operator, recorded } = await open({ backend: 'remote', url: server.url });
  const eventsOf = async (window: Window) => {
    const { data } = operator.settle!(await operator.process(window, 'windows'));
    return data.filter(({ port }) => port === 'event');
  };
  expect(await eventsOf(at(second, 5500))).toMatchObject([
    { type: 'inference_degraded', environment: second.environment },
  ]);
  expect(await eventsOf(first)).toEqual([]);
  expect(recorded.problem).toContain('WebAssembly takes over');
  expect(operator.describe!()).toMatchObject({
    ...{ backend: 'remote', fallback: expect.stringContaining(server.url) as string },
    at_5_ghz: { backend: 'wasm' },
  });
  await operator.close!();
  await server.close();
});

it('ends while the model at 5 GHz is started', async () => {
  const { operator, recorded } = await open();
  const waiting = operator.process(at(first, 5500), 'windows');
  await operator.close!();
  expect((await waiting).failed).toMatchObject([{ code: 'pose.inference.failed' }]);
  expect(recorded.problem).toBeNull();
});

it('if the model at 5 GHz cannot start, the usual one takes its place, and it is tried again after 30 s', async () => {
  const one = new ServedModel(
    { name: 'test', weights: 'general', backend: 'wasm', maxBatch: 1, maxWaitMs: 0 },
    environments,
    { folder: '', mostLinks: 9 },
    { crashed: () => undefined, lost: () => undefined },
  );
  const errors: unknown[] = [];
  const damaged = new Error('damaged');
  const models = new ServedModels(
    one,
    {
      memory: null,
      create: () => {
        throw damaged;
      },
      start: () => Promise.resolve(),
      failed: (error) => errors.push(error),
    },
    environments,
  );
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
  for (const [now, tries] of [
    [1_000_000, 1],
    [1_029_999, 1],
    [1_030_000, 2],
  ] as const) {
    clock.mockReturnValue(now);
    expect(await models.of(at(first, 5500))).toBe(one);
    expect(errors).toHaveLength(tries);
  }
  expect(errors[0]).toBe(damaged);
  clock.mockRestore();
});
