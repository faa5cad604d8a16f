import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatNamed, recogniseFile } from '../../pipeline/formats/index.js';
import { encodeMediatek } from '../../pipeline/formats/devices/mediatek-csi.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

function decoded(format: string, text: string) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const decoder = formatNamed(format).decoder(context);
  const { data, failed } = decoder.decode(batchOf({ bytes: Buffer.from(text) }));
  return { block: data[0] as CsiBlock, failed: failed ?? [], about: decoder.describe() };
}

/** A row whose value of tone t is (t, 1000 + t), 0 at the tones of `quiet`. */
function row(
  tones: number,
  fields: { readonly mode: number; width?: number; primary?: number },
  quiet: (tone: number) => boolean,
) {
  const part = (base: number) => Array.from({ length: tones }, (_, tone) => (quiet(tone) ? 0 : base + tone));
  const { mode, width = 0, primary = 0 } = fields;
  return `[123456,"98:DE:d0:48:92:66",-47,31,${width},${primary},${mode},0,2,7,0,${JSON.stringify(part(0))},${JSON.stringify(part(1000))}]`;
}

it('a hand-written row is read field by field', () => {
  const { block, about } = decoded(
    'mediatek-csi',
    row(64, { mode: 1 }, (tone) => tone === 0 || (tone > 26 && tone < 38)),
  );
  expect(block.layout.key).toBe('lltf/1x1/20@5320/-26..-1,1..26');
  expect([block.deviceTime[0], block.rssi[0], block.antenna[0], block.bits[0]]).toEqual([123456, -47, 2, 16]);
  // Carriers -26 and 26: tones 38 and 26.
  expect([...block.values.subarray(0, 2), ...block.values.subarray(-2)]).toEqual([38, 1038, 26, 1026]);
  expect(about['any_sender']).toMatchObject({ '98:de:d0:48:92:66/2.0': { frames: 1 } });
});

it.each([
  [
    'VHT of 20 MHz, as an FFT gives it',
    64,
    4,
    0,
    0,
    (t: number) => t === 0 || (t > 28 && t < 36),
    '-28..-1,1..28',
    36,
  ],
  [
    'HT of 40 MHz in ascending order',
    128,
    2,
    1,
    0,
    (t: number) => t < 6 || t > 122 || (t > 62 && t < 66),
    '-58..-2,2..58',
    6,
  ],
  [
    'every fourth carrier of HE',
    64,
    8,
    0,
    0,
    (t: number) => t === 0 || (t > 30 && t < 34),
    '-120..-4 step 4,4..120 step 4',
    34,
  ],
  [
    'OFDM in the lowest part of 80 MHz',
    256,
    1,
    0,
    0,
    (t: number) => t < 134 || t > 186 || t === 160,
    '-26..-1,1..26',
    134,
  ],
])('%s', (_, tones, mode, width, primary, quiet, carriers, first) => {
  const { block } = decoded('mediatek-csi', row(tones, { mode, width, primary }, quiet));
  expect(block.layout.key).toContain(`/${carriers}`);
  expect(block.values[0]).toBe(first);
});

it('names the formats that fix the order if no tone is quiet', () => {
  const loud = row(128, { mode: 4, width: 1 }, () => false);
  expect(decoded('mediatek-csi', loud).failed).toMatchObject([
    { code: 'decode.tone_order', reason: expect.stringContaining('mediatek-csi-ascending') as string },
  ]);
  const first = (format: string): number => decoded(format, loud).block.values[0]!;
  expect([first('mediatek-csi-fft'), first('mediatek-csi-ascending')]).toEqual([70, 6]);
});

it.each([
  ['one a line', (rows: readonly string[]) => rows.join('\n')],
  ['in one array on one line', (rows: readonly string[]) => `[${rows.join(',')}]`],
  [
    'broken into lines',
    (rows: readonly string[]) =>
      JSON.stringify(
        rows.map((one) => JSON.parse(one) as unknown),
        null,
        1,
      ),
  ],
])('a file of rows %s', (_, join) => {
  const quiet = (tone: number) => tone === 0 || (tone > 26 && tone < 38);
  const rows = [1, 2, 3].map((i) => row(64, { mode: 1 }, quiet).replace('123456', String(i * 10_000)));
  const bytes = Buffer.from(join(rows));
  expect(recogniseFile(bytes)?.name).toBe('mediatek-csi-log');
  const { records, problems } = cutAll(bytes, 150)!;
  expect([records.map(({ time }) => time), problems]).toEqual([[10_000, 20_000, 30_000], []]);
});

it('decode(encode(x)) = x', () => {
  fc.assert(
    fc.property(
      fc.constantFrom([1, 0, 52], [2, 1, 114], [4, 2, 242], [8, 0, 60], [8, 2, 250]),
      fc.constantFrom('fft' as const, 'ascending' as const),
      fc.nat(2 ** 32 - 1),
      fc.nat(),
      ([mode, width, count], order, clock, seed) => {
        const values = Array.from(
          { length: 2 * count },
          (_, i) => (Math.imul(seed + i + 1, 0x9e3779b1) >> 16) | 1,
        );
        const text = encodeMediatek(
          {
            ...{
              clock,
              mac: '98:de:d0:48:92:66',
              rssi: -60,
              width: width,
              primary: 0,
              mode: mode,
              tx: 1,
              rx: 0,
            },
            order: mode === 1 ? 'fft' : order,
          },
          values,
        );
        const { block } = decoded('mediatek-csi', text);
        expect([...block.values]).toEqual(values);
        expect([block.deviceTime[0], block.rssi[0]]).toEqual([clock, -60]);
      },
    ),
    { numRuns: 25 },
  );
});

it.each([
  ['mode 0', row(64, { mode: 0 }, () => false), 'decode.kind'],
  ['a width that its tones do not have', row(64, { mode: 4, width: 2 }, () => false), 'decode.tones'],
  ['parts of different lengths', row(64, { mode: 1 }, () => false).replace('[0,', '['), 'decode.value'],
  ['fewer fields', '[1,"98:de:d0:48:92:66",-47]', 'decode.fields'],
])('rejects %s', (_, text, code) => {
  expect(decoded('mediatek-csi', text).failed).toMatchObject([{ code }]);
});
