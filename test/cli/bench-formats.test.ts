import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { formatSpeeds, madeSpeeds } from '../../bench/speed/formats.js';
import { FORMATS } from '../../pipeline/formats/index.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { pcapOf } from '../formats/pcap-files.js';
import { SAMPLES } from '../formats/samples.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-bench-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each(SAMPLES.filter(({ kind }) => kind !== null))(
  'frames of $format are counted and timed',
  (sample) => {
    const file = join(folder, `${sample.format}.gz`);
    writeFileSync(file, gzipSync(Buffer.concat(sample.records.map((record) => Buffer.from(record)))));
    const [speed] = formatSpeeds([file], null, 0.001);
    expect(speed).toMatchObject({ file: `${sample.format}.gz`, format: sample.format, csiread: null });
    expect(speed!.frames).toBeGreaterThanOrEqual(sample.records.length);
    expect(speed!.perSecond).toBeGreaterThan(0);
  },
);

test('a recording of several pieces is read to its end', () => {
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 1);
  const records = Array.from({ length: 600 }, (_, sequence) =>
    encodeNexmon({ mac, sequence, rssi: -50, chanspec: 0xe02a, bins: 256 }, []),
  );
  const file = join(folder, 'long.pcap');
  writeFileSync(file, pcapOf(records));
  expect(formatSpeeds([file], null, 0.001)).toMatchObject([{ format: 'nexmon', frames: 600 }]);
});

test('made-up records of each format are decoded, to the last frame', () => {
  const made = madeSpeeds(0.001, 20);
  for (const { format, frames } of made) expect([format, frames]).toEqual([format, 20]);
  const variants = FORMATS.filter(({ variantOf }) => variantOf !== undefined).map(({ name }) => name);
  const missing = FORMATS.map(({ name }) => name).filter(
    (name) => !variants.includes(name) && !made.some(({ format }) => format === name),
  );
  // Its encoder is for tests only.
  expect(missing).toEqual(['picoscenes']);
});

test('what is measured next is reported', () => {
  const { records } = SAMPLES.find(({ format }) => format === 'esp-csi')!;
  const file = join(folder, 'ward.log');
  writeFileSync(file, Buffer.concat(records.map((record) => Buffer.from(record))));
  const reported: string[] = [];
  const progress = (line: string) => reported.push(line);
  formatSpeeds([file], null, 0.001, progress);
  const made = madeSpeeds(0.001, 20, progress);
  expect(reported.slice(0, 2)).toEqual([
    'ward.log, recording 1 of 1',
    `${made[0]!.format}, format 1 of ${made.length}`,
  ]);
  expect(reported).toHaveLength(1 + made.length);
});

test('rejects a file of no known kind', () => {
  const file = join(folder, 'letter.txt');
  writeFileSync(file, 'Dear all');
  expect(() => formatSpeeds([file], null, 0.001)).toThrow(/of no kind that csiflow reads/);
});

test('rejects a table', () => {
  const file = join(folder, 'amplitudes.npy');
  writeFileSync(file, Buffer.from('\x93NUMPY', 'latin1'));
  expect(() => formatSpeeds([file], null, 0.001)).toThrow(/it is a table \(npy\); only recordings/);
});

test('a Python without csiread is named', () => {
  const file = join(folder, 'atheros');
  const { records } = SAMPLES.find(({ format }) => format === 'atheros')!;
  writeFileSync(file, Buffer.concat(records.map((record) => Buffer.from(record))));
  expect(() => formatSpeeds([file], 'no-python-9', 0.001)).toThrow(
    /no-python-9 cannot read .*atheros by csiread/,
  );
});
