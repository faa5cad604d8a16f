import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Operator } from '../../pipeline/component/index.js';
import { LinkTable, type Environment, type PoseFrame, type Window } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { Newcomers } from '../../operators/infer-pose/memory/newcomers.js';
import { inferPose } from '../../operators/infer-pose/infer-pose.js';
import { confidenceOf, expectedError, personOf } from '../../operators/infer-pose/people/person.js';
import type { Estimate } from '../../operators/infer-pose/sights/sight.js';
import { readModel, SHIPPED, writeModel } from '../../operators/infer-pose/model/weights.js';
import { testContext } from '../support/context.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';

const config = {
  backend: 'wasm',
  weights: 'general',
  max_batch: 4,
  max_wait_ms: 1,
  max_in_flight: 16,
  articulate_below_m: 0.6,
  presence: 0.5,
  timeout_ms: 30_000,
  fallback: 'wasm',
  threads: 1,
} as const;

let operator: Operator | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await operator?.close?.();
  operator = undefined;
});

/** Nodes with equal settings share a thread: this one keeps it from ending between the tests. */
let keeper: Operator | undefined;
beforeAll(async () => {
  const { context } = contextOf([simulatedWindow(1).environment]);
  keeper = inferPose.create(config, context);
  await keeper.open?.();
});
afterAll(() => keeper?.close?.());

const contextOf = (environments: readonly Environment[], folder = tmpdir()) =>
  testContext({ environments, links: new LinkTable(environments), folder });

async function opened(environments: readonly Environment[], changes: object = {}, folder = tmpdir()) {
  const { context, recorded } = contextOf(environments, folder);
  operator = inferPose.create({ ...config, ...changes }, context);
  await operator.open?.();
  return { operator, recorded };
}

const poses = async (by: Operator, window: Window): Promise<PoseFrame> => {
  const { data, failed } = await by.process(window, 'windows');
  expect(failed).toBeUndefined();
  return data[0] as PoseFrame;
};

describe('infer-pose', () => {
  it('emits a frame in the middle of its window, with the error of the place and a link to the accuracy', async () => {
    const { environment, window } = simulatedWindow(3);
    const { operator: by, recorded } = await opened([environment], { presence: 0 });
    const frame = await poses(by, window);
    expect(frame).toMatchObject({
      port: 'pose',
      frameId: window.index,
      environment: environment.id,
      time: window.start + 1_000_000,
      windowEnd: window.start + 2_000_000,
      links: 4,
      provenance: {
        origin: 'simulated',
        model: { trainedOn: 'simulated CSI', accuracy: 'docs/reports/accuracy.md' },
      },
    });
    const [person] = frame.persons;
    expect(person!.keypoints).toHaveLength(17);
    expect(person!.positionError).toBeGreaterThan(0);
    expect(person!.articulated).toBe(person!.positionError < 0.6);
    expect(person!.confidence).toBeCloseTo(confidenceOf(person!.positionError), 3);
    expect(person!.position.x * 1000).toBeCloseTo(Math.round(person!.position.x * 1000), 6);
    expect(recorded.lines.map(({ message }) => message)).toContain('pose network loaded');
  });

  it('separates windows of many environments, and its results from its batches', async () => {
    const rooms = [41, 42, 43].map((seed) => simulatedWindow(seed));
    const environments = rooms.map(({ environment }) => environment);
    const strip = (frame: PoseFrame) => ({ ...frame, processingMs: 0 });
    const { operator: by } = await opened(environments, { presence: 0 });
    const together = await Promise.all(rooms.map(({ window }) => poses(by, window)));
    for (const [index, { window }] of rooms.entries()) {
      expect(strip(await poses(by, window))).toEqual(strip(together[index]!));
    }
    expect(together.map(({ environment }) => environment)).toEqual(environments.map(({ id }) => id));
  });

  it('invents nobody: probabilities below the threshold give a frame without persons', async () => {
    const { environment, window } = simulatedWindow(5);
    const { operator: by } = await opened([environment], { presence: 1 });
    expect((await poses(by, window)).persons).toEqual([]);
  });

  it.each([
    { what: 'a newcomer', kept: false, presence: 0.9, persons: 0 },
    { what: 'a kept person', kept: true, presence: 0.9, persons: 1 },
    { what: 'a kept person, for a stricter presence', kept: true, presence: 0.95, persons: 0 },
  ])('reports $what of a probability of 0.6: $persons', async ({ kept, presence, persons }) => {
    vi.spyOn(Newcomers.prototype, 'counts').mockReturnValue([0.4, 0.6, 0, 0, 0]);
    vi.spyOn(Newcomers.prototype, 'keeps').mockReturnValue(kept);
    const { environment, window } = simulatedWindow(3);
    const { operator: by } = await opened([environment], { presence });
    const [poseFrame] = by.settle!(await by.process(window, 'windows')).data;
    expect((poseFrame as PoseFrame).persons).toHaveLength(persons);
  });

  it('answers a window without known links with nobody and no quality', async () => {
    const { environment, window } = simulatedWindow(6);
    const { operator: by } = await opened([environment]);
    const frame = await poses(by, { ...window, links: [] });
    expect(frame).toMatchObject({ persons: [], signalQuality: 0, links: 0 });
  });

  it('rejects a window of another length and names the one it reads', async () => {
    const { environment, window } = simulatedWindow(7);
    const { operator: by } = await opened([environment]);
    const { data, failed } = await by.process({ ...window, points: 50 }, 'windows');
    expect(data).toEqual([]);
    expect(failed).toMatchObject([{ code: 'pose.window.unfit', retriable: false }]);
    expect(failed![0]!.reason).toContain('length_ms: 2000 and points: 100');
  });

  it('uses the links with the fewest gaps if there are more than nine', async () => {
    const { environment, window } = simulatedWindow(8, { links: 11 });
    const { operator: by } = await opened([environment], { presence: 0 });
    expect((await poses(by, window)).persons).toHaveLength(1);
  });

  it('copies the values that it emits', async () => {
    const { environment, window } = simulatedWindow(9);
    const before = window.links[0]!.values.slice();
    const { operator: by } = await opened([environment]);
    await poses(by, window);
    expect(window.links[0]!.values).toEqual(before);
  });
});

describe('a model that is replaced while in use', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-model-'));
    await cp(packageFile(join(SHIPPED, 'general')), join(folder, 'mine'), { recursive: true });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('is named by the poses it computed, and by no others', async () => {
    const { environment, window } = simulatedWindow(3);
    const changes = { presence: 0, weights: './mine' };
    const first = (await opened([environment], changes, folder)).operator;
    const before = await poses(first, window);
    const { manifest, weights } = readModel(join(folder, 'mine'));
    const halved = weights.map((value) => 0.5 * value);
    writeModel(join(folder, 'mine'), halved, { ...manifest, version: 'second' });
    const second = (await opened([environment], changes, folder)).operator;
    const after = await poses(second, window);
    expect(after.provenance.model?.version).toBe('second');
    expect(after.persons).not.toEqual(before.persons);
    expect(await poses(first, window)).toMatchObject({
      persons: before.persons,
      provenance: { model: { version: manifest.version } },
    });
    await first.close?.();
  });

  it('is exchanged without a gap: each window is inferred by one or the other', async () => {
    const { environment, window } = simulatedWindow(3);
    const { manifest, weights } = readModel(packageFile(join(SHIPPED, 'general')));
    const halved = weights.map((value) => 0.5 * value);
    writeModel(join(folder, 'next'), halved, { ...manifest, version: 'next' });
    const { operator: by, recorded } = await opened([environment], { presence: 0 }, folder);
    by.adjust!({ ...config, presence: 0, weights: './next' });
    const versions: (string | undefined)[] = [];
    while (versions.at(-1) !== 'next') {
      // One at a time: more would take the processor from the thread that loads the next model.
      const frame = await poses(by, window);
      versions.push(versionOf(by.settle!({ data: [frame] }).data[0] as PoseFrame));
    }
    expect(versions[0]).toBe(manifest.version);
    expect(new Set(versions)).toEqual(new Set([manifest.version, 'next']));
    expect(recorded.problem).toBeNull();
    expect(by.describe!()).toMatchObject({ model: { version: 'next', memory: null } });
  });

  it('stays in use if the other one cannot be loaded, and the node is degraded', async () => {
    const { environment, window } = simulatedWindow(3);
    const { operator: by, recorded } = await opened([environment], { presence: 0 }, folder);
    by.adjust!({ ...config, presence: 0, weights: './missing' });
    await expect.poll(() => recorded.problem, { interval: 1, timeout: 20_000 }).not.toBeNull();
    expect(versionOf(await poses(by, window))).toBeDefined();
    expect(recorded.problem).toMatch(
      /the model `\.\/missing` cannot be loaded, version .* computes: .*manifest\.json/,
    );
    by.adjust!({ ...config, presence: 0 });
    await expect.poll(() => recorded.problem, { interval: 1 }).toBeNull();
  });
});

const versionOf = ({ provenance }: PoseFrame) => provenance.model?.version;

describe('a backend that is lost', () => {
  it('is replaced by WebAssembly: the node is degraded, and the log and a counter say so', async () => {
    const { environment, window } = simulatedWindow(3);
    const changes = { presence: 0, backend: 'remote', url: 'http://127.0.0.1:1' };
    const { operator: by, recorded } = await opened([environment], changes);
    expect((await poses(by, window)).persons).toHaveLength(1);
    expect(recorded.problem).toMatch(
      /backend remote failed, WebAssembly takes over: the inference server http:/,
    );
    expect(recorded.counts['inference_fallbacks']).toBe(1);
    expect(recorded.lines.map(({ message }) => message)).toContain(
      'the inference backend failed; WebAssembly takes over',
    );
    expect(by.describe!()).toMatchObject({ backend: 'wasm' });
    expect(by.describe!()['fallback']).toContain('127.0.0.1:1');
  });

  it('is reported to its environment once, by an event, also across a restart', async () => {
    const { environment, window } = simulatedWindow(3);
    const changes = { presence: 0, backend: 'remote', url: 'http://127.0.0.1:1' };
    const { operator: by } = await opened([environment], changes);
    const settled = async (operator: Operator) => {
      const { data } = operator.settle!(await operator.process(window, 'windows'));
      return data.filter((record) => record.port === 'event');
    };
    const [event, ...others] = await settled(by);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'inference_degraded',
      severity: 'medium',
      environment: environment.id,
      time: window.start + window.step * window.points,
      metadata: { backend: 'remote', reason: expect.stringContaining('WebAssembly takes over') as string },
    });
    expect(await settled(by)).toEqual([]);
    const state = by.snapshot!();
    await by.close?.();
    const { operator: again } = await opened([environment]);
    again.restore!(state);
    expect(await settled(again)).toMatchObject([{ type: 'inference_restored', severity: 'low' }]);
    expect(await settled(again)).toEqual([]);
  });
});

describe('a calibration file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-pose-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it("is read from the topology's folder and changes the result", async () => {
    const { environment, window } = simulatedWindow(10);
    const profiles = Object.fromEntries(environment.links.map(({ id }) => [id, new Array(13).fill(3)]));
    await writeFile(join(folder, 'room.json'), JSON.stringify({ features: 1, profiles }));
    const plain = await poses((await opened([environment], { presence: 0 })).operator, window);
    await operator?.close?.();
    const held = await poses(
      (await opened([environment], { presence: 0, calibration: 'room.json' }, folder)).operator,
      window,
    );
    expect(held.persons[0]!.position).not.toEqual(plain.persons[0]!.position);
  });

  it('that has an echo changes the result of its environment', async () => {
    const { environment, window } = simulatedWindow(10);
    const positionWith = async (echoes: object) => {
      await writeFile(join(folder, 'echoes.json'), JSON.stringify({ features: 1, profiles: {}, echoes }));
      const { operator: opener } = await opened(
        [environment],
        { presence: 0, calibration: 'echoes.json' },
        folder,
      );
      const [person] = (await poses(opener, window)).persons;
      await operator?.close?.();
      return person!.position;
    };
    const usual = await positionWith({});
    expect(await positionWith({ elsewhere: 9 })).toEqual(usual);
    expect(await positionWith({ [environment.id]: 9 })).not.toEqual(usual);
  });

  it('that is not measured yet is missed with a warning', async () => {
    const { environment } = simulatedWindow(10);
    const { recorded } = await opened([environment], { calibration: 'none.json' }, folder);
    expect(JSON.stringify(recorded.lines)).toContain('there is no calibration yet: measure the empty room');
  });

  it('that is invalid is named with the reason', async () => {
    await writeFile(join(folder, 'bad.json'), JSON.stringify({ features: 1, profiles: { a: [1, 2] } }));
    const { environment } = simulatedWindow(10);
    await expect(opened([environment], { calibration: 'bad.json' }, folder)).rejects.toThrow(
      /bad.json.*link a.*13 numbers/,
    );
    await writeFile(join(folder, 'torn.json'), '{"features": 1, "prof');
    await expect(opened([environment], { calibration: 'torn.json' }, folder)).rejects.toThrow(
      /torn.json cannot be read as JSON/,
    );
    for (const content of ['null', '{"features": 1, "profiles": null}', '{"features": 1, "profiles": []}']) {
      await writeFile(join(folder, 'empty.json'), content);
      await expect(opened([environment], { calibration: 'empty.json' }, folder)).rejects.toThrow(
        /empty.json: .* must be/,
      );
    }
  });

  it("of another room's links gives a warning", async () => {
    await writeFile(
      join(folder, 'other.json'),
      JSON.stringify({ features: 1, profiles: { elsewhere: new Array(13).fill(3) } }),
    );
    const { recorded } = await opened(
      [simulatedWindow(10).environment],
      { calibration: 'other.json' },
      folder,
    );
    expect(recorded.lines.map(({ message }) => message)).toContain(
      'the calibration has none of the environments’ links',
    );
  });
});

describe('a person', () => {
  const estimate: Estimate = {
    root: [1.23456, 2],
    scale: 0.5,
    heading: [0, 0.8],
    postures: [0.1, 0.7, 0.2],
    moving: 0.1,
    joints: new Float32Array(51).fill(0.1),
    jointScales: new Float32Array(17).fill(0.1),
  };
  const calibration = {
    position: { factor: 1.2, power: 1 },
    several: { factor: 1, power: 1 },
    joints: { scale: 1, heading: 0.5 },
  };
  const reported = (one: Estimate) =>
    personOf(one, expectedError(one.scale, calibration.position), calibration.joints, 0.7);

  it('is rotated to the heading, rounded to a millimetre, with calibrated errors', () => {
    const person = reported(estimate);
    expect(person).toMatchObject({
      position: { x: 1.235, y: 2, z: 0 },
      positionError: 0.6,
      confidence: 0.5,
      heading: 1.571,
      headingConfidence: 0.8,
      posture: 'sitting',
      articulated: true,
      track: null,
    });
    // Forward 0.1 and left 0.1, facing along y.
    expect(person.keypoints[0]).toMatchObject({ x: 1.135, y: 2.1, z: 0.1 });
    expect(person.keypoints[0]!.error).toBeCloseTo(0.1 + 0.5 * Math.hypot(0.1, 0.1) * 0.2, 3);
  });

  it('has no heading if the vector is short, and no skeleton if the place is uncertain', () => {
    const unsure = reported({ ...estimate, heading: [0.1, 0.1], scale: 1 });
    expect(unsure.heading).toBeNull();
    expect(unsure.articulated).toBe(false);
  });

  it("has an expected error that grows with the network's scale", () => {
    const by = { factor: 1.1, power: 1.3 };
    expect(expectedError(1, by)).toBeGreaterThan(expectedError(0.5, by));
  });
});
