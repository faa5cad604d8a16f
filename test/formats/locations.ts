import { expect } from 'vitest';
import { FILE_FORMATS, formatNamed } from '../../pipeline/formats/index.js';
import { LinkTable } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { cutBatches } from './cut.js';
import type { Sample } from './samples.js';

/** A fault as the decoder or the cutter of a file names it: `line 7 (byte 1200)`. */
interface Report {
  readonly location: string;
  readonly reason: string;
}

/** Everything that is wrong with a file, as its reader and its decoder say. */
function reportsOf(
  { format, kind }: Sample,
  bytes: Uint8Array,
): { reports: readonly Report[]; frames: number } {
  const file = FILE_FORMATS.find(({ name }) => name === kind)!;
  const { batches, problems } = cutBatches(bytes, 1000, file, 'room.log');
  const decoder = formatNamed(format).decoder(testContext({ links: new LinkTable([anySender]) }).context);
  const reports: Report[] = problems.map(({ location, message }) => ({ location, reason: message }));
  let frames = 0;
  for (const raw of batches) {
    const { data, failed = [] } = decoder.decode(raw);
    for (const one of data) if (one.port === 'csi') frames += one.count;
    for (const { reason } of failed) {
      const [, location, rest] =
        /^room\.log: ((?:line \d+|packet \d+|byte \d+)(?: \(byte \d+\))?): (.+)$/s.exec(reason) ?? [
          '',
          '',
          `without a location: ${reason}`,
        ];
      reports.push({ location: location, reason: rest });
    }
  }
  return { reports, frames };
}

const byteIn = (location: string): number => Number(/byte (\d+)/.exec(location)?.[1] ?? NaN);
const numberIn = (location: string): number => Number(/^(?:line|packet) (\d+)/.exec(location)?.[1] ?? NaN);

/** How a record is damaged: each gives a copy of its bytes. */
const DAMAGES: readonly ((record: Uint8Array) => Uint8Array)[] = [
  (record) => record.map((byte, i) => (i === record.length >> 1 ? byte ^ 0x40 : byte)),
  (record) => record.map((byte, i) => (i > 2 && i < record.length - 1 && i % 7 === 0 ? byte ^ 0x15 : byte)),
  (record) => Buffer.concat([record.subarray(0, record.length >> 1), record.subarray(record.length - 1)]),
  (record) => record.subarray(0, record.length - 9),
];

/**
 * The record in the middle of a file is damaged in several ways. All that its reader and decoder report is
 * about this record, or the next one if the damage extends to it; the others are read.
 */
export function checkLocations(sample: Sample): void {
  const { records } = sample;
  const middle = records.length >> 1;
  const start = records.slice(0, middle).reduce((sum, { length }) => sum + length, 0);
  const whole = reportsOf(sample, Buffer.concat(records));
  expect(whole.reports).toEqual([]);
  let named = 0;
  for (const damage of DAMAGES) {
    const record = damage(records[middle]!);
    const { reports, frames } = reportsOf(sample, Buffer.concat(records.with(middle, record)));
    for (const { location, reason } of reports) {
      expect(byteIn(location), reason).toBeGreaterThanOrEqual(start);
      expect(byteIn(location), reason).toBeLessThanOrEqual(start + records[middle]!.length);
      if (/^(line|packet)/.test(location))
        expect([middle + 1, middle + 2], reason).toContain(numberIn(location));
    }
    named += reports.length;
    expect(frames).toBeGreaterThanOrEqual((whole.frames / records.length) * (records.length - 2));
  }
  expect(named).toBeGreaterThan(0);
}
