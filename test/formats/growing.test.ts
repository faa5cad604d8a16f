import { expect, test } from 'vitest';
import { FILE_FORMATS, HEAD_BYTES, RawBuilder } from '../../pipeline/formats/index.js';
import { FILES, SAMPLES, type Sample } from './samples.js';

const kinds = [...SAMPLES, ...FILES].filter(({ kind }) => kind !== null);

/** Number of records that are passed on after each record was written. */
function passedOn({ kind, records }: Sample, isGrowing: boolean): number[] {
  const written = Buffer.concat(records);
  const opened = FILE_FORMATS.find(({ name }) => name === kind)!.open(written.subarray(0, HEAD_BYTES));
  const builder = new RawBuilder(1000, 'live', -Infinity, undefined, isGrowing);
  let [end, offset] = [0, opened.start];
  return records.map((record) => {
    end += record.length;
    offset += opened.cutter.cut(written.subarray(offset, end), builder, offset, false);
    expect(builder.takeProblems()).toEqual([]);
    return builder.count;
  });
}

const oneByOne = (records: readonly unknown[]) => records.map((_, index) => index + 1);

test.each(kinds.map((sample, index) => [`${sample.kind} (${index})`, sample] as const))(
  'a growing file of the kind %s gives each record once it is complete',
  (_, sample) => {
    expect(passedOn(sample, true)).toEqual(oneByOne(sample.records));
  },
);

test('a packet of another kind at the end of a growing pcap file is not taken for damage', () => {
  const { records, kind } = FILES.find(({ kind: name }) => name === 'nexmon-pcap')!;
  // A datagram to another port.
  const other = Buffer.from(records[1]!);
  other.writeUInt16BE(53, PORT_AT);
  const mixed = [records[0]!, other, records[2]!, other, records[3]!];
  expect(passedOn({ format: 'nexmon', kind, records: mixed }, true)).toEqual([1, 1, 2, 2, 3]);
});

/** Offset of the port in a packet: after the headers of the entry, Ethernet, IP, and the sender's port. */
const PORT_AT = 16 + 14 + 20 + 2;
