import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNamed, recogniseFile, recogniseRecord } from '../../pipeline/formats/index.js';
import { encodeOneWifi } from '../../pipeline/formats/devices/onewifi/onewifi.js';
import { encodeOneWifiDump } from '../../pipeline/formats/devices/onewifi/onewifi-binary.js';
import { toneOf } from '../../pipeline/formats/radio/tone-order.js';
import { bandOf } from '../../pipeline/formats/radio/wifi-bands.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender } from '../support/recordings.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';
import { EVENTS } from './samples.js';

function decoded(bytes: Uint8Array, format = 'onewifi') {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const { data, failed } = formatNamed(format).decoder(context).decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock, failed: failed ?? [] };
}

/** Tones of 20 MHz in FFT order that 802.11n and ac leave empty. */
const isQuiet = (tone: number): boolean => tone === 0 || (tone > 28 && tone < 36);

/** JSON of a station with two antennas and one stream: tone t of antenna a is (100 a + t, -t). */
const golden = (change: (info: Record<string, unknown>) => void = () => undefined) => {
  const info: Record<string, unknown> = {
    ...{ bw_mode: 16, mcs: 9, Nr: 2, Nc: 1, nr_rssi: [200, 210], valid_mask: 1, phy_bw: 80, cap_bw: 20 },
    ...{ num_sc: 64, decimation: 0, channel: 36, cfo: -3, time_stamp: 1_000_500 },
  };
  change(info);
  const carrier = (tone: number) => {
    const pair = (antenna: number) => ({
      real: isQuiet(tone) ? 0 : 100 * antenna + tone,
      img: isQuiet(tone) ? 0 : -tone,
    });
    return { stream: [{ antenna: [pair(0), pair(1)] }] };
  };
  return {
    sta_mac: 'A4:01:02:03:04:05',
    frame_info: info,
    csi_matrix: { sub_carrier: Array.from({ length: 64 }, (_, tone) => carrier(tone)) },
  };
};

/** An entry of CSI.bin of a router with room for four antennas, byte by byte; the same station. */
function goldenEntry(): Buffer {
  const bytes = Buffer.alloc(6 + 56 + 256 * 4 * 4);
  bytes.set([0xa4, 1, 2, 3, 4, 5, 16, 9, 2, 1]);
  for (const [i, level] of [200, 210, 0, 0].entries()) bytes.writeInt32LE(level, 10 + 4 * i);
  for (const [i, value] of [1, 80, 20].entries()) bytes.writeUInt16LE(value, 26 + 2 * i);
  bytes.writeUInt32LE(64, 34);
  bytes[38] = 0;
  bytes.writeUInt32LE(36, 42);
  bytes.writeInt32LE(-3, 46);
  bytes.writeBigUInt64LE(1_000_500n, 54);
  for (let tone = 0; tone < 64; tone++)
    for (let antenna = 0; antenna < 2; antenna++) {
      if (isQuiet(tone)) continue;
      const word = (((100 * antenna + tone) << 16) | (-tone & 0xffff)) >>> 0;
      bytes.writeUInt32LE(word, 62 + 4 * (4 * tone + antenna));
    }
  return bytes;
}

it.each([
  ['JSON', Buffer.from(JSON.stringify(golden()))],
  ['an entry of CSI.bin', goldenEntry()],
])('%s written by hand is read field by field', (_, bytes) => {
  const { block } = decoded(bytes);
  expect(block.layout.key).toBe('vht-ltf/2x1/20@5180/-28..-1,1..28');
  // 200 is -56.
  expect([block.rssi[0], block.deviceTime[0], block.bits[0]]).toEqual([-46, 1_000_500_000, 16]);
  // Carriers -28 and 28 of the antennas: tones 36 and 28.
  expect([...block.values.subarray(0, 2), ...block.values.subarray(112, 114)]).toEqual([36, -36, 136, -36]);
  expect([...block.values.subarray(-2)]).toEqual([128, -28]);
});

describe('csi_samples.json', () => {
  const at = (stamp: number) => golden((info) => (info['time_stamp'] = stamp));
  it.each([
    [
      'of today',
      [
        [at(1000), at(1500)],
        [at(1000), at(1500)],
      ],
    ],
    ['of #441, without an array for each station', [at(1000), at(1500), at(1000), at(1500)]],
  ])('%s, two documents appended', (_, devices) => {
    const text = JSON.stringify(
      { CSI: { csi_sampling_interval_ms: 500, SoundingDevices: devices } },
      null,
      '\t',
    );
    const bytes = Buffer.from(`${text}\n${text}\n`);
    expect(recogniseFile(bytes)?.name).toBe('onewifi-json');
    const { records, problems } = cutAll(bytes, 5000)!;
    expect([records.length, problems]).toEqual([8, []]);
    // The stations follow one another.
    const times = records.map(({ time }) => time - records[0]!.time);
    expect(times.slice(0, 4)).toEqual([0, 500_000, 550_000, 1_050_000]);
    for (const record of records) expect(decoded(Uint8Array.from(record.bytes)).block.count).toBe(1);
  });
});

it('an event contains several stations, its time with four bytes or eight', () => {
  const [event] = EVENTS as [Buffer];
  const short = Buffer.concat([event.subarray(0, 12), event.subarray(16)]);
  // Part of a larger buffer, as small buffers are.
  const within = Buffer.concat([Buffer.alloc(8), event]).subarray(8);
  for (const bytes of [event, short, within]) {
    expect(recogniseRecord(bytes)?.name).toBe('onewifi');
    expect(decoded(bytes).block).toMatchObject({ count: 2, layout: { rx: 1, tx: 1 } });
  }
  expect(decoded(event.subarray(0, 1000)).failed).toMatchObject([{ code: 'decode.event' }]);
});

it('names the formats that fix the order if no tone is quiet', () => {
  const loud = goldenEntry();
  for (let at = 62; at < loud.length; at += 4) loud.writeUInt32LE(((at >> 2) << 16) | 5, at);
  expect(decoded(loud).failed).toMatchObject([
    {
      code: 'decode.tone_order',
      reason: expect.stringContaining('onewifi-fft or onewifi-ascending') as string,
    },
  ]);
  const first = (format: string): number => decoded(loud, format).block.values[0]!;
  expect(first('onewifi-fft') - first('onewifi-ascending')).toBe(4 * (36 - 4));
});

it('decode(encode(x)) = x, in JSON and in the structures of both builds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(['ht', 0], ['ht', 1], ['vht', 0], ['vht', 1], ['vht', 2]) as fc.Arbitrary<
        ['ht' | 'vht', 0 | 1 | 2]
      >,
      fc.constantFrom(4 as const, 8 as const),
      fc.boolean(),
      fc.nat(),
      ([kind, width], build, isFft, seed) => {
        const [rx, tx] = build === 4 ? [1 + (seed % 4), 1] : [1 + (seed % 8), 1 + (seed % 4)];
        const { subcarriers } = bandOf(kind, width)!;
        const tones = 64 << width;
        const order = isFft ? ('fft' as const) : ('ascending' as const);
        const at = new Map(subcarriers.map((carrier, i) => [toneOf(order, carrier, tones), i]));
        const value = (index: number): number => (Math.imul(seed + index + 1, 0x9e3779b1) >> 16) | 1;
        const matrix = (antenna: number, stream: number, tone: number, part: number): number => {
          const i = at.get(tone);
          return i === undefined ? 0 : value(2 * ((antenna * tx + stream) * subcarriers.length + i) + part);
        };
        const info = {
          ...{
            mode: kind === 'ht' ? 0 : 16,
            rx,
            tx,
            rssi: [-40],
            mask: 0,
            width: 20 << width,
            carriers: tones,
          },
          ...{ decimation: 1, channel: 149, timestamp: seed },
        };
        const station = { mac: 'a4:01:02:03:04:05', info, matrix };
        for (const bytes of [Buffer.from(encodeOneWifi(station)), encodeOneWifiDump(station, build)]) {
          const { block } = decoded(bytes);
          expect([...block.values]).toEqual(Array.from(block.values, (_, i) => value(i)));
          expect(block.layout).toMatchObject({ rx, tx, bandwidthMhz: 20 << width });
          expect(block.values).toHaveLength(2 * rx * tx * subcarriers.length);
        }
      },
    ),
    { numRuns: 6 },
  );
});

it.each([
  ['another number of tones', { num_sc: 52 }, 'decode.carriers'],
  ['one tone in two', { decimation: 2 }, 'decode.decimation'],
  ['a part that was not measured', { cap_bw: 40, valid_mask: 1 }, 'decode.valid_mask'],
  ['a kind that is not known', { bw_mode: 0x20 }, 'decode.kind'],
  ['an invalid channel', { channel: 200 }, 'decode.channel'],
  ['no antenna', { Nr: 0 }, 'decode.antennas'],
])('rejects %s', (_, change, code) => {
  const bytes = Buffer.from(JSON.stringify(golden((info) => Object.assign(info, change))));
  expect(decoded(bytes).failed).toMatchObject([{ code }]);
});

it('rejects a time that no router states, such as one in microseconds', () => {
  const station = golden((info) => (info['time_stamp'] = 1_700_000_000_000_000));
  const { block, failed } = decoded(Buffer.from(JSON.stringify(station)));
  expect(block).toBeUndefined();
  expect(failed).toMatchObject([
    { code: 'decode.time', reason: expect.stringContaining('1700000000000000 ms') as string },
  ]);
});
