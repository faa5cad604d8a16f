import { describe, expect, it } from 'vitest';
import { recogniseFile } from '../../pipeline/formats/index.js';
import { cutAll, cutBatches } from './cut.js';
import { recordLocation } from '../../pipeline/component/index.js';
import { SAMPLES } from './samples.js';

const VALUES = Array.from({ length: 128 }, (_, i) => i - 60).join();
const line = (index: number): string =>
  `CSI_DATA,${index},1a:00:00:00:00:00,-45,11,1,0,0,1,1,0,0,0,0,-93,0,11,0,${index * 10_000},0,67,0,128,0,"[${VALUES}]"`;
const LINES = ['I (12) boot: start', line(0), line(1), line(2).slice(0, 80), line(3), line(4)];

describe.each([
  ['line feeds', '\n'],
  ['carriage returns', '\r'],
  ['both', '\r\n'],
])('a log whose lines end with %s', (_, end) => {
  const log = Buffer.from(LINES.join(end) + end);

  it.each([1, 100, 10_000])('is cut into its lines in pieces of %i bytes', (piece) => {
    const format = recogniseFile(log)!;
    expect(format.name).toBe('esp-csi-log');
    const { batches, problems } = cutBatches(log, piece, format, 'a.log');
    const found = batches.flatMap((raw) =>
      Array.from({ length: raw.count }, (_one, i) => [raw.time[i]! / 10_000, recordLocation(raw, i)]),
    );
    const at = (index: number) =>
      `a.log: line ${index + 1} (byte ${LINES.slice(0, index).join(end).length + end.length})`;
    // The damaged line has no time of its own; its decoder reports it.
    expect(found).toEqual([
      [0, at(1)],
      [1, at(2)],
      [1, at(3)],
      [3, at(4)],
      [4, at(5)],
    ]);
    expect(problems).toEqual([]);
  });
});

it.each(SAMPLES.filter(({ kind }) => kind?.endsWith('-log') && !/intel|atheros/.test(kind)))(
  'carriage returns end the lines of $kind too',
  ({ kind, records }) => {
    const text = Buffer.concat(
      records.map((record) => Buffer.from(`${Buffer.from(record).toString('latin1').trimEnd()}\n`)),
    );
    const log = Buffer.from(text.toString('latin1').replaceAll('\n', '\r'), 'latin1');
    expect(recogniseFile(log)?.name).toBe(kind);
    expect(cutAll(log)!.records).toHaveLength(records.length);
  },
);

it('a carriage return among line feeds ends a line, and counts for none', () => {
  const log = Buffer.from(`x\nprogress 1 %\rprogress 2 %\r${line(0)}\r${line(1)}\n${line(2)}\n`);
  const { batches } = cutBatches(log, 50, recogniseFile(log)!, 'a.log');
  expect(
    batches.flatMap((raw) =>
      Array.from({ length: raw.count }, (_, i) => recordLocation(raw, i).slice(0, 13)),
    ),
  ).toEqual(['a.log: line 2', 'a.log: line 2', 'a.log: line 3']);
});
