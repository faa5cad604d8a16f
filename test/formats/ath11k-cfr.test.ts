import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeAth11kCfr } from '../../pipeline/formats/devices/qualcomm/ath11k-cfr.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { bandOf } from '../../pipeline/formats/radio/wifi-bands.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';

function decoded(format: string, bytes: Uint8Array) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const { data, failed } = formatNamed(format).decoder(context).decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock, failed: failed ?? [] };
}

/** A record of a legacy frame of 20 MHz on two chains, byte by byte. Tone t of chain c is (100 c + t + 1, -t - 1), guards are 0. */
function golden(): Buffer {
  const bytes = Buffer.alloc(108 + 8 + 2 * 64 * 4 + 4);
  bytes.writeUInt32LE(0xdeadbeaf, 0);
  bytes.writeUInt32LE(0x8cfdf0, 4);
  // Metadata 4, data 1, chip, platform, 92 bytes of metadata.
  bytes.set([4, 1, 1, 2, 92, 0, 0, 0], 8);
  bytes.set([0xa4, 1, 2, 3, 4, 5], 16);
  // Done, 20 MHz, 20 MHz, a mode, primary and centre 5180, 0.
  bytes.set([1, 0, 0, 9, 0x3c, 0x14, 0x3c, 0x14, 0, 0], 22);
  // A legacy acknowledgement, a type, one stream, two chains.
  bytes.set([0, 0, 1, 2], 32);
  bytes.writeUInt32LE(4_000_000_001, 36);
  bytes.writeUInt32LE(8 + 2 * 64 * 4, 40);
  bytes.writeInt32LE(-61, 44);
  bytes.writeInt32LE(-58, 48);
  bytes.set([20, 22], 96);
  // Legacy, one stream, two chains, 20 MHz, valid.
  bytes.writeUInt16LE(0x8000 | (1 << 9) | 1, 110);
  for (let chain = 0; chain < 2; chain++)
    for (let tone = 0; tone < 64; tone++) {
      if (tone < 6 || tone > 58 || tone === 32) continue;
      const at = 116 + (chain * 64 + tone) * 4;
      bytes.writeInt16LE(100 * chain + tone + 1, at);
      bytes.writeInt16LE(-tone - 1, at + 2);
    }
  bytes.writeUInt32LE(0xbeafdead, bytes.length - 4);
  return bytes;
}

it('a hand-written record is read field by field, with the tone order found by the quiet ones', () => {
  const { block } = decoded('ath11k-cfr', golden());
  expect(block.layout.key).toBe('lltf/2x1/20@5180/-26..-1,1..26');
  expect([block.deviceTime[0], block.rssi[0], block.bits[0]]).toEqual([4_000_000_001, -58, 16]);
  expect([...block.agc]).toEqual([20, 22]);
  expect([...block.values.subarray(0, 4)]).toEqual([7, -7, 8, -8]);
  // The first carrier of the second chain, and the last one.
  expect([...block.values.subarray(104, 106), ...block.values.subarray(-2)]).toEqual([107, -7, 159, -59]);
});

it('is read with the imaginary part first on request', () => {
  const { block } = decoded('ath11k-cfr-imaginary-first', golden());
  expect([...block.values.subarray(0, 2)]).toEqual([-7, 7]);
});

it('names the formats that fix the order if no tone is quiet', () => {
  const loud = golden();
  for (let at = 116; at < loud.length - 4; at += 2) loud.writeInt16LE(100 + at, at);
  const [failure] = decoded('ath11k-cfr', loud).failed;
  expect([failure?.code, failure?.reason]).toEqual([
    'decode.tone_order',
    expect.stringContaining('ath11k-cfr-fft or ath11k-cfr-ascending'),
  ]);
  const first = (format: string): number => decoded(format, loud).block.values[0]!;
  // Carrier -26: tone 38 of an FFT, tone 6 in ascending order.
  expect([first('ath11k-cfr-fft'), first('ath11k-cfr-ascending')]).toEqual([
    loud.readInt16LE(116 + 38 * 4),
    loud.readInt16LE(116 + 6 * 4),
  ]);
});

const kinds = fc.constantFrom<(readonly ['legacy' | 'ht' | 'vht', number])[]>(
  ...([0, 1, 2] as const).flatMap((width) => [['legacy', width] as const, ['vht', width] as const]),
  ['ht', 0] as const,
  ['ht', 1] as const,
);

it('decode(encode(x)) = x', () => {
  fc.assert(
    fc.property(
      kinds,
      fc.constantFrom('fft' as const, 'ascending' as const),
      fc.array(fc.integer({ min: -127, max: -1 }), { minLength: 1, maxLength: 8 }),
      fc.nat(2 ** 32 - 1),
      fc.nat(),
      ([kind, width], order, rssi, clock, seed) => {
        const count = 2 * rssi.length * bandOf(kind, width)!.subcarriers.length;
        const values = Array.from(
          { length: count },
          (_, i) => (Math.imul(seed + i + 1, 0x9e3779b1) >> 16) | 1,
        );
        const frame = {
          mac: new Uint8Array(6),
          kind,
          width,
          mhz: 5210,
          order,
          clock,
          rssi,
          gain: rssi.map(() => 9),
        };
        // Copies in a wider channel are where the other order would put them, so they do not identify the
        // order.
        const isTold = kind !== 'legacy' || width === 0;
        const format = isTold ? 'ath11k-cfr' : `ath11k-cfr-${order}`;
        const { block } = decoded(format, encodeAth11kCfr(frame, values));
        expect([...block.values]).toEqual(values);
        expect(block.layout).toMatchObject({
          rx: rssi.length,
          tx: 1,
          bandwidthMhz: 20 << width,
          centreMhz: 5210,
        });
        expect([block.rssi[0], block.deviceTime[0]]).toEqual([Math.max(...rssi), clock]);
      },
    ),
    { numRuns: 25 },
  );
});

describe('rejects', () => {
  it.each([
    ['another version', 9, 2, 'decode.version'],
    ['more chains than there are values', 111, 0x84, 'decode.length'],
    ['a preamble that is not known', 110, 0x31, 'decode.kind'],
    ['a record without its end', 631, 0, 'decode.header'],
  ])('%s', (_, at, value, code) => {
    const bytes = golden();
    bytes[at] = value;
    expect(decoded('ath11k-cfr', bytes).failed).toMatchObject([{ code }]);
  });
});
