import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeAtheros } from '../../pipeline/formats/devices/qualcomm/atheros.js';
import { encodeFeitcsi, feitcsiFile } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender, recordingBlocks } from '../support/recordings.js';
import { sharedFile } from '../support/shared.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

function decoded(format: string, bytes: Uint8Array) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const { data, failed } = formatNamed(format).decoder(context).decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock, failed: failed ?? [] };
}

/** Integers of this many bits, different for each seed. */
const numbers = (seed: number, count: number, bits: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => Math.imul(seed + 977 * i + 1, 0x9e3779b1) >> (32 - bits));

const antennas = fc.integer({ min: 1, max: 3 });

it('Atheros: decode(encode(x)) = x in both byte orders', () => {
  fc.assert(
    fc.property(
      fc.record({
        little: fc.boolean(),
        tones: fc.constantFrom(56 as const, 114 as const),
        rx: antennas,
        tx: antennas,
        timestamp: fc.nat(2 ** 40),
        rssi: fc.integer({ min: -94, max: -1 }),
        noise: fc.integer({ min: -128, max: -1 }),
        payload: fc.uint8Array({ maxLength: 20 }),
      }),
      fc.nat(),
      (frame, seed) => {
        const { tones, rx, tx, timestamp } = frame;
        const values = numbers(seed, 2 * tones * rx * tx, 10);
        const { block } = decoded('atheros', encodeAtheros({ ...frame, mhz: 2437 }, values).subarray(2));
        expect([...block.values]).toEqual(values);
        expect(block.layout).toMatchObject({ rx, tx, centreMhz: 2437, bandwidthMhz: tones === 56 ? 20 : 40 });
        expect([block.deviceTime[0], block.rssi[0], block.noise[0]]).toEqual([
          timestamp,
          frame.rssi,
          frame.noise,
        ]);
        expect([block.bits[0], block.antenna.length]).toEqual([10, rx]);
      },
    ),
    { numRuns: 15 },
  );
});

it('FeitCSI: event time is that of the card in a file without host times that begins within a frame', () => {
  const frame = { rx: 1, tx: 1, tones: 56, rssi: -40, mac: Uint8Array.of(2, 0, 0, 0, 0, 1), rate: 2 << 8 };
  const frames = [1, 2, 3].map((i) =>
    encodeFeitcsi({ ...frame, ticks: 3_200_000 * i }, new Array<number>(112).fill(7)),
  );
  // From within the values, which are no times.
  const { records } = cutAll(Buffer.concat(frames).subarray(300), 1000, feitcsiFile)!;
  expect(records.map(({ time }) => time)).toEqual([20_000, 30_000]);
});

it('Atheros: rejects a measurement for which the card reports an error', () => {
  const frame = {
    little: true,
    tones: 56,
    rx: 1,
    tx: 1,
    timestamp: 1,
    mhz: 2437,
    rssi: -40,
    noise: -95,
  } as const;
  const bytes = encodeAtheros(frame, numbers(1, 112, 10)).subarray(2);
  bytes[12] = 5;
  expect(decoded('atheros', bytes).failed).toMatchObject([{ code: 'decode.phy_error' }]);
});

/** Rate, carriers of the frame, outermost one, width. */
const RATES: readonly (readonly [string, number, number, number, number])[] = [
  ['legacy', 0x100, 52, 26, 20],
  ['HT20', 0x200, 56, 28, 20],
  ['HT40', 0xa00, 114, 58, 40],
  ['VHT80', 0x1300, 242, 122, 80],
  ['VHT160', 0x1b00, 484, 250, 160],
  ['HE20', 0x400, 242, 122, 20],
  ['HE40', 0xc00, 484, 244, 40],
  ['HE80', 0x1400, 996, 500, 80],
  ['HE160', 0x1c00, 1992, 1012, 160],
];
const MAC = Uint8Array.of(0, 0x16, 0xea, 0x12, 0x34, 0x56);

describe('FeitCSI', () => {
  it.each(RATES)('%s: decode(encode(x)) = x', (_, rate, tones, outer, width) => {
    for (const [rx, tx] of [
      [1, 1],
      [2, 2],
    ] as const) {
      const values = numbers(tones + rx, 2 * tones * rx * tx, 16);
      const frame = { ticks: 320_000, rx, tx, tones, rssi: -41, mac: MAC, rate };
      const { block } = decoded('feitcsi', encodeFeitcsi(frame, values));
      expect([...block.values]).toEqual(values);
      expect(block.layout).toMatchObject({ rx, tx, bandwidthMhz: width });
      expect([block.layout.subcarriers.length, block.layout.subcarriers.at(-1)]).toEqual([tones, outer]);
      expect([block.deviceTime[0], block.rssi[0], block.bits[0]]).toEqual([1000, -41, 16]);
    }
  });

  it.each([
    [498, 0x1b00, 242, 14],
    [2020, 0x1c00, 996, 28],
  ])('of %i values at 160 MHz drops the excess ones', (tones, rate, gap, count) => {
    const values = numbers(3, 2 * tones, 16);
    const frame = { ticks: 0, rx: 1, tx: 1, tones, rssi: -41, mac: MAC, rate };
    const { block } = decoded('feitcsi', encodeFeitcsi(frame, values));
    expect([...block.values]).toEqual(values.toSpliced(2 * gap, 2 * count));
  });

  it('is read with the real part first on request', () => {
    const frame = { ticks: 0, rx: 1, tx: 1, tones: 56, rssi: -41, mac: MAC, rate: 0x200 };
    const bytes = encodeFeitcsi(frame, numbers(1, 112, 16));
    const [imaginaryFirst, realFirst] = ['feitcsi', 'feitcsi-real-first'].map(
      (name) => decoded(name, bytes).block,
    );
    expect([...realFirst!.values.subarray(0, 2)]).toEqual(
      [...imaginaryFirst!.values.subarray(0, 2)].reverse(),
    );
  });

  it('rejects a number of carriers that its kind of frame does not have', () => {
    const frame = { ticks: 0, rx: 1, tx: 1, tones: 57, rssi: -41, mac: MAC, rate: 0x200 };
    expect(decoded('feitcsi', encodeFeitcsi(frame, numbers(1, 114, 16))).failed).toMatchObject([
      { code: 'decode.carriers' },
    ]);
  });
});

describe.skipIf(sharedFile('captures/feitcsi') === undefined)('public captures', () => {
  it.each([
    ['atheros/ath_csi_1.dat', 'ht-ltf/3x2/20@2437/-28..-1,1..28', 401],
    ['feitcsi/HT20_2452.csi', 'ht-ltf/2x1/20@5320/-28..-1,1..28', 48],
    ['feitcsi/HESU40_5500.csi', 'he-ltf/2x1/40@5320/-244..-3,3..244', 26],
    ['feitcsi/VHT80_5500.csi', 'vht-ltf/2x1/80@5320/-122..-2,2..122', 40],
  ])('%s: every frame', (path, layout, count) => {
    const blocks = recordingBlocks(sharedFile(`captures/${path}`)!, testContext().context);
    expect(blocks.map((block) => [block.layout.key, block.count])).toEqual([[layout, count]]);
  });

  it('the phase of an AX210 falls with the frequency, as for a receiver that samples early', () => {
    const [block] = recordingBlocks(sharedFile('captures/feitcsi/HT20_2452.csi')!, testContext().context);
    const { values, layout } = block!;
    let turn = 0;
    for (let i = 1; i < layout.subcarriers.length; i++) {
      const [a, b, c, d] = [values[2 * i - 2]!, values[2 * i - 1]!, values[2 * i]!, values[2 * i + 1]!];
      turn += Math.sign(Math.atan2(d * a - c * b, c * a + d * b));
    }
    expect(turn).toBeLessThan(0);
  });
});
