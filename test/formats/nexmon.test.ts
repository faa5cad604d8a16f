import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNamed } from '../../pipeline/formats/index.js';
import { encodeNexmon, nexmonPcap } from '../../pipeline/formats/devices/broadcom/nexmon.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { readMat } from '../../pipeline/formats/tables/mat5.js';
import { anySender, recordingBlocks } from '../support/recordings.js';
import { sharedFile } from '../support/shared.js';
import { batchesOf, batchOf } from './batches.js';
import { cutAll } from './cut.js';
import { pcapngOf, pcapOf } from './pcap-files.js';

const MAC = Uint8Array.of(0x98, 0xde, 0xd0, 0x48, 0x92, 0x66);

function decoded(bytes: Uint8Array) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const { data, failed } = formatNamed('nexmon').decoder(context).decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock, failed: failed ?? [] };
}

it('values are the same wherever a datagram starts', () => {
  const values = Array.from({ length: 110 }, (_, i) => i * 300 - 16_000);
  const datagram = encodeNexmon({ mac: MAC, sequence: 1, rssi: -40, chanspec: 0x1006, bins: 64 }, values);
  for (const before of [1, 2]) {
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const [raw] = batchesOf([{ bytes: new Uint8Array(before) }, { bytes: datagram }], 2);
    const [block] = formatNamed('nexmon').decoder(context).decode(raw!).data;
    expect([...(block as CsiBlock).values]).toEqual(values);
  }
});

const BANDS = [
  { bins: 64, chanspec: 0x1006, carriers: 55, centre: 2437, width: 20 },
  { bins: 128, chanspec: 0xd826, carriers: 113, centre: 5190, width: 40 },
  { bins: 256, chanspec: 0xe02a, carriers: 241, centre: 5210, width: 80 },
] as const;

it.each(BANDS)('$bins bins: decode(encode(x)) = x', ({ bins, chanspec, carriers, centre, width }) => {
  const int16 = fc.integer({ min: -32_768, max: 32_767 });
  fc.assert(
    fc.property(
      fc.array(int16, { minLength: 2 * carriers, maxLength: 2 * carriers }),
      fc.nat(4095),
      fc.option(fc.integer({ min: -128, max: -1 }), { nil: NaN }),
      (values, sequence, rssi) => {
        const { block } = decoded(encodeNexmon({ mac: MAC, sequence, rssi, chanspec, bins }, values));
        expect([...block.values]).toEqual(values);
        expect(block.layout).toMatchObject({ centreMhz: centre, bandwidthMhz: width });
        expect(block).toMatchObject({
          rssi: Float32Array.of(rssi),
          sequence: Uint32Array.of(sequence),
          bits: Uint8Array.of(16),
        });
      },
    ),
    { numRuns: 10 },
  );
});

const frame = (sequence: number) =>
  encodeNexmon(
    { mac: MAC, sequence, rssi: -50, chanspec: 0x1006, bins: 64 },
    new Array<number>(110).fill(sequence + 1),
  );

/** A datagram of `chip` with these words in its 64 bins. */
function packed(chip: number, words: readonly number[]): Uint8Array {
  const bytes = frame(0);
  const view = new DataView(bytes.buffer);
  view.setUint16(16, chip, true);
  for (let bin = 0; bin < 64; bin++) view.setUint32(18 + 4 * bin, words[bin] ?? 0, true);
  return bytes;
}

/** Values by bin. */
const byBin = ({ layout, values }: CsiBlock) =>
  new Map([...layout.subcarriers].map((carrier, i) => [(carrier + 64) % 64, values.slice(2 * i, 2 * i + 2)]));

it('packed values of a frame are scaled together, and truncated to integers', () => {
  // Mantissas of 9 bits, an exponent of 5: (255, -1) * 2^0 and (3, 0) * 2^-1.
  const { block } = decoded(packed(3, [0, (255 << 14) | (1 << 13) | (1 << 5), (3 << 14) | 0b11111]));
  expect([1, 2, 3].map((bin) => [...byBin(block).get(bin)!])).toEqual([
    [255 * 8, -8],
    [12, 0],
    [0, 0],
  ]);
});

it.each([
  { chip: 3, mantissa: 9, exponent: 5 },
  { chip: 106, mantissa: 12, exponent: 6 },
])('packed values of chip $chip match their definition', ({ chip, mantissa, exponent }) => {
  const max = 2 ** (mantissa - 1) - 1;
  const part = fc.integer({ min: -max, max });
  const value = fc.record({
    re: part,
    im: part,
    by: fc.integer({ min: -(2 ** (exponent - 1)), max: 2 ** (exponent - 1) - 1 }),
  });
  fc.assert(
    fc.property(fc.array(value, { minLength: 64, maxLength: 64 }), (all) => {
      const words = all.map(({ re, im, by }) => {
        const signed = (x: number) => (x < 0 ? 2 ** (mantissa - 1) : 0) + Math.abs(x);
        return (
          (signed(re) * 2 ** mantissa + signed(im)) * 2 ** exponent + ((by + 2 ** exponent) % 2 ** exponent)
        );
      });
      const bits = (x: number) => Math.floor(Math.log2(Math.abs(x)));
      const tops = all.flatMap(({ re, im, by }) => [re, im].filter((x) => x !== 0).map((x) => by + bits(x)));
      const scale = 10 - Math.max(...tops);
      const found = byBin(decoded(packed(chip, words)).block);
      const expected = [...found.keys()].map((bin) => {
        const { re, im, by } = all[bin]!;
        return [re, im].map((x) => Math.trunc(x * 2 ** (by + scale)) + 0);
      });
      expect([...found.values()].map((pair) => [...pair])).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

it('datagrams of different lengths and encodings do not disturb each other', () => {
  const wide = encodeNexmon(
    { mac: MAC, sequence: 1, rssi: -50, chanspec: 0xe02a, bins: 256 },
    Array.from({ length: 482 }, (_, i) => i + 1),
  );
  const all = [
    wide,
    packed(
      106,
      Array.from({ length: 64 }, (_, i) => i << 6),
    ),
    frame(2),
    wide,
  ];
  const records = all.map((bytes) => ({ bytes }));
  const blocks = (size: number) => {
    const decoder = formatNamed('nexmon').decoder(testContext({ links: new LinkTable([anySender]) }).context);
    const found = batchesOf(records, size).flatMap((raw) => decoder.decode(raw).data as readonly CsiBlock[]);
    return found.map(({ layout, values }) => [layout.subcarriers.length, ...values]);
  };
  const [first, packedOne, narrow, last] = blocks(1) as [number[], number[], number[], number[]];
  expect(first).toEqual([241, ...Array.from({ length: 482 }, (_, i) => i + 1)]);
  expect(narrow).toEqual([55, ...new Array<number>(110).fill(3)]);
  expect(blocks(4)).toEqual([
    [...first, ...last.slice(1)],
    [...packedOne, ...narrow.slice(1)],
  ]);
});

it('a second core is a separate sender', () => {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const decoder = formatNamed('nexmon').decoder(context);
  const bytes = encodeNexmon(
    { mac: MAC, sequence: 1, rssi: -50, core: 0b001_010, chanspec: 0x1006, bins: 64 },
    [],
  );
  const { data } = decoder.decode(batchOf({ bytes }));
  expect((data[0] as CsiBlock).antenna[0]).toBe(2);
  expect(decoder.describe()['any_sender']).toMatchObject({ '98:de:d0:48:92:66/2.1': { frames: 1 } });
});

it('rejects an unknown chip by its number', () => {
  const bytes = frame(1);
  bytes.set([9, 0], 16);
  expect(decoded(bytes).failed).toMatchObject([{ code: 'decode.chip' }]);
});

describe.each([
  ['pcap, microseconds', (packets: readonly Uint8Array[]) => pcapOf(packets)],
  [
    'pcap, nanoseconds, big-endian',
    (packets: readonly Uint8Array[]) => pcapOf(packets, { little: false, nano: true }),
  ],
  ['pcap of any interface', (packets: readonly Uint8Array[]) => pcapOf(packets, { linkType: 113 })],
  ['pcap of loopback', (packets: readonly Uint8Array[]) => pcapOf(packets, { linkType: 0 })],
  ['pcap, VLAN', (packets: readonly Uint8Array[]) => pcapOf(packets, { tags: [0x8100] })],
  ['pcap, two VLAN tags', (packets: readonly Uint8Array[]) => pcapOf(packets, { tags: [0x88a8, 0x8100] })],
  ['pcap, IPv6', (packets: readonly Uint8Array[]) => pcapOf(packets, { ip: 6 })],
  [
    'pcapng, stamps with an offset',
    (packets: readonly Uint8Array[]) => pcapngOf(packets, { offset: -7200, nano: true }),
  ],
  [
    'pcapng, big-endian, stamps with an offset',
    (packets: readonly Uint8Array[]) => pcapngOf(packets, { offset: 1_500_000_000, little: false }),
  ],
  ['pcapng, obsolete packets', (packets: readonly Uint8Array[]) => pcapngOf(packets, { block: 2 })],
  ['pcapng', (packets: readonly Uint8Array[]) => pcapngOf(packets)],
  [
    'pcapng, big-endian, nanoseconds',
    (packets: readonly Uint8Array[]) => pcapngOf(packets, { little: false, nano: true }),
  ],
])('%s', (_, fileOf) => {
  const frames = Array.from({ length: 6 }, (_, i) => frame(i));
  const file = fileOf(frames);

  it('returns each datagram with its time', () => {
    expect(nexmonPcap.recognise(file)).toBe(true);
    const { records, problems } = cutAll(file, 100, nexmonPcap)!;
    expect(problems).toEqual([]);
    expect(records.map(({ bytes }) => bytes)).toEqual(frames.map((bytes) => [...bytes]));
    expect(records.map(({ time }) => Math.round(time))).toEqual(
      frames.map((__, i) => 1_600_000_000_250_000 + i * 10_000),
    );
  });

  it('is read on after garbage, and names its position', () => {
    const at = fileOf(frames.slice(0, 3)).length;
    const garbage = Buffer.from(Array.from({ length: 50 }, (_, i) => (i * 37 + 129) & 0xff));
    const { records, problems } = cutAll(
      Buffer.concat([file.subarray(0, at), garbage, file.subarray(at)]),
      100,
      nexmonPcap,
    )!;
    expect(records).toHaveLength(6);
    expect(problems).toMatchObject([{ code: 'nexmon.damaged', location: `byte ${at}` }]);
  });
});

it.each([true, false])(
  'whichever bit after the seconds of a header in a pcap of broadcasts is flipped, other packets are read (little-endian: %s)',
  (little) => {
    const frames = Array.from({ length: 6 }, (_, i) => frame(i));
    const file = pcapOf(frames, { little });
    const start = pcapOf(frames.slice(0, 2), { little }).length;
    const bytes = (file.length - 24) / 6;
    for (let at = 24; at < file.length; at += bytes) file.fill(0xff, at + 16, at + 22);
    // The seconds, its first word, are a matter of the clock.
    for (let bit = 32; bit < 128; bit++) {
      const damaged = Buffer.from(file);
      damaged[start + (bit >> 3)]! ^= 1 << (bit & 7);
      const { records } = cutAll(damaged, 100, nexmonPcap)!;
      const read = records.map(({ bytes: each }) => each.join());
      for (const i of [0, 1, 3, 4, 5]) expect(read, `bit ${bit}`).toContain(frames[i]!.join());
    }
  },
);

describe.skipIf(sharedFile('captures/nexmon') === undefined)('public captures', () => {
  it.each([
    ['example_43455c0', 566],
    ['example_4366c0', 293],
  ])('%s: every frame, and the first ones as in MATLAB', (name, count) => {
    const blocks = recordingBlocks(sharedFile(`captures/nexmon/${name}.pcap`)!, testContext().context);
    expect(blocks.reduce((sum, block) => sum + block.count, 0)).toBe(count);
    const [variable] = [
      ...readMat(readFileSync(sharedFile(`captures/nexmon/${name}.mat`)!)).variables.values(),
    ];
    if (variable?.kind !== 'numeric') throw new Error('expected numbers');
    const [rows, columns] = variable.size as [number, number];
    const [{ values, layout }] = blocks as [CsiBlock];
    const size = 2 * layout.subcarriers.length;
    let difference = 0;
    // The references hold for the first 20 frames.
    for (let row = 0; row < 20; row++)
      for (const [i, carrier] of layout.subcarriers.entries()) {
        const at = row + rows * ((carrier + columns) % columns);
        difference = Math.max(
          difference,
          Math.abs(values[row * size + 2 * i]! - variable.re[at]!),
          Math.abs(values[row * size + 2 * i + 1]! - variable.im![at]!),
        );
      }
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(difference).toBe(0);
  });
});
