import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeAtheros } from '../../pipeline/formats/devices/qualcomm/atheros.js';
import { encodeFeitcsi } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { encodeMeasurement } from '../../pipeline/formats/devices/intel/intel5300.js';
import { encodePicoscenes, type WrittenFrame } from './picoscenes-encode.js';
import { picoscenes, picoscenesFile } from '../../pipeline/formats/devices/picoscenes/picoscenes.js';
import { LinkTable, type CsiBlock, type Environment } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender, recordingBlocks } from '../support/recordings.js';
import { sharedFile } from '../support/shared.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';

function decoded(bytes: Uint8Array, format = 'picoscenes') {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const decoder = formatNamed(format).decoder(context);
  const { data, failed } = decoder.decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock | undefined, failed: failed ?? [], reported: decoder.describe() };
}

/** Integers of this many bits, different for each seed. */
const numbers = (seed: number, count: number, bits: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.imul(seed + 977 * i + 1, 0x9e3779b1) >> (32 - bits));

const FRAME: WrittenFrame = {
  ...{ device: 0x5300, hostTime: 1_600_000_000_000_000, clock: 123_456, packetFormat: 1, bandwidthMhz: 20 },
  ...{ mhz: 2437, tones: 30, rx: 1, tx: 1, rssi: -60, noise: -95, gain: 40 },
  transmitter: Uint8Array.of(2, 0, 0, 0, 0, 1),
};

type Written = Pick<WrittenFrame, 'tones' | 'rx' | 'tx'>;

const intelBody = ({ rx, tx }: Written, values: readonly number[]) =>
  encodeMeasurement(
    {
      ...{ timestamp: 0, count: 0, noise: 0, agc: 0, antennaSelection: 0, rate: 0 },
      rx,
      tx,
      rssi: [0, 0, 0],
    },
    Float64Array.from(values),
  ).subarray(23);
const qcaBody = ({ rx, tx, tones }: Written, values: readonly number[]) =>
  encodeAtheros(
    { ...{ little: true, timestamp: 0, mhz: 0, rssi: -95, noise: 0 }, rx, tx, tones: tones as 56 },
    values,
  ).subarray(27);
const axBody = ({ rx, tx, tones }: Written, values: readonly number[]) =>
  encodeFeitcsi(
    { ...{ ticks: 0, rssi: 0, rate: 0, mac: new Uint8Array(6) }, rx, tx, tones },
    values,
  ).subarray(272);

const KINDS = [
  { device: 0x5300, bandwidthMhz: 20, packetFormat: 1, tones: 30, bits: 8, body: intelBody },
  { device: 0x5300, bandwidthMhz: 40, packetFormat: 1, tones: 30, bits: 8, body: intelBody },
  { device: 0x9300, bandwidthMhz: 20, packetFormat: 1, tones: 56, bits: 10, body: qcaBody },
  { device: 0x9300, bandwidthMhz: 40, packetFormat: 1, tones: 114, bits: 10, body: qcaBody },
  { device: 0x2000, bandwidthMhz: 20, packetFormat: 0, tones: 52, bits: 16, body: axBody },
  { device: 0x2100, bandwidthMhz: 80, packetFormat: 2, tones: 242, bits: 16, body: axBody },
  { device: 0x2100, bandwidthMhz: 20, packetFormat: 3, tones: 242, bits: 16, body: axBody },
] as const;

it.each(KINDS)(
  'device $device, $bandwidthMhz MHz, $tones tones: decode(encode(x)) = x',
  ({ body, bits, ...kind }) => {
    const streams = fc.integer({ min: 1, max: 3 });
    fc.assert(
      fc.property(streams, streams, fc.nat(), (rx, tx, seed) => {
        const frame = { ...FRAME, ...kind, rx, tx };
        const values = numbers(seed, 2 * kind.tones * rx * tx, bits);
        const { block, reported } = decoded(encodePicoscenes(frame, body(frame, values)));
        expect([...block!.values]).toEqual(values);
        expect(block!.layout).toMatchObject({ rx, tx, centreMhz: 2437, bandwidthMhz: kind.bandwidthMhz });
        expect(block!.layout.subcarriers).toHaveLength(kind.tones);
        expect(block).toMatchObject({
          rssi: Float32Array.of(-60),
          noise: Float32Array.of(-95),
          deviceTime: Float64Array.of(123_456),
          agc: new Float32Array(rx).fill(40),
          bits: Uint8Array.of(bits),
        });
        expect(reported['any_sender']).toMatchObject({ '02:00:00:00:00:01': { frames: 1 } });
      }),
      { numRuns: 5 },
    );
  },
);

const values = numbers(1, 60, 8);
const good = encodePicoscenes(FRAME, intelBody(FRAME, values));
const changed = (at: number, byte: number) => {
  const bytes = Uint8Array.from(good);
  bytes[at] = byte;
  return bytes;
};
/** Offsets of the version of RxSBasic and the body of CSI: after headers of 11, 13 and 14 bytes. */
const BASIC_VERSION = 11 + 13;
const CSI_BODY = 11 + 15 + 40 + 16 + 5 + 10;

it.each([
  ['segments', changed(11, 0xff)],
  ['segment', changed(CSI_BODY - 2, 9)],
  ['body', changed(CSI_BODY + 1, 0x12)],
  ['body', changed(CSI_BODY + 29, 2)],
  ['body', changed(CSI_BODY + 31, 2)],
  ['basic', changed(BASIC_VERSION, 9)],
])('rejects unreadable input: %s', (fault, bytes) => {
  expect(decoded(bytes).failed).toMatchObject([{ code: `decode.${fault}` }]);
});

it('skips a frame without CSI', () => {
  const without = Uint8Array.from(good);
  without.set(Buffer.from('XSI'), CSI_BODY - 5);
  expect(decoded(without)).toMatchObject({
    block: undefined,
    failed: [],
    reported: { packets: { other: 1 } },
  });
});

it.each([
  ['an acknowledgement', 0xd4, ''],
  ['clear to send', 0xc4, ''],
  ['request to send', 0xb4, '02:00:00:00:00:01'],
  ['data', 0x08, '02:00:00:00:00:01'],
])('the transmitter of %s', (_, control, sender) => {
  const bytes = changed(good.length - 24, control);
  expect(decoded(bytes).reported['any_sender']).toMatchObject({ [sender]: { frames: 1 } });
});

it('a packet without a transmitter is not assigned to its source address', () => {
  const [link] = anySender.links as [Environment['links'][number]];
  const named = { ...anySender, links: [{ ...link, sender: '127.0.0.1' }] };
  const { context, recorded } = testContext({ links: new LinkTable([named]) });
  const decoder = picoscenes.decoder(context);
  const { data } = decoder.decode(batchOf({ bytes: changed(good.length - 24, 0xd4) }));
  expect([data, recorded.dropped]).toEqual([[], { unknown_sender: 1 }]);
  expect(decoder.describe()).toMatchObject({ unknown_senders: { listed: [{ sender: '', frames: 1 }] } });
});

it('event time is that of the host if the file has it', () => {
  const frames = [0, 1, 2].map((i) =>
    encodePicoscenes({ ...FRAME, hostTime: FRAME.hostTime + i * 10_000 }, intelBody(FRAME, values)),
  );
  const { records } = cutAll(Buffer.concat(frames), 100, picoscenesFile)!;
  expect(records.map(({ time }) => time)).toEqual([0, 1, 2].map((i) => FRAME.hostTime + i * 10_000));
});

it('event time is that of the host in a file that begins within a frame too', () => {
  const frames = [0, 1, 2].map((i) =>
    encodePicoscenes({ ...FRAME, hostTime: FRAME.hostTime + i * 10_000 }, intelBody(FRAME, values)),
  );
  const { records } = cutAll(Buffer.concat(frames).subarray(50), 100, picoscenesFile)!;
  expect(records.map(({ time }) => time)).toEqual([1, 2].map((i) => FRAME.hostTime + i * 10_000));
});

/**
 * Digests of csiread 1.4.1's output for all frames, layout by layout: antenna, stream, tone, (re, im) as i16.
 * For the AX200, of the first antenna in frames of 56 tones: csiread drops four of them.
 */
const CSIREAD = {
  iwl5300: '9f7b6a8bda3bf20cb62cf5212d12c6a7d7a7126704cd5ffd07d2384a9e39e4a7',
  qca9300: 'b63de935dd7fe685cdd144c10c2ead1c1f10833d09571ff39f6deab3e9e8f272',
  ax200: '1ca98a1402359cb37fc0c919ec70c2e0a1d91f767deb86eb939c029b9469be63',
};
const AX200_LEFT_OUT = [7, 22, 36, 51];

const folder = sharedFile('captures/picoscenes');
describe.skipIf(folder === undefined)('public captures equal an independent reader', () => {
  const digest = (rows: readonly ArrayLike<number>[]): string => {
    const hash = createHash('sha256');
    for (const row of rows) hash.update(new Uint8Array(Int16Array.from(row).buffer));
    return hash.digest('hex');
  };

  it.each([
    ['picoscenes_iwl5300_example.csi', 112, CSIREAD.iwl5300],
    ['rx_by_qca9300.csi', 1000, CSIREAD.qca9300],
  ])('%s', (name, count, expected) => {
    const blocks = recordingBlocks(`${folder}/${name}`, testContext().context);
    expect(blocks.reduce((sum, block) => sum + block.count, 0)).toBe(count);
    expect(digest(blocks.map((block) => block.values))).toBe(expected);
  });

  it('picoscenes_ax200_example.csi, but that the reader takes the real part first', () => {
    const blocks = recordingBlocks(`${folder}/picoscenes_ax200_example.csi`, testContext().context);
    expect(blocks.reduce((sum, block) => sum + block.count, 0)).toBe(885);
    const ht = blocks.find(({ layout }) => layout.subcarriers.length === 56)!;
    expect([...ht.values.subarray(0, 4)]).toEqual([39, -112, -22, -119]);
    const kept = Array.from({ length: 56 }, (_, tone) => tone).filter(
      (tone) => !AX200_LEFT_OUT.includes(tone),
    );
    const rows = Array.from({ length: ht.count }, (_, i) =>
      kept.flatMap((tone) => [ht.values[224 * i + 2 * tone + 1]!, ht.values[224 * i + 2 * tone]!]),
    );
    expect(digest(rows)).toBe(CSIREAD.ax200);
  });
});

it('rejects a centre frequency outside the bands of 802.11', () => {
  const values = numbers(1, 60, 8);
  for (const [mhz, isKnown] of [
    [17_594_598, false],
    [0, false],
    [3000, false],
    [2412, true],
    [5250, true],
    [6985, true],
  ] as const) {
    const { block, failed } = decoded(encodePicoscenes({ ...FRAME, mhz }, intelBody(FRAME, values)));
    expect([block?.layout.centreMhz, failed.map(({ code }) => code)]).toEqual(
      isKnown ? [mhz, []] : [undefined, ['decode.frequency']],
    );
    for (const { reason } of failed) expect(reason).toContain(`${mhz} MHz is in no band of 802.11`);
  }
});
