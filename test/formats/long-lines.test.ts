import { expect, it } from 'vitest';
import { cutAll } from './cut.js';
import { FILES } from './samples.js';

const VALUES = Array.from({ length: 128 }, (_, i) => i - 60).join();
const line = (index: number): string =>
  `CSI_DATA,${index},1a:00:00:00:00:00,-45,11,1,0,0,1,1,0,0,0,0,-93,0,11,0,${index * 10_000},0,67,0,128,0,"[${VALUES}]"`;
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `${line(from + i)}\n`).join('');

it.each([65_536, 3_000_000])(
  'a log is read on after a line of two megabytes, which is named once (pieces of %i bytes)',
  (piece) => {
    const before = lines(0, 5);
    const log = Buffer.from(`${before}${'\0'.repeat(2_200_000)}\n${lines(5, 10)}`);
    const { records, problems } = cutAll(log, piece)!;
    expect(records.map(({ time }) => time / 10_000)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const isSeen = piece < 2_200_000;
    expect(problems).toMatchObject(
      isSeen ? [{ code: 'esp-csi.line', location: `line 6 (byte ${before.length})` }] : [],
    );
  },
);

it('a long line without an end is named, and all before it is read', () => {
  const { records, problems } = cutAll(Buffer.from(`${lines(0, 5)}${'x'.repeat(2_200_000)}`), 65_536)!;
  expect(records).toHaveLength(5);
  expect(problems).toMatchObject([{ code: 'esp-csi.line' }]);
});

it('a recording of ADR-018 in JSON is read on after a long line, which is named once', () => {
  const rows = FILES.find(({ kind }) => kind === 'adr018-jsonl')!.records;
  const before = Buffer.concat(rows.slice(0, 3));
  const long = Buffer.from(`${'x'.repeat(2_200_000)}\n`);
  const file = Buffer.concat([before, long, ...rows.slice(3)]);
  const { records, problems } = cutAll(file, 65_536)!;
  expect(records).toHaveLength(rows.length);
  expect(problems).toMatchObject([{ code: 'jsonl.line', location: `line 4 (byte ${before.length})` }]);
});
