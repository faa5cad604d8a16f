import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { pickledTexts } from '../../bench/suite/pickled.js';
import { listClips, readAmplitudes } from '../../bench/suite/recordings.js';
import { madeFolder, makeAmplitudes } from './made-data.js';

const folder = madeFolder();
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** An array of `['up', 'down', 'up']` as written by Python with protocol 3. */
const pickle = Buffer.from(
  '800363610a620a710028580200000075707101580400000064 6f776e710268 0165 2e'.replaceAll(' ', ''),
  'hex',
);
const npy = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1'), content]);

it('reads labels of Python strings, and references between them', () => {
  expect(pickledTexts(npy(pickle), (text) => /up|down/.test(text))).toEqual(['up', 'down', 'up']);
  expect(() => pickledTexts(npy(pickle.subarray(0, -1)), () => true)).toThrow(/cut off/);
});

it('takes the same share of each person and activity', () => {
  makeAmplitudes(folder, 4);
  const clips = listClips(join(folder, 'labelled/falls-rpi4-amplitude'), ['bend', 'walk'], 0.5);
  expect(clips.map(({ person, activity }) => `${person} ${activity}`).sort()).toEqual(
    ['u1 bend', 'u1 walk', 'u2 bend', 'u2 walk'].flatMap((one) => [one, one]),
  );
});

it('names the line of invalid amplitudes', () => {
  const path = join(folder, 'u1-1.csv.gz');
  const line = Array.from({ length: 52 }, () => '1').join(',');
  writeFileSync(path, gzipSync(`${line}\n${line.replace('1', 'x')}\n`));
  expect(() => readAmplitudes(path)).toThrow(/u1-1\.csv\.gz:2: 52 values, not 52 numbers/);
});
