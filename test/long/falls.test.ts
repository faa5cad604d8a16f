import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { INTEL, judge, leaveOut, readIntel } from '../../bench/accuracy/falls.js';
import { readWeights, WEIGHTS_FILE } from '../../operators/detect-falls/weights.js';
import { netScorer } from '../../operators/detect-falls/detector.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflow } from '../support/csiflow.js';
import { sharedFile } from '../support/shared.js';

const esp32 = sharedFile('captures/esp32-serial') && sharedFile('labelled/esp32-continuous');
const data = sharedFile('.')!;
const silent = (): void => undefined;

test.runIf(esp32)(
  'finds exactly the six falls of an ESP32, each excluded from training in turn',
  () => {
    const { falls, motionAndStill, besideFalls } = leaveOut(data, silent);
    expect(falls.map(({ log, found }) => [log, found])).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => [`fall_0${number}`, true]),
    );
    expect(motionAndStill).toMatchObject({ candidates: 29, alarms: 0 });
    expect(besideFalls).toMatchObject({ alarms: 0 });
  },
  240_000,
);

test.runIf(sharedFile(INTEL))(
  'on an unknown chip, room and people the area under the ROC curve is at least 0.93',
  () => {
    const clips = readIntel(data).filter(({ activity }) => activity !== 'lying' && activity !== 'sitting');
    const { auc, sensitivity, falseClips } = judge('nets', clips, netScorer(readWeights()), 1);
    expect(clips).toHaveLength(850);
    expect(auc).toBeGreaterThanOrEqual(0.93);
    expect(sensitivity).toBeGreaterThanOrEqual(0.85);
    expect(falseClips).toBeLessThanOrEqual(0.07);
  },
  240_000,
);

test.runIf(esp32)(
  'csiflow train falls reproduces the shipped weights, to the byte',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'csiflow-weights-'));
    const out = join(folder, 'falls.json');
    const { code, output } = await csiflow('train', 'falls', '--data', data, '--out', out);
    expect(code, output).toBe(0);
    expect(await readFile(out, 'utf8')).toBe(await readFile(packageFile(WEIGHTS_FILE), 'utf8'));
    await rm(folder, { recursive: true });
  },
  120_000,
);
