import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Environment } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { mix } from '../../pipeline/sources/simulator/shared/random.js';
import { CALIBRATION_SEED, TEST_SEED } from '../../operators/infer-pose/training/evaluate.js';
import { FIRST_TUNING_SEED, LAST_HELD_OUT_SEED } from '../../operators/infer-pose/training/outcomes.js';
import { roomSeed } from '../../operators/infer-pose/training/generate.js';
import { PARAMETERS } from '../../operators/infer-pose/networks/layers.js';
import { MEMORY_PARAMETERS } from '../../operators/infer-pose/networks/memory-layers.js';
import { chooseModels } from '../../operators/infer-pose/model/choose-models.js';
import {
  modelFolder,
  readManifest,
  readMemory,
  readModel,
  shippedModels,
  SHIPPED,
  unreadableModel,
  writeModel,
} from '../../operators/infer-pose/model/weights.js';
import { components } from '../../api/components.js';
import { parseTopology } from '../../pipeline/config/index.js';
import { testEnvironment } from '../support/context.js';

interface Trained {
  readonly seed: number;
  readonly rooms: number;
  /** How the weights before this training were trained. */
  readonly before?: Trained;
}

/** Training of a memory: rooms of kinds, or of a range of seeds; and those of the weights that it began with. */
interface Courses {
  readonly kinds?: readonly { readonly first: number; readonly count: number }[];
  readonly first_seed?: number;
  readonly last_seed?: number;
  readonly before?: Courses;
}

function coursesOf({ kinds = [], first_seed = 0, last_seed = -1, before }: Courses): number[] {
  const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
  return [
    ...kinds.flatMap(({ first, count }) => from(first, count)),
    ...from(first_seed, last_seed - first_seed + 1),
    ...(before ? coursesOf(before) : []),
  ];
}

const demoFlat = parse(
  readFileSync(packageFile('topologies/environments/demo-flat.yaml'), 'utf8'),
) as Environment;

describe('the weights that ship', () => {
  it.each(shippedModels())('%s match their manifest', (name) => {
    const { manifest, weights } = readModel(packageFile(join(SHIPPED, name)));
    expect(weights).toHaveLength(PARAMETERS);
    expect(weights.every(Number.isFinite)).toBe(true);
    expect(manifest).toMatchObject({ trainedOn: 'simulated CSI', window: { lengthMs: 2000, points: 100 } });
    expect(existsSync(packageFile(manifest.accuracy))).toBe(true);
  });

  it('were trained on none of the rooms used for figures', () => {
    // Rooms are determined by 32 bits of their seed: two seeds could give the same room.
    const state = (seed: number, room: number) => mix(roomSeed(seed, room), [1]);
    const trained = new Set<number>();
    for (const name of shippedModels()) {
      const { training, memory } = readManifest(packageFile(join(SHIPPED, name)));
      for (let at: Trained | undefined = training as unknown as Trained; at; at = at.before)
        for (let room = 0; room < at.rooms; room++) trained.add(state(at.seed, room));
      for (const seed of coursesOf(memory!.training)) {
        expect(seed < FIRST_TUNING_SEED || seed > LAST_HELD_OUT_SEED, String(seed)).toBe(true);
        trained.add(mix(seed, [1]));
      }
    }
    expect(trained.size).toBeGreaterThan(20_000);
    const seeds = [0, 1, 2, 3, 4].flatMap((i) => [CALIBRATION_SEED + i, TEST_SEED + i]);
    const shared = seeds.filter((seed) =>
      Array.from({ length: 1000 }, (_, room) => trained.has(state(seed, room))).includes(true),
    );
    expect(shared).toEqual([]);
  });

  it('have 75 to 350 thousand parameters', () => {
    expect(PARAMETERS).toBeGreaterThan(75_000);
    expect(PARAMETERS).toBeLessThan(350_000);
  });

  it('are the general ones if none was trained for the place', () => {
    const general = { usual: 'general', high: 'general-5-ghz' };
    expect(chooseModels('auto', [testEnvironment])).toEqual(general);
    expect(chooseModels('auto', [demoFlat])).toEqual(general);
    expect(chooseModels('auto', [demoFlat, testEnvironment])).toEqual(general);
  });

  it('are those named for every room', () => {
    expect(chooseModels('./mine', [testEnvironment])).toEqual({ usual: './mine', high: null });
  });

  it('are found by name, others by path', () => {
    expect(modelFolder('general', '/topologies')).toBe(packageFile(join(SHIPPED, 'general')));
    expect(modelFolder('./mine', '/topologies')).toBe('/topologies/mine');
  });
});

describe('invalid weights', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-weights-'));
    await cp(packageFile(join(SHIPPED, 'general')), folder, { recursive: true });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('are rejected by their hash', async () => {
    const file = join(folder, 'weights.bin');
    const bytes = await readFile(file);
    bytes[7]! ^= 1;
    await writeFile(file, bytes);
    expect(() => readModel(folder)).toThrow(/SHA-256 differs/);
    await writeFile(file, bytes.subarray(4));
    expect(() => readModel(folder)).toThrow(/bytes, not/);
  });

  it('of another version are rejected', async () => {
    const file = join(folder, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...manifest, featureVersion: 0 }));
    expect(() => readModel(folder)).toThrow(/features 0, not/);
  });

  it('are refused before a topology runs or changes, where it names them', () => {
    const text = `id: ward
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources: { flat: { type: simulator } }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  poses: { type: infer-pose, from: windows, weights: ${folder} }
  later: { type: infer-pose, from: windows, weights: ${join(folder, 'not-yet')} }
sinks: { out: { type: console, from: [poses, later] } }
`;
    const { problems } = parseTopology({ text, shown: 'ward.yaml', file: null, folder }, components, {
      env: {},
    });
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ line }) => line)).toEqual([6]);
    expect(errors[0]!.message).toContain(`${folder}/weights.bin: the weights`);
  });

  it('with a damaged manifest are named', async () => {
    await writeFile(join(folder, 'manifest.json'), '{"name": ');
    expect(() => readModel(folder)).toThrow(/manifest.json cannot be read as JSON/);
  });
});

describe('the memory of a model', () => {
  const shipped = packageFile(join(SHIPPED, 'general'));
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-memory-'));
    await cp(shipped, folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('ships with the general one, trained on rooms not used for any figure', () => {
    const { manifest } = readModel(shipped);
    const memory = readMemory(shipped, manifest);
    expect(memory).toHaveLength(MEMORY_PARAMETERS);
    expect(memory!.every(Number.isFinite)).toBe(true);
    expect(Math.max(...coursesOf(manifest.memory!.training as unknown as Courses))).toBeLessThan(700_000);
  });

  it('is not used if it is damaged, or was trained behind other weights', async () => {
    expect(unreadableModel(folder, tmpdir())).toBeNull();
    const file = join(folder, 'memory.bin');
    const bytes = await readFile(file);
    bytes[1000]! ^= 1;
    await writeFile(file, bytes);
    expect(unreadableModel(folder, tmpdir())).toContain(`${file}: the weights do not match manifest.json`);
    expect(() => readMemory(folder, readManifest(folder))).toThrow(
      `${file}: the weights do not match manifest.json`,
    );
    bytes[1000]! ^= 1;
    await writeFile(file, bytes);
    const manifest = readModel(folder).manifest;
    await writeFile(
      join(folder, 'manifest.json'),
      JSON.stringify({ ...manifest, memory: { ...manifest.memory, behind: 'others' } }),
    );
    expect(() => readMemory(folder, readManifest(folder))).toThrow(
      'were trained behind other weights of the pose network',
    );
  });

  it('does not exist for a newly trained model', () => {
    const { manifest, weights } = readModel(shipped);
    writeModel(folder, weights.with(0, weights[0]! + 1), manifest);
    expect(readMemory(folder, readManifest(folder))).toBeNull();
  });
});
