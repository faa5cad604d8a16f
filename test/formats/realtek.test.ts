import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatNamed, recogniseFile } from '../../pipeline/formats/index.js';
import { encodeRealtek } from '../../pipeline/formats/devices/realtek/realtek-csi.js';
import { printRealtek } from '../../pipeline/formats/devices/realtek/realtek-log.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

function decoded(format: string, bytes: Uint8Array) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const { data, failed } = formatNamed(format).decoder(context).decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock, failed: failed ?? [] };
}

/** A report of 52 tones, byte by byte: tone t is (t - 26, t). */
function golden(): Buffer {
  const bytes = Buffer.alloc(48 + 104);
  bytes.set([0xcd, 0xab, 0x30, 0x00, 0xe1, 0x4c, 0x00, 0x06, 0xe3, 1, 2, 3, 4, 5, 6]);
  bytes.writeUInt32LE(7_461_751, 15);
  bytes.writeUInt32LE(77, 19);
  bytes.writeUInt32LE(104, 23);
  // Valid, channel 10, 20 MHz, a rate, OFDM, 52 tones, 16 bits, -18 and 0 dBm, EVM, rxsc, one antenna, one stream.
  bytes.set([1, 10, 0, 12, 0, 52, 0, 16, 0xee, 0, 0, 0, 0, 1, 1], 27);
  for (let tone = 0; tone < 52; tone++) {
    bytes.writeInt8(tone - 26, 48 + 2 * tone);
    bytes.writeInt8(tone, 49 + 2 * tone);
  }
  return bytes;
}

it('a hand-written report is read field by field', () => {
  const { block } = decoded('realtek-csi', golden());
  expect(block.layout.key).toBe('lltf/1x1/20@2457/-26..-1,1..26');
  expect([block.sequence[0], block.deviceTime[0], block.rssi[0], block.bits[0]]).toEqual([
    77, 7_461_751, -18, 8,
  ]);
  expect([...block.values.subarray(0, 4), ...block.values.subarray(-2)]).toEqual([-26, 0, -25, 1, 25, 51]);
});

it('a header of 40 bytes, without the trigger, has the same content', () => {
  const full = golden();
  const old = Buffer.concat([full.subarray(0, 9), full.subarray(15, 42), Buffer.alloc(4), full.subarray(48)]);
  old[2] = 40;
  const [now, then] = [full, old].map((bytes) => decoded('realtek-csi', bytes).block);
  expect(then).toEqual(now);
});

it('is read with the imaginary part first on request', () => {
  expect([...decoded('realtek-csi-imaginary-first', golden()).block.values.subarray(0, 2)]).toEqual([0, -26]);
});

it('reads the log printed by the example, with its words in reverse order', () => {
  const log = [
    'wifi connected',
    '[CH INFO] csi header info:',
    '# sta_mac_addr     = 00:e1:4c:00:06:e3',
    '# trigger_mac_addr = 01:02:03:04:05:06',
    '# trigger_flag     = 0',
    '# timestamp        = 7461751 us',
    '# csi_data_len     = 104',
    '# csi_sequence     = 77',
    '# channel          = 10',
    '# bandwidth        = 0',
    '# rx_rate          = 12',
    '# protocol_mode    = 0 [ofdm(0)/ht(1)/vht(2)/he(3)]',
    '# num_sub_carrier  = 52',
    '# num_bit_per_tone = 16 [I:8 bits; Q:8 bits]',
    '# rssi[0]          = -18 dbm',
    '# rxsc             = 0',
    '# csi_valid        = 1',
    '[CH INFO] csi raw data: len = 104[152]',
    // Tones 0 to 3: -26 0, -25 1, -24 2, -23 3.
    '[00]0x03e902e801e700e6',
    ...Array.from({ length: 12 }, (_, i) => {
      const tone = 4 * (i + 1);
      const bytes = [3, 2, 1, 0].flatMap((more) => [tone + more, (tone + more - 26) & 0xff]);
      return `[${String(i + 1).padStart(2, '0')}]0x${Buffer.from(bytes).toString('hex')}`;
    }),
    '[CH INFO] raw data done!',
  ].join('\r\n');
  expect(recogniseFile(Buffer.from(log))?.name).toBe('realtek-csi-log');
  const { records, problems } = cutAll(Buffer.from(log), 100)!;
  expect([records.length, problems]).toEqual([1, []]);
  const from = (bytes: Uint8Array) => decoded('realtek-csi', bytes).block;
  expect(from(Uint8Array.from(records[0]!.bytes))).toEqual(from(golden()));
});

it('a log that lost a word loses one report, and names the position', () => {
  const good = printRealtek(golden());
  const bad = good.replace(/\[05\].*\n/, '');
  const { records, problems } = cutAll(Buffer.from(bad + good))!;
  expect(records).toHaveLength(1);
  expect(problems).toMatchObject([{ code: 'realtek-csi.damaged', location: 'byte 10' }]);
});

it('decode(encode(x)) = x, also through the log', () => {
  fc.assert(
    fc.property(
      fc.constantFrom([0, 0, 52], [1, 0, 56], [1, 1, 114], [3, 0, 242]),
      fc.constantFrom(16, 32),
      fc.nat(2 ** 32 - 1),
      fc.integer({ min: -128, max: -1 }),
      fc.nat(),
      ([protocol, width, tones], bits, clock, rssi, seed) => {
        const values = Array.from(
          { length: 2 * tones },
          (_, i) => Math.imul(seed + i + 1, 0x9e3779b1) >> (32 - bits / 2),
        );
        const report = {
          ...{
            mac: Uint8Array.of(1, 2, 3, 4, 5, 6),
            clock,
            sequence: seed >>> 0,
            channel: 36,
            width: width,
          },
          ...{ protocol: protocol, tones: tones, bits, rssi },
        };
        const bytes = encodeRealtek(report, values);
        const { block } = decoded('realtek-csi', bytes);
        expect([...block.values]).toEqual(values);
        expect([block.sequence[0], block.deviceTime[0], block.rssi[0]]).toEqual([seed >>> 0, clock, rssi]);
        expect(block.bits[0]).toBe(bits / 2);
        const [record] = cutAll(Buffer.from(printRealtek(bytes)))!.records;
        expect(decoded('realtek-csi', Uint8Array.from(record!.bytes)).block.values).toEqual(block.values);
      },
    ),
    { numRuns: 10 },
  );
});

it.each([
  ['that the board calls not valid', 27, 0, 'decode.not_valid'],
  ['of several antennas', 23, 208, 'decode.antennas'],
  ['of grouped tones', 31, 1, 'decode.carriers'],
])('rejects a report %s', (_, at, value, code) => {
  const bytes = Buffer.concat([golden(), golden().subarray(48)]);
  bytes[at] = value;
  expect(decoded('realtek-csi', bytes).failed).toMatchObject([{ code }]);
});
