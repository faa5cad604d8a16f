import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { formatSpeeds, FULL, madeSpeeds } from '../../bench/speed/formats.js';
import { stepCosts } from '../../bench/speed/cleaning-steps.js';
import { denoise } from '../../operators/denoise/denoise.js';
import { FORMATS } from '../../pipeline/formats/index.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { pcapOf } from '../formats/pcap-files.js';
import { csiflow } from '../support/csiflow.js';
import { SAMPLES } from '../formats/samples.js';

const SHORT = { long: 0.001, pairs: 2, records: 20 };

const folder = mkdtempSync(join(tmpdir(), 'csiflow-bench-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each(SAMPLES.filter(({ kind }) => kind !== null))(
  'frames of $format are counted and timed',
  (sample) => {
    const file = join(folder, `${sample.format}.gz`);
    writeFileSync(file, gzipSync(Buffer.concat(sample.records.map((record) => Buffer.from(record)))));
    const [speed] = formatSpeeds([file], null, SHORT);
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
  expect(formatSpeeds([file], null, SHORT)).toMatchObject([{ format: 'nexmon', frames: 600 }]);
});

test('made-up records of each format are decoded, to the last frame', () => {
  const made = madeSpeeds(SHORT);
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
  formatSpeeds([file], null, SHORT, progress);
  const made = madeSpeeds(SHORT, progress);
  expect(reported.slice(0, 2)).toEqual([
    'ward.log, recording 1 of 1',
    `${made[0]!.format}, format 1 of ${made.length}`,
  ]);
  expect(reported).toHaveLength(1 + made.length);
});

test('rejects a file of no known kind', () => {
  const file = join(folder, 'letter.txt');
  writeFileSync(file, 'Dear all');
  expect(() => formatSpeeds([file], null, SHORT)).toThrow(/of no kind that csiflow reads/);
});

test('rejects a table', () => {
  const file = join(folder, 'amplitudes.npy');
  writeFileSync(file, Buffer.from('\x93NUMPY', 'latin1'));
  expect(() => formatSpeeds([file], null, SHORT)).toThrow(/it is a table \(npy\); only recordings/);
});

test('a Python without csiread is named', () => {
  const file = join(folder, 'atheros');
  const { records } = SAMPLES.find(({ format }) => format === 'atheros')!;
  writeFileSync(file, Buffer.concat(records.map((record) => Buffer.from(record))));
  expect(() => formatSpeeds([file], 'no-python-9', SHORT)).toThrow(
    /no-python-9 cannot read .*atheros by csiread/,
  );
});

test('a cleaning step has its spread and a control, of the frames that fit in its time', () => {
  const said: string[] = [];
  const steps = [{ component: denoise, settings: { method: 'hampel' } }];
  const [cost] = stepCosts(SHORT, (line) => said.push(line), steps);
  expect(said).toEqual(['denoise hampel, cleaning step 1 of 1']);
  const { step, frames, nsPerFrame, fastest, slowest, control } = cost!;
  expect(step).toBe('denoise hampel');
  expect(frames % 64).toBe(0);
  expect(frames).toBeGreaterThan(0);
  expect(fastest).toBeLessThanOrEqual(nsPerFrame);
  expect(nsPerFrame).toBeLessThanOrEqual(slowest);
  expect(control).toBeGreaterThan(-1);
});

test('a slow step takes fewer frames, not more time', () => {
  const used: number[] = [];
  let user = 0;
  const clock = vi.spyOn(process, 'cpuUsage').mockImplementation((before) => ({
    user: user - (before?.user ?? 0),
    system: 0,
  }));
  onTestFinished(() => {
    clock.mockRestore();
  });
  const stepOf = (microseconds: number) => {
    const process = () => {
      user += 64 * microseconds;
      return { data: [] };
    };
    return { component: { ...denoise, create: () => ({ process }) } as never };
  };
  const costs = [2, 2000].map((microseconds) => {
    const began = user;
    const [cost] = stepCosts(FULL, undefined, [stepOf(microseconds)]);
    used.push((user - began) / 1e6);
    return cost!;
  });
  expect(costs.map(({ nsPerFrame }) => Math.round(nsPerFrame))).toEqual([2000, 2_000_000]);
  expect(costs.map(({ frames }) => frames)).toEqual([49_984, 64]);
  expect(Math.max(...used)).toBeLessThan(3);
});

test('cleaning steps read no recordings', async () => {
  const { code, err } = await csiflow('bench', 'formats', 'ward.dat', '--only', 'clean');
  expect(err).toContain('error: --only clean measures made-up frames: leave out the recordings');
  expect(code).toBe(2);
});
