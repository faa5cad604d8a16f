import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Decoder } from '../../pipeline/formats/index.js';
import { formatNamed, recogniseRecord } from '../../pipeline/formats/index.js';
import { encodeNexmon } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchesOf, type TestRecord } from './batches.js';

const MAC = Uint8Array.of(0x98, 0xde, 0xd0, 0x48, 0x92, 0x66);
const OTHER = Uint8Array.of(0x98, 0xde, 0xd0, 0x48, 0x92, 0x67);

/** One core and stream of a measurement; all of its values are equal and identify it. */
const datagram = (sequence: number, core: number, stream: number, mac = MAC): Uint8Array =>
  encodeNexmon(
    { mac, sequence, rssi: -50, core: core + 8 * stream, chanspec: 0x1006, bins: 64 },
    new Array<number>(110).fill(valueOf(sequence, core, stream)),
  );

const valueOf = (sequence: number, core: number, stream: number): number =>
  100 * sequence + 10 * core + stream + 1;

const decoderOf = (cores: number, streams: number): Decoder => {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  return formatNamed('nexmon').decoder({ ...context, options: { nexmon: { cores, streams } } });
};

/** A frame as its time, its number, and the value of each of its rows. */
interface Found {
  readonly time: number;
  readonly sequence: number;
  readonly rows: readonly number[];
}

function framesOf(decoder: Decoder, records: readonly TestRecord[], size = 1): readonly Found[] {
  return batchesOf(records, size)
    .flatMap((batch) => decoder.decode(batch).data as readonly CsiBlock[])
    .flatMap((block) => {
      const { rx, tx, subcarriers } = block.layout;
      const width = 2 * subcarriers.length;
      return Array.from({ length: block.count }, (_, i) => ({
        time: block.time[i]!,
        sequence: block.sequence[i]!,
        rows: Array.from({ length: rx * tx }, (__, row) => {
          const values = block.values.subarray((i * rx * tx + row) * width, (i * rx * tx + row + 1) * width);
          expect(new Set(values).size).toBe(1);
          return values[0]!;
        }),
      }));
    });
}

const PAIRS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
] as const;

const whole = (sequence: number): readonly number[] =>
  PAIRS.map(([core, stream]) => valueOf(sequence, core, stream));

const measurement = (sequence: number, mac = MAC): readonly TestRecord[] =>
  PAIRS.map(([core, stream]) => ({ bytes: datagram(sequence, core, stream, mac) }));

it('datagrams of one number form one frame, in any order, at the time of the last', () => {
  const decoder = decoderOf(2, 2);
  const records = measurement(7).toReversed();
  expect(framesOf(decoder, records.slice(0, 3))).toEqual([]);
  const time = 1e15 + 1_000;
  expect(framesOf(decoder, [{ ...records[3]!, time }])).toEqual([{ time, sequence: 7, rows: whole(7) }]);
  expect(decoder.describe()).toMatchObject({
    antennas: 2,
    any_sender: { '98:de:d0:48:92:66': { frames: 1, layout: expect.stringContaining('/2x2/') as string } },
  });
});

it('datagrams are single rows, unless configured otherwise', () => {
  expect(recogniseRecord(datagram(1, 0, 0))?.name).toBe('nexmon');
  expect(framesOf(decoderOf(1, 1), measurement(1))).toHaveLength(4);
});

it('each measurement has its own rows, and NaN for lost ones, whatever is lost or late', () => {
  const some = fc.record({
    lost: fc.subarray([0, 1, 2, 3], { maxLength: 3 }),
    // At most the time to the next measurement.
    delays: fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 4, maxLength: 4 }),
  });
  const damage = fc.record({ at: fc.nat(100), length: fc.integer({ min: 0, max: 200 }) });
  fc.assert(
    fc.property(
      fc.array(some, { minLength: 3, maxLength: 12 }),
      fc.array(damage, { maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
      (measured, damaged, size) => {
        const arrivals = measured.flatMap(({ lost, delays }, sequence) =>
          PAIRS.map(([core, stream], i) => ({
            i,
            at: 10 * sequence + delays[i]!,
            bytes: datagram(sequence, core, stream),
          })).filter(({ i }) => !lost.includes(i)),
        );
        const cut = damaged.map(({ at, length }) => ({ at, bytes: datagram(3, 1, 1).slice(0, length) }));
        const records = [...arrivals, ...cut]
          .toSorted((a, b) => a.at - b.at)
          .map(({ at, bytes }) => ({ bytes, time: 1e15 + at * 1000 }));
        const end = { bytes: datagram(99, 0, 0), time: 2e15 };
        const found = framesOf(decoderOf(2, 2), [...records, end], size);
        const expected = measured.map(({ lost }, sequence) => ({
          sequence,
          rows: whole(sequence).map((value, i) => (lost.includes(i) ? NaN : value)),
        }));
        const bySequence = found.toSorted((a, b) => a.sequence - b.sequence);
        expect(bySequence.map(({ sequence, rows }) => ({ sequence, rows }))).toEqual(expected);
        expect(found.map(({ time }) => time)).toEqual(
          found.map(({ time }) => time).toSorted((a, b) => a - b),
        );
      },
    ),
    { numRuns: 40 },
  );
});

it('a repeated number is another measurement', () => {
  const found = framesOf(decoderOf(2, 2), [...measurement(5), ...measurement(5)]);
  expect(found.map(({ rows }) => rows)).toEqual([whole(5), whole(5)]);
});

it('a repeated row ends the measurement that has it', () => {
  const [first, second] = measurement(5);
  const found = framesOf(decoderOf(2, 2), [first!, second!, ...measurement(5)]);
  expect(found.map(({ rows }) => rows)).toEqual([[501, 502, NaN, NaN], whole(5)]);
});

it('a damaged number gives a frame of one row, and no other row is lost', () => {
  const records = [
    ...measurement(1),
    ...measurement(2),
    ...measurement(3),
    { bytes: datagram(9, 0, 0), time: 2e15 },
  ];
  const stray = { bytes: datagram(700, 1, 1) };
  const found = framesOf(decoderOf(2, 2), [...records.slice(0, 6), stray, ...records.slice(6)]);
  expect(found.filter(({ rows }) => !rows.some(Number.isNaN)).map(({ sequence }) => sequence)).toEqual([
    1, 2, 3,
  ]);
  expect(found).toHaveLength(4);
});

it('parallel senders do not mix', () => {
  const [mine, theirs] = [measurement(5), measurement(5, OTHER)];
  const decoder = decoderOf(2, 2);
  const found = framesOf(
    decoder,
    mine.flatMap((record, i) => [record, theirs[i]!]),
  );
  expect(found.map(({ rows }) => rows)).toEqual([whole(5), whole(5)]);
  expect(Object.keys(decoder.describe()['any_sender'] as object)).toHaveLength(2);
});

it('rejects a core beyond the matrix, with the setting that accepts it', () => {
  const decoder = decoderOf(2, 1);
  const [batch] = batchesOf([{ bytes: datagram(1, 2, 1) }]);
  expect(decoder.decode(batch!).failed).toMatchObject([
    {
      code: 'decode.antenna',
      reason: expect.stringContaining('`nexmon: { cores: 3, streams: 2 }` accepts it') as string,
    },
  ]);
});

it('packed values of all rows are scaled by one factor', () => {
  const words = [(200 << 14) | 1, 200 << 14].map((word, core) => {
    const bytes = datagram(1, core, 0);
    const view = new DataView(bytes.buffer);
    view.setUint16(16, 3, true);
    for (let bin = 0; bin < 64; bin++) view.setUint32(18 + 4 * bin, word, true);
    return { bytes };
  });
  const [block] = batchesOf(words).flatMap((batch) => decoderOf(2, 1).decode(batch).data) as CsiBlock[];
  expect([block!.values[0], block!.values[110]]).toEqual([1600, 800]);
});

it('a measurement continues after a checkpoint', () => {
  const before = decoderOf(2, 2);
  const records = measurement(5);
  framesOf(before, records.slice(0, 2));
  const after = decoderOf(2, 2);
  after.restore(JSON.parse(JSON.stringify(before.snapshot())));
  expect(framesOf(after, records.slice(2)).map(({ rows }) => rows)).toEqual([whole(5)]);
});

it('bounds what is kept of senders that never finish', () => {
  const decoder = decoderOf(4, 4);
  const records = Array.from({ length: 1000 }, (_, i) => ({
    bytes: datagram(i % 4096, 0, 0, Uint8Array.of(2, 0, 0, 0, i >> 8, i & 255)),
    time: 1e15,
  }));
  expect(framesOf(decoder, records, 1000)).toHaveLength(1000 - 128);
  expect(JSON.stringify(decoder.snapshot()).length).toBeLessThan(262_144);
});
