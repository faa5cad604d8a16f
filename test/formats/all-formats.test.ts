import { describe, expect, it } from 'vitest';
import { FILE_FORMATS, FORMATS, recogniseFile, recogniseRecord } from '../../pipeline/formats/index.js';
import { cutAll } from './cut.js';
import { checkDamage, checkRecovery } from './damaged.js';
import { checkLocations } from './locations.js';
import { FILES, SAMPLES } from './samples.js';

describe.each(SAMPLES)('$format', (sample) => {
  it('is recognised by its records and its files', () => {
    const file = Buffer.concat(sample.records);
    if (sample.kind !== null) expect(recogniseFile(file)?.name).toBe(sample.kind);
    const records = sample.kind === null ? sample.records : cutAll(file)!.records.map(({ bytes }) => bytes);
    expect(records).toHaveLength(sample.records.length);
    for (const record of records) expect(recogniseRecord(Uint8Array.from(record))?.name).toBe(sample.format);
  });

  it('is read alike in the middle of a larger buffer, as the system provides records', () => {
    const [record] =
      sample.kind === null ? sample.records : [cutAll(Buffer.concat(sample.records))!.records[0]!.bytes];
    const larger = Buffer.alloc(record.length + 16, 0x55);
    larger.set(record, 8);
    expect(recogniseRecord(larger.subarray(8, 8 + record.length))?.name).toBe(sample.format);
  });

  it('survives damage: nothing crashes, hangs or grows, and problems name the position', () => {
    checkDamage(sample, 25);
  });
});

it.each([...FORMATS, ...FILE_FORMATS])('$name recognises nothing in empty input', ({ recognise }) => {
  expect(recognise(new Uint8Array(0))).toBe(false);
});

it.each(FILES)('a file of $kind survives damage', (sample) => {
  checkDamage(sample, 25);
});

it.each([...SAMPLES, ...FILES].filter(({ kind }) => kind !== null))(
  'a file of $kind is read on after garbage',
  (sample) => {
    checkRecovery(sample);
  },
);

it.each([...SAMPLES, ...FILES].filter(({ kind }) => kind !== null))(
  'a damaged record of $kind is reported with its place in the file',
  (sample) => {
    checkLocations(sample);
  },
);
