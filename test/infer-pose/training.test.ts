import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { readModel } from '../../operators/infer-pose/model/weights.js';
import { namedModel } from '../../operators/infer-pose/model/named-model.js';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { evaluate } from '../../operators/infer-pose/training/evaluate.js';
import {
  lostText,
  markdownOf,
  trainPose,
  type PoseReport,
  type TrainPoseOptions,
} from '../../operators/infer-pose/training/main.js';

const quiet = () => undefined;

describe('csiflow train pose', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'csiflow-train-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const train = (changes: Partial<TrainPoseOptions>) =>
    trainPose({
      ...{ out: join(folder, 'model'), report: folder, seed: 1, threads: 1, rate: 0.001, sequences: 4 },
      ...{ patience: 0, backend: 'wasm', print: quiet, ...changes },
    });

  it('rejects the seeds of held-out rooms, and a training of zero time', async () => {
    await expect(train({ seed: 900_101, windows: 128 })).rejects.toThrow(
      /0 to 899998; later ones are held out/,
    );
    await expect(train({ minutes: 0 })).rejects.toThrow(/A training of length \{"minutes":0\} is empty/);
    await expect(train({ windows: 0 })).rejects.toThrow(/A training of length \{"windows":0\} is empty/);
    expect(await readdir(folder)).toEqual([]);
  });
});

test('an interruption before the first step says what is lost, and how to keep a training', () => {
  expect(lostText(96, undefined)).toBe(
    'the first rooms (96 so far) are lost, and the same command simulates them again: to keep a training, interrupt it after its first step',
  );
  expect(lostText(96, 'ward.state')).toMatch(/after its first step; ward\.state is unchanged$/);
});

describe('the report of csiflow train pose', () => {
  describe('about the general model', () => {
    let report: PoseReport;
    beforeAll(async () => {
      await loadTrainingBackend('wasm');
      const { weights, manifest } = readModel(namedModel('general'));
      report = evaluate(weights, manifest, null, 12, quiet);
    });

    it('measures two to nine links, and four of them without a calibration too', () => {
      expect(report.links.map(({ links, calibrated }) => [links, calibrated])).toEqual([
        [2, true],
        [3, true],
        [4, true],
        [4, false],
        [6, true],
        [9, true],
      ]);
      for (const { accuracy } of report.links) expect(accuracy.windows).toBe(12);
    });

    it('compares six figures of four links with their floors', () => {
      const four = report.links[2]!.accuracy;
      expect(report.floors).toHaveLength(6);
      expect(report.floors[1]).toMatchObject({ what: 'root, all', floor: 0.89, reached: four.all.root });
      expect(report.floors.at(-1)).toMatchObject({ floor: 83, reached: 100 * four.all.posture });
      for (const { floor, reached, unit, met } of report.floors)
        expect(met).toBe(unit === '%' ? reached >= floor : reached <= floor);
    });

    it('writes each of them, missed floors as missed', () => {
      const page = markdownOf({
        ...report,
        floors: [{ what: 'posture', floor: 83, reached: 80.8, unit: '%', met: false }],
      });
      expect(page).toContain('| posture | 83 % | 80.8 % | **missed** |');
      expect(page.match(/^## .* links?, with/gm)).toHaveLength(6);
      expect(page).toContain('**simulated CSI**');
    });
  });
});
