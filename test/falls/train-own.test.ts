import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registryWith } from '../../api/plugins.js';
import { listOwn } from '../../bench/falls/own-clips.js';
import { thresholdFor, trainOwn, type OwnOptions } from '../../bench/falls/train-own.js';
import { recordedIn } from '../../bench/site/in-environment.js';
import { judgeOf } from '../../operators/detect-falls/verdict/judge.js';
import { SETTINGS } from '../../operators/detect-falls/training/train.js';
import { readWeights, type FallWeights } from '../../operators/detect-falls/networks/weights.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { seeded } from '../../pipeline/base/random.js';
import { loadTopology } from '../../pipeline/config/index.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { RawBuilder } from '../../pipeline/formats/contract/raw-builder.js';
import { CSI_HEADER_BYTES, encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { temporaryFolder } from '../support/flow.js';

const BINS = 64;
const RATE = 50;
const SECONDS = 12;

/** A recording of one ESP32: amplitudes swing with this strength at a time, in noise. */
function record(path: string, seed: number, strengthAt: (second: number) => number): void {
  const random = seeded(seed);
  const builder = new RawBuilder(RATE * SECONDS, 'replay');
  for (let frame = 0; frame < RATE * SECONDS; frame++) {
    const second = frame / RATE;
    const swing = strengthAt(second);
    const pairs = Int8Array.from({ length: 2 * BINS }, (_, i) =>
      i % 2 ? 0 : 60 + swing * Math.sin(9 * second + i / 7) + 2 * random(),
    );
    const bytes = encodePairs(
      { node: 1, bins: BINS, mhz: 2437, sequence: frame, rssi: NaN, noise: NaN },
      pairs,
    );
    const time = Date.UTC(2026, 0, 1) * 1000 + Math.round(second * 1e6);
    builder.add(time, bytes, 0, CSI_HEADER_BYTES + 2 * BINS, '127.0.0.1:5005');
  }
  mkdirSync(dirname(path), { recursive: true });
  const header = encodeHeader({ format: 'adr018', origin: 'replay', note: 'made up' });
  writeFileSync(path, Buffer.concat([header, encodeRecords(builder.take())]));
}

/** Falls are one short burst; those who walk swing for seconds. */
function recordings(folder: string): string {
  for (let i = 1; i <= 4; i++)
    record(join(folder, 'fall', `p${i % 2}-${i}.csi`), i, (s) => (s > 5 && s < 6 ? 30 : 0));
  for (let i = 1; i <= 8; i++)
    record(join(folder, 'walk', `p${i % 2}-${i}.csi`), 9 + i, (s) => (s > 2 && s < 10 ? 12 : 0));
  return folder;
}

async function options(folder: string, printed: string[] = []): Promise<OwnOptions> {
  const { topology } = loadTopology(packageFile('topologies/demo.yaml'), await registryWith([]), {
    env: {},
    standIn: 'unset',
  });
  return {
    topology: recordedIn(topology!),
    recordings: join(folder, 'set'),
    out: join(folder, 'models', 'mine.json'),
    cache: join(folder, 'cache'),
    seed: 1,
    patience: 0,
    settings: { ...SETTINGS, nets: 1, steps: 20, positives: 20, negatives: 40 },
    print: (line) => printed.push(line),
  };
}

describe('weights trained on own recordings', () => {
  test('are reported on people held out, resume where they stopped, and judge a topology', async () => {
    const folder = temporaryFolder();
    recordings(join(folder, 'set'));
    const first = await options(folder);
    const { sha256, threshold, version } = await trainOwn(first);
    expect(readFileSync(join(folder, 'models', 'mine.md'), 'utf8')).toMatch(/Each of 2 people was held out/);

    const [some] = readdirSync(first.cache!);
    rmSync(join(first.cache!, some!));
    const printed: string[] = [];
    const again = await trainOwn(await options(folder, printed));
    expect(printed).toContain(`11 recordings are in ${first.cache!}`);
    expect(printed).toContain('without 1 of 2: net 1 of 1 is trained');
    expect(printed).toContain('on all recordings: net 1 of 1 is trained');
    expect(again.sha256).toBe(sha256);

    const judge = judgeOf({ method: 'nets', warn: false, weights: 'models/mine.json' }, folder);
    expect(judge).toMatchObject({ threshold, model: { name: 'mine', version, accuracy: 'mine.md' } });
    expect(judge.model!.trainedOn).toContain('own recordings (set)');
  }, 60_000);

  test('need a folder of falls, enough recordings, and ones that can be read', async () => {
    const folder = temporaryFolder();
    const own = await options(folder);
    await expect(trainOwn(own)).rejects.toThrow('must have one folder for each activity');
    recordings(own.recordings);
    writeFileSync(join(own.recordings, 'walk', 'p1-9.csi'), 'no recording');
    await expect(trainOwn(own)).rejects.toThrow(/p1-9\.csi cannot be read: /);
    rmSync(join(own.recordings, 'fall', 'p1-1.csi'));
    await expect(trainOwn(own)).rejects.toThrow(
      'has 3 recordings of falls and 9 others: record at least 4 and 8',
    );
    expect(existsSync(own.out)).toBe(false);
  });

  test('need recordings that say whom they are of, and weights that their report does not overwrite', async () => {
    const folder = temporaryFolder();
    const own = await options(folder);
    recordings(own.recordings);
    await expect(trainOwn({ ...own, out: join(folder, 'mine.md') })).rejects.toThrow(
      'mine.md: its report would overwrite the weights',
    );
    writeFileSync(join(own.recordings, 'walk', '.DS_Store'), '');
    expect(listOwn(own.recordings)).toHaveLength(12);
    symlinkSync(join(own.recordings, 'fall', 'p1-1.csi'), join(own.recordings, 'fall', 'p1-9.csi'));
    symlinkSync(join(own.recordings, 'walk'), join(own.recordings, 'stroll'));
    const linked = listOwn(own.recordings).map(({ path }) => path);
    expect(linked).toContain(join(own.recordings, 'fall', 'p1-9.csi'));
    expect(linked).toContain(join(own.recordings, 'stroll', 'p1-1.csi'));
    rmSync(join(own.recordings, 'stroll'));
    symlinkSync('nowhere', join(own.recordings, 'fall', 'p1-8.csi'));
    expect(() => listOwn(own.recordings)).toThrow('p1-8.csi is a link to nothing');
    rmSync(join(own.recordings, 'fall', 'p1-8.csi'));
    writeFileSync(join(own.recordings, 'walk', 'evening.csi'), '');
    expect(() => listOwn(own.recordings)).toThrow(
      /walk\/evening\.csi does not say who it is of: name it PERSON-NUMBER\.ENDING/,
    );
  });
});

test('the threshold of own weights lies halfway between other recordings and the next fall', () => {
  const others = [-3, -1, -2, 0.5];
  expect(thresholdFor(others, [2.5, 4, -5])).toBeCloseTo(1.5, 2);
  expect(thresholdFor(others, [-5, 0.2])).toBeCloseTo(0.5, 2);
  const many = Array.from({ length: 20 }, (_, i) => i);
  expect(thresholdFor(many, [18.5, 30])).toBeCloseTo(18.25, 2);
});

describe('a file of weights', () => {
  const use = (weights: unknown) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'own.json'), typeof weights === 'string' ? weights : JSON.stringify(weights));
    return () => judgeOf({ method: 'nets', warn: false, weights: 'own.json' }, folder);
  };
  const shipped: FallWeights = readWeights();

  test.each<[string, unknown, RegExp]>([
    ['that is no JSON', '{', /own\.json cannot be read: /],
    ['of something else', { nets: [] }, /own\.json holds no weights of detect-falls/],
    ['with other features', { ...shipped, features: ['speed'] }, /reads other features/],
    ['with a missing number', { ...shipped, mean: shipped.mean.slice(1) }, /is damaged: numbers are missing/],
    ['without a threshold', { ...shipped, threshold: null }, /`threshold` is not a number/],
    ['without a name', { ...shipped, name: undefined }, /does not say what it was trained on/],
    ['of several links with other lags', { lagsMs: [5], nets: [] }, /own\.json belongs to another network/],
  ])('%s is rejected by name', (_, weights, message) => {
    expect(use(weights)).toThrow(message);
  });

  test('of several links replaces only those', () => {
    const several = JSON.parse(
      readFileSync(packageFile('operators/detect-falls/weights/falls-several.json'), 'utf8'),
    ) as object;
    const judge = use({ ...several, name: 'ours', version: '7' })();
    expect(judge).toMatchObject({ threshold: shipped.threshold, model: { name: 'ours', version: '7' } });
  });
});
