import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFeitcsi, feitcsiFile } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { picoscenesFile } from '../../pipeline/formats/devices/picoscenes/picoscenes.js';
import type { FileFormat } from '../../pipeline/formats/index.js';
import { cutAll } from './cut.js';
import { encodePicoscenes } from './picoscenes-encode.js';

const COUNT = 60;
const PER_MICROSECOND = 320;

/** A file whose records carry a clock: one record of the time in microseconds, and where its stamp is. */
interface Clocked {
  readonly kind: FileFormat;
  readonly record: (micros: number) => Uint8Array;
  /** First byte of the stamp in a record, and its bits. */
  readonly at: number;
  readonly bits: number;
  /** Steps between records, microseconds; and the records after which a stamp that is a little too high has no effect. */
  readonly steps: readonly [number, number];
  readonly settled: number;
}

/** The card's clock, which wraps: no wrong stamp has an effect, however irregular the records are. */
const CARD = { bits: 32, steps: [500, 40_000], settled: 1 } as const;

const ticksOf = (micros: number): number => (micros * PER_MICROSECOND) % 2 ** 32;
const feit = (micros: number): Buffer => {
  const frame = { rx: 1, tx: 1, tones: 52, rssi: -40, mac: new Uint8Array(6), rate: 0x100 };
  return Buffer.from(encodeFeitcsi({ ...frame, ticks: ticksOf(micros) }, new Uint8Array(104)));
};
const pico = (micros: number, hostTime: number): Uint8Array =>
  encodePicoscenes(
    {
      ...{ device: 0x2000, hostTime, clock: micros, packetFormat: 0, bandwidthMhz: 20, mhz: 5180, tones: 52 },
      ...{ rx: 1, tx: 1, rssi: -40, noise: -90, gain: 0, transmitter: new Uint8Array(6) },
      ticks: ticksOf(micros),
    },
    new Uint8Array(4 * 52),
  );
const NOW = 1.76e15;

/** A tick of the card is 3.125 ns: sums of them differ in their last bits. */
const nanoseconds = (records: readonly { readonly time: number }[], since = 0): number[] =>
  records.map(({ time }) => Math.round((time - since) * 1000));

const FILES: readonly (readonly [string, Clocked])[] = [
  ['a FeitCSI file', { kind: feitcsiFile, record: feit, at: 8, ...CARD }],
  [
    'a FeitCSI file with times of the host',
    {
      kind: feitcsiFile,
      record: (micros) => {
        const record = feit(micros);
        record.writeBigUInt64LE(BigInt(NOW + micros), 12);
        return record;
      },
      ...{ at: 12, bits: 64, steps: [8000, 14_000], settled: 5 },
    },
  ],
  [
    'a PicoScenes file of an AX200',
    {
      kind: picoscenesFile,
      record: (micros) => pico(micros, 0),
      at: Buffer.from(pico(0, 0)).indexOf('MVMExtra') + 'MVMExtra'.length + 2 + 2 + 8,
      ...CARD,
    },
  ],
];

/** Times of records some milliseconds apart; the clock wraps after 13.4 s, within the first ones. */
const anyTimes = ([min, max]: readonly [number, number]) =>
  fc.array(fc.integer({ min, max }), { minLength: COUNT, maxLength: COUNT }).map((steps) => {
    let micros = 13_000_000;
    return steps.map((step) => (micros += step));
  });

describe.each(FILES)('%s', (_, { kind, record, at, bits, steps, settled }) => {
  it('keeps the times of later records with any bit of one stamp flipped, in pieces of any size', () => {
    fc.assert(
      fc.property(
        anyTimes(steps),
        fc.nat(COUNT - settled - 3),
        fc.nat(bits - 1),
        fc.integer({ min: 400, max: 9000 }),
        (times, which, bit, piece) => {
          const records = times.map((micros) => Buffer.from(record(micros)));
          const good = cutAll(Buffer.concat(records), piece, kind)!;
          expect(good.problems).toEqual([]);
          expect(nanoseconds(good.records, good.records[0]!.time)).toEqual(
            times.map((micros) => 1000 * (micros - times[0]!)),
          );
          records[which]![at + (bit >> 3)]! ^= 1 << (bit & 7);
          const bytes = Buffer.concat(records);
          const cut = cutAll(bytes, piece, kind)!;
          expect(cut).toEqual(cutAll(bytes, bytes.length, kind));
          const later = COUNT - which - 1 - settled;
          const timesOf = (all: typeof good) => nanoseconds(all.records).slice(-later);
          expect(timesOf(cut)).toEqual(timesOf(good));
          // What is missing was reported.
          expect(cut.problems).toHaveLength(COUNT - cut.records.length);
          // A time of day far below all others, among the first two records, is doubted only by three later ones.
          expect(cut.records.length).toBeGreaterThanOrEqual(COUNT - (bits === 64 ? 3 : 1));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('names and skips a stamp that does not fit the records around it', () => {
    const times = Array.from({ length: COUNT }, (__, i) => 13_200_000 + 10_000 * i);
    const records = times.map((micros) => Buffer.from(record(micros)));
    records[30]![at + 3]! ^= 0x40;
    const { problems } = cutAll(Buffer.concat(records), 4096, kind)!;
    const where = `byte ${30 * records[0]!.length}`;
    expect(problems).toMatchObject([{ code: expect.stringMatching(/stray$/) as string, location: where }]);
  });
});
