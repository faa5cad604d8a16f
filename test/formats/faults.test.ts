import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lookIntoFile } from '../../api/cli/recordings/look.js';
import { summaryText } from '../../api/cli/recordings/summary-text.js';
import { recordLocation, sliceRaw, type RawBatch } from '../../pipeline/component/index.js';
import { FORMATS, formatNamed } from '../../pipeline/formats/index.js';
import { Faults } from '../../pipeline/formats/decoder/faults.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { decodeRaw, encodeRaw } from '../../pipeline/state/raw-codec.js';
import { testContext } from '../support/context.js';
import { batchOf } from './batches.js';
import { SAMPLES } from './samples.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-faults-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const lines = SAMPLES.find(({ kind }) => kind === 'esp-csi-log')!.records.map((line) =>
  Buffer.from(line).toString(),
);
/** A log whose lines 3, 5, 6 and 9 are damaged, for three causes. */
const damagedLog = (): string => {
  const path = join(folder, 'evening.log');
  const bad = lines
    .with(2, lines[2]!.replace(',-40,', ',low,'))
    .with(4, lines[4]!.replace(']', ''))
    .with(5, lines[5]!.replace(']', ''))
    .with(8, lines[8]!.replace('1a:00', '1a-00'));
  writeFileSync(path, bad.join(''));
  return path;
};

test('a decoder names file, line and byte of each fault, and its cause', async () => {
  const path = damagedLog();
  const recording = await openRecording(path);
  const decoder = formatNamed('esp-csi').decoder(testContext().context);
  const reasons: string[] = [];
  for await (const { raw } of recording.batches(5))
    reasons.push(...(decoder.decode(raw).failed ?? []).map(({ reason }) => reason));
  const start = (line: number) => lines.slice(0, line - 1).join('').length;
  expect(reasons).toEqual([
    `${path}: line 3 (byte ${start(3)}): a record of ${lines[2]!.length - 1} bytes is not a measurement of the format esp-csi: its rssi is not a whole number`,
    expect.stringContaining(`${path}: line 5 (byte `),
    expect.stringContaining(`${path}: line 6 (byte `),
    expect.stringContaining(`${path}: line 9 (byte `),
  ]);
  expect(decoder.describe()['faults']).toMatchObject([
    { fault: 'value', count: 1, reason: 'its rssi is not a whole number' },
    { fault: 'truncated', count: 2, reason: 'its data has no closing bracket' },
    { fault: 'value', count: 1, reason: 'its mac is not an address' },
  ]);
});

test('`csiflow inspect` shows each cause with its count and its first and last place', async () => {
  const path = damagedLog();
  const { summary } = await lookIntoFile(path, { kind: 'auto', format: 'auto' });
  const text = summaryText('evening.log', 'esp-csi-log', summary);
  expect(text).toContain('malformed: value 2, truncated 2');
  expect(text).toMatch(/ {2}value: 1 record at \S+evening\.log: line 3 \(byte \d+\): its rssi is not a/);
  expect(text).toMatch(
    / {2}truncated: 2 records from \S+evening\.log: line 5 \(byte \d+\), the last at line 6 \(byte \d+\): its data has no closing bracket/,
  );
  expect(text).toMatch(/ {2}value: 1 record at \S+evening\.log: line 9 \(byte \d+\): its mac is not an/);
});

const placed = (count: number): RawBatch => ({
  ...batchOf(...Array.from({ length: count }, (_, i) => ({ bytes: Uint8Array.of(i) }))),
  locations: {
    ...{ input: 'a.pcap', unit: 'packet' },
    number: Float64Array.from({ length: count }, (_, i) => i + 1),
    byte: Float64Array.from({ length: count }, (_, i) => 24 + 100 * i),
  },
});

test('locations survive the journal, and a part of a batch keeps its own', () => {
  const raw = placed(5);
  expect(decodeRaw(encodeRaw(raw, 7))).toEqual({ ...raw, bytes: Buffer.from(raw.bytes) });
  expect(recordLocation(decodeRaw(encodeRaw(sliceRaw(raw, 2, 4))), 1)).toBe('a.pcap: packet 4 (byte 324)');
  const bare = batchOf(...Array.from({ length: 5 }, (_, i) => ({ bytes: Uint8Array.of(i) })));
  expect(decodeRaw(encodeRaw(bare, 7))).toEqual({ ...bare, bytes: Buffer.from(raw.bytes) });
  expect(recordLocation(bare, 0)).toBe('');
});

test('records of several formats keep their locations', () => {
  const bytes = [0, 1].flatMap((i) => [Buffer.from(lines[i]!.trimEnd()), Uint8Array.of(1, 2, 3)]);
  const raw = {
    ...placed(4),
    ...batchOf(...bytes.map((one) => ({ bytes: one }))),
    locations: placed(4).locations!,
  };
  const other = SAMPLES.find(({ format }) => format === 'feitcsi')!.records[0]!;
  const decoder = formatNamed('auto').decoder(testContext().context);
  decoder.decode(batchOf({ bytes: other }, { bytes: bytes[0]! }));
  const { failed = [] } = decoder.decode(raw);
  expect(failed.map(({ reason }) => reason.split(': a record')[0])).toEqual([
    'a.pcap: packet 2 (byte 124)',
    'a.pcap: packet 4 (byte 324)',
  ]);
});

test('causes are bounded, and those beyond count as the first of their fault', () => {
  const faults = new Faults(testContext().context.metrics);
  const failed: never[] = [];
  for (let i = 0; i < 1000; i++) {
    const word = String.fromCharCode(97 + (i % 26), 97 + ((i / 26) | 0));
    faults.refuse(placed(1), 0, { fault: 'value', reason: `${word} is no number` }, 'a frame', failed);
  }
  expect(faults.causes).toHaveLength(8);
  expect(faults.causes.reduce((sum, { count }) => sum + count, 0)).toBe(1000);
  expect(failed.length).toBeLessThan(20);
  const again = new Faults(testContext().context.metrics);
  again.restore(structuredClone(faults.snapshot()));
  expect(again.snapshot()).toEqual(faults.snapshot());
});

test.each(FORMATS)('a fault of $name says what it is not, in English', ({ name, decoder }) => {
  const { failed = [] } = decoder(testContext().context).decode(batchOf({ bytes: Uint8Array.of(1) }));
  for (const { reason } of failed)
    expect(reason, name).toMatch(/ is not (a measurement of the format |an ADR)/);
});
