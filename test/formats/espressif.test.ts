import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeEspCsi, type EspCsiLine } from '../../pipeline/formats/devices/espressif/esp-csi.js';
import {
  C5_COLUMNS,
  CLASSIC_COLUMNS,
  CONSOLE_COLUMNS,
} from '../../pipeline/formats/devices/espressif/esp-csi-columns.js';
import {
  espFields,
  type EspBuffer,
  type EspField,
} from '../../pipeline/formats/devices/espressif/esp-carriers.js';
import { encodeCsiToolLine } from '../../pipeline/formats/devices/espressif/esp32-csi-tool.js';
import { encodeEspectre } from '../../pipeline/formats/devices/espressif/espectre.js';
import { encodeFramed } from '../../pipeline/formats/devices/espressif/esp-framed.js';
import { encodeMicropythonCsi } from '../../pipeline/formats/devices/espressif/micropython-csi.js';
import { formatNamed, recogniseFile } from '../../pipeline/formats/index.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender, recordingBlocks } from '../support/recordings.js';
import { sharedFile } from '../support/shared.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

/** Blocks of one record. */
function decoded(format: string, record: Uint8Array | string) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const bytes = typeof record === 'string' ? Buffer.from(record) : record;
  const { data, failed } = formatNamed(format).decoder(context).decode(batchOf({ bytes }));
  return { blocks: data as readonly CsiBlock[], failed: failed ?? [] };
}

const MAC = '1a:00:00:00:00:00';
const FIELDS = { mac: MAC, rssi: -40, channel: 11 };
const buffer = (pairs: number, fields: Partial<EspBuffer> = {}): EspBuffer => ({
  ...{ pairs, ascending: false, secondary: 0, wide: false, stbc: false, ht: true, filtered: false },
  ...fields,
});
const ofC5 = (pairs: number): EspBuffer =>
  buffer(pairs, { ascending: true, secondary: null, wide: null, stbc: null, ht: null });

const LLTF = ['lltf -26..26'];
const HT20 = [...LLTF, 'ht-ltf -28..28'];
const HT20_STBC = [...HT20, 'stbc-ht-ltf -28..28'];

/** Frames of ESP-IDF's tables: the values of the columns, and the carriers of each field. */
const FRAMES: readonly (readonly [string, EspBuffer, readonly number[], readonly string[]])[] = [
  ['non-HT', buffer(64, { ht: false }), [], LLTF],
  ['HT20', buffer(128), [], HT20],
  ['HT20 STBC', buffer(192, { stbc: true }), [], HT20_STBC],
  ['below, HT20', buffer(128, { secondary: 2 }), [], HT20],
  ['below, HT20 STBC', buffer(190, { secondary: 2, stbc: true }), [], HT20_STBC],
  ['above, HT20 STBC', buffer(188, { secondary: 1, stbc: true }), [], HT20_STBC],
  ['above, HT40', buffer(192, { secondary: 1, wide: true }), [], ['lltf -26..26', 'ht-ltf -58..58']],
  [
    'below, HT40 STBC',
    buffer(306, { secondary: 2, wide: true, stbc: true }),
    [],
    ['lltf -26..26', 'ht-ltf -58..58', 'stbc-ht-ltf -58..58'],
  ],
  ['C5 non-HT', ofC5(53), [], LLTF],
  ['C5 HT20', ofC5(57), [], ['ht-ltf -28..28']],
  ['C5 HT20 STBC', ofC5(114), [], ['ht-ltf -28..28', 'stbc-ht-ltf -28..28']],
  ['C5 HT40', ofC5(117), [], ['ht-ltf -58..58']],
  ['C5 HT40 STBC', ofC5(234), [], ['ht-ltf -58..58', 'stbc-ht-ltf -58..58']],
  ['C5 HE20', ofC5(245), [], ['he-ltf -122..122']],
  ['C6 non-HT', ofC5(64), [4, 60], LLTF],
  ['C6 HT20', ofC5(64), [], ['ht-ltf -28..28']],
  ['C6 HT20 STBC', ofC5(128), [61, 62, 66, 67], ['ht-ltf -28..28', 'stbc-ht-ltf -28..28']],
  ['C6 HT40', ofC5(128), [], ['ht-ltf -58..58']],
  ['C6 HE20', ofC5(256), [], ['he-ltf -122..122']],
];

/** `lltf -26..26`: a field and its outermost carriers. */
const described = ({ training, subcarriers }: Pick<EspField, 'training' | 'subcarriers'>): string =>
  `${training} ${subcarriers[0]}..${subcarriers.at(-1)}`;

describe('carriers of an ESP32', () => {
  it.each(FRAMES)('%s', (_, of, zeros, expected) => {
    const fields = espFields(of, (pair) => zeros.includes(pair))!;
    expect(fields.map(described)).toEqual(expected);
    const pairs = fields.flatMap((field) => [...field.pairs]);
    expect(new Set(pairs).size).toBe(pairs.length);
    expect(Math.max(...pairs)).toBeLessThan(of.pairs);
  });

  it('places an FFT in its order, and a field of 20 MHz in 40 MHz around pair 32', () => {
    const [fft] = espFields(buffer(64, { ht: false }), () => false)!;
    expect([fft!.pairs[0], fft!.pairs[26]]).toEqual([64 - 26, 1]);
    const [centred] = espFields(buffer(64, { ht: false, secondary: 1 }), () => false)!;
    expect([centred!.pairs[0], centred!.pairs[26]]).toEqual([6, 33]);
  });

  it('distinguishes HT40 from HT20 with STBC by its guards if the columns do not', () => {
    const open = buffer(192, { wide: null, stbc: null, secondary: null });
    const guard = (pair: number) => pair >= 64 + 59 && pair <= 64 + 69;
    expect(espFields(open, guard)!.map(described)).toEqual(['lltf -26..26', 'ht-ltf -58..58']);
    expect(espFields(open, () => false)).toHaveLength(3);
  });
});

/** A buffer whose guards are zero: what a chip writes. */
function sentBuffer(of: EspBuffer, zeros: readonly number[]): Int8Array {
  const bytes = new Int8Array(2 * of.pairs);
  for (const { pairs } of espFields(of, (pair) => zeros.includes(pair))!)
    for (const pair of pairs) bytes.set([20 + (pair % 100), -1 - (pair % 90)], 2 * pair);
  return bytes;
}

describe('a buffer of an unknown chip', () => {
  const below = (pairs: number, rest: Partial<EspBuffer> = {}) => buffer(pairs, { secondary: 2, ...rest });
  const more = [
    ['below, non-HT', below(64, { ht: false }), [], LLTF],
    ['below, HT20 STBC in full', below(192, { stbc: true }), [], HT20_STBC],
    ['above, HT20 STBC in full', buffer(190, { secondary: 1, stbc: true }), [], HT20_STBC],
    ['C6 HT40 STBC', ofC5(256), [123, 124, 125, 131, 132, 133], ['ht-ltf -58..58', 'stbc-ht-ltf -58..58']],
  ] as const;

  it.each([...FRAMES, ...more])('is read by its length and zeros: %s', (_, of, zeros, expected) => {
    const bytes = sentBuffer(of, zeros);
    const known = espFields(of, (pair) => zeros.includes(pair))!;
    expect(known.map(described)).toEqual(expected);
    const read = decoded('esp-framed', framed(bytes)).blocks;
    expect(read.map(({ layout }) => described(layout))).toEqual(expected);
    for (const [i, { pairs, bandwidthMhz, subcarriers }] of known.entries()) {
      const values = Array.from(pairs).flatMap((pair, at) => {
        const [im, re] = [bytes[2 * pair]!, bytes[2 * pair + 1]!];
        return bandwidthMhz === 40 && subcarriers[at]! < 0 ? [-im, re] : [re, im];
      });
      expect([...read[i]!.values]).toEqual(values);
    }
    const node = decoded('adr018', adr018Of(bytes)).blocks;
    expect(node.map(({ values }) => [...values])).toEqual(read.map(({ values }) => [...values]));
  });

  it.each(['esp-framed', 'esp32-serial', 'micropython-csi', 'adr018'])(
    'of 106 bytes holds 12 bits if the upper half of every second byte is empty: %s',
    (format) => {
      const words = Array.from({ length: 53 }, (_, i) => (i % 2 === 0 ? 900 - 30 * i : -1500 + 40 * i));
      const bytes = Int8Array.from(words.flatMap((word) => [word & 0xff, (word >> 8) & 0x0f]));
      const [block] = decoded(format, recordOf(format, bytes)).blocks;
      const carriers = Array.from({ length: 26 }, (_, i) => 2 * i - 26).filter((carrier) => carrier !== 0);
      expect([...block!.layout.subcarriers]).toEqual(carriers);
      expect([...block!.bits]).toEqual([12]);
      const expected = carriers.flatMap((carrier) => [words[carrier + 26]!, words[carrier + 27]!]);
      expect([...block!.values]).toEqual(expected);
      const eight = decoded(
        format,
        recordOf(
          format,
          Int8Array.from(bytes, (_, i) => 100 - i),
        ),
      ).blocks[0]!;
      expect([eight.layout.subcarriers.length, eight.bits[0]]).toEqual([52, 8]);
    },
  );

  it('of 64, 128 or 192 pairs in a CSIRAW line is in the order of an FFT, whatever its zeros say', () => {
    for (const [pairs, expected] of [
      [64, LLTF],
      [128, HT20],
      [192, HT20_STBC],
    ] as const) {
      const zeros = [0, 1, 2, 3, 4, 60, 61, 62, 63, 64, 65, 66, 67, pairs - 2, pairs - 1];
      const bytes = sentBuffer(buffer(pairs), []);
      for (const pair of zeros) bytes.fill(0, 2 * pair, 2 * pair + 2);
      const { blocks } = decoded('esp32-serial', recordOf('esp32-serial', bytes));
      expect(blocks.map(({ layout }) => described(layout))).toEqual(expected);
      // Carrier 5 is pair 5 of the LLTF.
      const at = 2 * blocks[0]!.layout.subcarriers.indexOf(5);
      expect([...blocks[0]!.values.slice(at, at + 2)]).toEqual([bytes[11], bytes[10]]);
    }
  });
});

function framed(bytes: Int8Array): Uint8Array {
  const out = Buffer.alloc(10 + bytes.length);
  out.writeUInt32LE(0x43534921, 0);
  out.writeUInt16LE(bytes.length, 8);
  out.set(new Uint8Array(bytes.buffer), 10);
  return out;
}

const adr018Of = (bytes: Int8Array): Uint8Array =>
  encodePairs({ node: 1, bins: bytes.length / 2, mhz: 2437, sequence: 1, rssi: -40, noise: -90 }, bytes);

function recordOf(format: string, bytes: Int8Array): Uint8Array | string {
  if (format === 'esp-framed') return framed(bytes);
  if (format === 'adr018') return adr018Of(bytes);
  if (format === 'esp32-serial')
    return `CSIRAW 1 10 -40 ${bytes.length} ${Buffer.from(bytes.buffer).toString('hex')}`;
  return JSON.stringify([-40, 6, MAC, 0, 10, [...bytes], ...Array.from({ length: 16 }, () => 0)]);
}

const int8 = (size: number) =>
  fc.array(
    fc.integer({ min: -127, max: 127 }).filter((value) => value !== 0),
    {
      minLength: size,
      maxLength: size,
    },
  );

/** A frame without zero values, so that none is taken for a guard. */
const anyFrame = fc.nat(FRAMES.length - 1).chain((at) => {
  const [, of, zeros] = FRAMES[at]!;
  const fields = espFields(of, (pair) => zeros.includes(pair))!;
  return fc.record({
    of: fc.constant(of),
    fields: fc.constant(fields),
    values: fc.tuple(...fields.map(({ subcarriers }) => int8(2 * subcarriers.length))),
    id: fc.nat(2 ** 31),
    rssi: fc.integer({ min: -120, max: -1 }),
    stamp: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    gains: fc.tuple(fc.nat(255), fc.integer({ min: -128, max: 127 })),
  });
});

it('esp-csi: decode(encode(x)) = x, for every frame of every chip', () => {
  fc.assert(
    fc.property(anyFrame, ({ of, fields, values, id, rssi, stamp, gains: [agc, fft] }) => {
      const line: EspCsiLine = {
        columns: of.ascending ? C5_COLUMNS : CLASSIC_COLUMNS,
        fields: {
          ...FIELDS,
          ...{ id, rssi, local_timestamp: stamp, noise_floor: -97, agc_gain: agc, fft_gain: fft },
          ...{ sig_mode: Number(of.ht), bandwidth: Number(of.wide), stbc: Number(of.stbc) },
          secondary_channel: of.secondary ?? 0,
        },
        pairs: of.pairs,
        parts: fields.map((field, i) => ({ field, values: values[i]! })),
      };
      const { blocks } = decoded('esp-csi', encodeEspCsi(line));
      expect(blocks.map(({ values: out }) => [...out])).toEqual(values);
      expect(blocks.map(({ layout }) => [...layout.subcarriers])).toEqual(
        fields.map(({ subcarriers }) => [...subcarriers]),
      );
      expect(blocks[0]).toMatchObject({
        sequence: Uint32Array.of(id),
        rssi: Float32Array.of(rssi),
        noise: Float32Array.of(-97),
        deviceTime: Float64Array.of(stamp >>> 0),
        bits: Uint8Array.of(8),
        agc: Float32Array.of(of.ascending ? agc : NaN),
        fftGain: Float32Array.of(of.ascending ? fft / 4 : NaN),
      });
    }),
    { numRuns: 25 },
  );
});

const lltf = espFields(buffer(64, { ht: false }), () => false)!;

it('ESP32-CSI-Tool, MicroPython, ESPectre and framed buffers: decode(encode(x)) = x', () => {
  fc.assert(
    fc.property(int8(104), int8(112), fc.nat(2 ** 32 - 1), fc.nat(255), (values, ht, stamp, sequence) => {
      const parts = [{ field: lltf[0]!, values }];
      const framed = decoded('esp-framed', encodeFramed(stamp, 64, parts)).blocks[0]!;
      expect([[...framed.values], framed.deviceTime[0]]).toEqual([values, stamp]);
      const list = encodeMicropythonCsi({ 0: -40, 1: 6, 4: stamp }, 64, parts);
      const micro = decoded('micropython-csi', list).blocks[0]!;
      expect([[...micro.values], micro.deviceTime[0], micro.rssi[0]]).toEqual([values, stamp, -40]);
      const datagram = encodeEspectre({ chip: 6, sequence }, ht);
      const node = decoded('espectre', datagram).blocks[0]!;
      expect([[...node.values], node.sequence[0], node.layout.subcarriers[0]]).toEqual([ht, sequence, -28]);
      const tool = encodeCsiToolLine({ ...FIELDS, local_timestamp: stamp, len: 384 }, 64, parts);
      const [line] = decoded('esp32-csi-tool', tool).blocks;
      // Pair 1 is carrier 1, and never valid.
      expect([...line!.values]).toEqual(values.toSpliced(52, 2));
    }),
    { numRuns: 15 },
  );
});

const numbersLine = (
  columns: readonly string[],
  numbers: readonly number[],
  fields: Readonly<Record<string, number>> = {},
): string => {
  const all: Record<string, string | number> = {
    ...{ type: 'CSI_DATA', mac: MAC, rssi: -40, channel: 6, len: numbers.length },
    ...fields,
  };
  return `${columns.map((name) => all[name] ?? 0).join(',')},"[${numbers.join(',')}]"`;
};

describe('12-bit LLTF', () => {
  const words = Array.from({ length: 53 }, (_, i) => ((i * 397) % 4096) - 2048);
  const bytes = words.flatMap((word) => [((word & 0xff) << 24) >> 24, (word >> 8) & 0x0f]);

  it.each([
    ['bytes, whose upper halves are empty', bytes],
    ['words that were put together', words.slice(0, 52)],
  ])('is recognised by its content: %s', (_, numbers) => {
    const { blocks } = decoded('esp-csi', numbersLine(C5_COLUMNS, numbers));
    expect(blocks[0]!.bits[0]).toBe(12);
    expect([...blocks[0]!.layout.subcarriers]).toEqual(
      Array.from({ length: 26 }, (_, i) => 2 * i - 26).filter((carrier) => carrier !== 0),
    );
    expect([...blocks[0]!.values]).toEqual(words.slice(0, 52).toSpliced(26, 2));
  });

  it('is not assumed if a byte has more than four bits in use', () => {
    const { blocks } = decoded('esp-csi', numbersLine(C5_COLUMNS, bytes.with(51, -1)));
    expect(blocks[0]).toMatchObject({ bits: Uint8Array.of(8) });
    expect(blocks[0]!.layout.subcarriers).toHaveLength(52);
  });

  /** `t`: looks like 12 bits; `e`: cannot be. */
  const linesOf = (kinds: string) =>
    Array.from(kinds, (kind, id) =>
      numbersLine(C5_COLUMNS, kind === 't' ? bytes : bytes.with(51, -1), { id }),
    );
  const started = () =>
    formatNamed('esp-csi').decoder(testContext({ links: new LinkTable([anySender]) }).context);
  const framesOf = (decoder: ReturnType<typeof started>, lines: readonly string[]) =>
    decoder.decode(batchOf(...lines.map((line) => ({ bytes: Buffer.from(line) }))))
      .data as readonly CsiBlock[];
  const bitsOf = (blocks: readonly CsiBlock[]) =>
    Object.fromEntries(blocks.map(({ bits }) => [bits[0]!, bits.length]));

  it.each([
    ['a weak frame of 8 bits among others', 'eeteeettee', { 8: 10 }, 0],
    ['frames before the first doubt', 'tteeee', { 12: 2, 8: 4 }, 0],
    ['a damaged line after ten frames', 'ttttttttttett', { 12: 12 }, 1],
    ['a chip that was set to 8 bits', 'tttttttttteeeeee', { 12: 10, 8: 2 }, 4],
  ])('is decided by up to ten frames of the sender: %s', (_, kinds, expected, rejected) => {
    const decoder = started();
    expect(bitsOf(framesOf(decoder, linesOf(kinds)))).toEqual(expected);
    const { malformed } = decoder.describe() as { readonly malformed: Readonly<Record<string, number>> };
    expect(malformed['bits'] ?? 0).toBe(rejected);
  });

  it('is decided in the same way after a restart', () => {
    const lines = linesOf('eeteet');
    const [first, second] = [started(), started()];
    framesOf(first, lines.slice(0, 5));
    second.restore(JSON.parse(JSON.stringify(first.snapshot())));
    expect(bitsOf(framesOf(second, lines.slice(5)))).toEqual({ 8: 1 });
  });
});

it("reads a 12-bit LLTF in the order of the vendor's viewer with `esp-csi-imaginary-first`", () => {
  const words = Array.from({ length: 52 }, (_, i) => i * 20 - 500);
  const line = numbersLine(C5_COLUMNS, words);
  const [real] = decoded('esp-csi', line).blocks;
  const [imaginary] = decoded('esp-csi-imaginary-first', line).blocks;
  const swapped = Array.from(real!.values, (_, i) => real!.values[i ^ 1]);
  expect([...imaginary!.values]).toEqual(swapped);
  expect(imaginary!.layout.key).toBe(real!.layout.key);
  const bytes = numbersLine(
    CLASSIC_COLUMNS,
    Array.from({ length: 128 }, (_, i) => i - 64),
  );
  expect(decoded('esp-csi-imaginary-first', bytes).blocks).toEqual(decoded('esp-csi', bytes).blocks);
});

it.each([
  [C5_COLUMNS, 106],
  [C5_COLUMNS, 52],
  [C5_COLUMNS, 128],
  [C5_COLUMNS, 256],
  [C5_COLUMNS, 512],
])('concludes no layout from zeros: %#', (columns, count) => {
  const { blocks, failed } = decoded('esp-csi', numbersLine(columns, new Array<number>(count).fill(0)));
  expect(blocks).toEqual([]);
  expect(failed[0]!.reason).toContain(`all its ${count} numbers are 0`);
});

describe('a line of esp-csi', () => {
  const numbers = Array.from({ length: 128 }, (_, i) => (i % 100) + 1);

  it('without its first word omits the carrier there', () => {
    const { blocks } = decoded('esp-csi', numbersLine(CLASSIC_COLUMNS, numbers, { first_word: 1 }));
    expect([...blocks[0]!.layout.subcarriers].includes(1)).toBe(false);
    expect(blocks[0]!.layout.subcarriers).toHaveLength(51);
  });

  it('reads a noise floor without a sign, and gains in the order of its set', () => {
    const fields = { noise_floor: 159, agc_gain: 29, fft_gain: 252 };
    for (const columns of [C5_COLUMNS, CONSOLE_COLUMNS])
      expect(decoded('esp-csi', numbersLine(columns, numbers, fields)).blocks[0]).toMatchObject({
        noise: Float32Array.of(-97),
        agc: Float32Array.of(29),
        fftGain: Float32Array.of(-1),
      });
  });

  it('reads the oldest console, which removes guards too, with and without its header line', () => {
    const columns = CLASSIC_COLUMNS.toSpliced(2, 0, 'action_id', 'action');
    const line = numbersLine(columns, numbers.slice(0, 104));
    const log = `${columns.join(',')},data\n${line}\n`;
    for (const text of [line, log]) expect(recogniseFile(Buffer.from(text))?.name).toBe('esp-csi-log');
    expect(decoded('esp-csi', line).blocks[0]!.layout.subcarriers).toHaveLength(52);
    expect(cutAll(Buffer.from(log), 100)!.records).toHaveLength(2);
  });

  it("reads esp-radar's base64", () => {
    const bytes = Buffer.from(numbers.slice(0, 104));
    const line = numbersLine(CONSOLE_COLUMNS, numbers.slice(0, 104)).replace(
      /"\[.*$/,
      bytes.toString('base64'),
    );
    expect([...decoded('esp-csi', line).blocks[0]!.values.subarray(0, 4)]).toEqual([2, 1, 4, 3]);
  });

  it.each([
    ['truncated', (line: string) => line.slice(0, 200)],
    ['count', (line: string) => line.replace('[1,2,', '[1,')],
    ['columns', (line: string) => line.replace('CSI_DATA,', 'CSI_DATA,7,')],
    ['value', (line: string) => line.replace('-40', 'x')],
    ['carriers', () => numbersLine(CLASSIC_COLUMNS, numbers.slice(0, 100))],
  ])('that is invalid is rejected with the reason: %s', (fault, damage) => {
    const { blocks, failed } = decoded('esp-csi', damage(numbersLine(CLASSIC_COLUMNS, numbers)));
    expect(blocks).toEqual([]);
    expect(failed.map(({ code }) => code)).toEqual([`decode.${fault}`]);
  });
});

it('rejects amplitudes of the ESP32-CSI-Tool by name', () => {
  const line = encodeCsiToolLine({ ...FIELDS, len: 256 }, 64, [
    { field: lltf[0]!, values: new Array<number>(104).fill(3) },
  ]);
  expect(decoded('esp32-csi-tool', line).failed).toMatchObject([{ code: 'decode.amplitude' }]);
});

it('a counter that steps by two has lost nothing until a step is odd', () => {
  const { context, recorded } = testContext({ links: new LinkTable([anySender]) });
  const decoder = formatNamed('esp-csi').decoder(context);
  const see = (...ids: readonly number[]) => {
    const bytes = (id: number) => Buffer.from(numbersLine(CLASSIC_COLUMNS, new Array(128).fill(1), { id }));
    decoder.decode(batchOf(...ids.map((id) => ({ bytes: bytes(id) }))));
  };
  see(0, 2, 4, 8, 10);
  expect(recorded.missing).toBe(1);
  see(11);
  expect(recorded.missing).toBe(6);
});

describe.skipIf(sharedFile('captures/esp-csi') === undefined)('public recordings', () => {
  const LLTF_52 = 'lltf/1x1/20@2462/-26..-1,1..26';
  it.each([
    ['esp-csi/classic-router-lltf.log', { 'lltf/1x1/20@2472/-26..-1,1..26': 14 }],
    ['esp-csi/classic-ht40-384.csv', { [LLTF_52]: 258, 'ht-ltf/1x1/40@2452/-58..-2,2..58': 258 }],
    ['esp-csi/c5-ht40-static.csv', { 'ht-ltf/1x1/40@2447/-58..-2,2..58': 300 }],
    ['esp-csi/c6-ht40-one-line.csv', { 'ht-ltf/1x1/40@2462/-58..-2,2..58': 1 }],
    ['esp32-csi-tool/example_data.csv', { 'lltf/1x1/20@2437/-26..-1,2..26': 60 }],
    ['esp32-csi-tool/example_100hz_pitraffic.csv', { 'lltf/1x1/20@2447/-26..-1,2..26': 833 }],
  ])('%s', (path, expected) => {
    const counts: Record<string, number> = {};
    for (const { layout, count } of recordingBlocks(sharedFile(`captures/${path}`)!, testContext().context))
      counts[layout.key] = (counts[layout.key] ?? 0) + count;
    expect(counts).toEqual(expected);
  });

  it('the two halves of 40 MHz have one line of phase', () => {
    const text = readFileSync(sharedFile('captures/esp-csi/c5-ht40-static.csv')!, 'latin1');
    const [line] = text.split('\n').filter((row) => row.includes('CSI_DATA'));
    const { values, layout } = decoded('esp-csi', line!.slice(line!.indexOf('CSI_DATA'))).blocks[0]!;
    const at = layout.subcarriers.indexOf(2);
    const phase = (i: number) => Math.atan2(values[2 * i + 1]!, values[2 * i]!);
    expect(Math.abs(phase(at) - phase(at - 1))).toBeLessThan(0.3);
  });
});

describe('a datagram with a line of a serial port', () => {
  const fields = espFields(buffer(64, { ht: false }), () => false)!;
  const values = fields.map(({ subcarriers }) => [...subcarriers].flatMap((k) => [k, 1]));
  const line = encodeEspCsi({
    ...{ columns: CLASSIC_COLUMNS, fields: { ...FIELDS, id: 1 }, pairs: 64 },
    parts: fields.map((field, i) => ({ field, values: values[i]! })),
  });

  it.each([
    ['an index', `12,${line}`],
    ['colours', `\u001b[0;32m${line}\u001b[0m\r\n`],
    ['a line of the log before it', `I (574) wifi: new link\r\n${line}\r\n`],
    ['a line of the log after it', `${line}\r\nI (574) wifi: [new] link\r\n`],
  ])('is read with text around it: %s', (_, record) => {
    expect(decoded('auto', record).blocks.map(({ values: out }) => [...out])).toEqual(values);
  });

  it('is rejected if it has several, which would otherwise be lost', () => {
    const { blocks, failed } = decoded('esp-csi', `${line}\n${line}\n`);
    expect([blocks, failed.map(({ code }) => code)]).toEqual([[], ['decode.lines']]);
  });

  it('is read after a header line with a column for the index', () => {
    const { context } = testContext({ links: new LinkTable([anySender]) });
    const decoder = formatNamed('auto').decoder(context);
    const names = ['', ...CLASSIC_COLUMNS, 'data'].join(',');
    expect(decoder.decode(batchOf({ bytes: Buffer.from(names) }))).toEqual({ data: [] });
    expect(decoder.decode(batchOf({ bytes: Buffer.from(`0,${line}`) })).data).toHaveLength(1);
  });
});
