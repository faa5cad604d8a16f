import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportCarriers } from '../../pipeline/formats/devices/beamforming/beamforming-carriers.js';
import {
  anglePattern,
  readReport,
  steeringMatrices,
  type Report,
} from '../../pipeline/formats/devices/beamforming/beamforming-report.js';
import {
  beamformingPcap,
  encodeReport,
  type WrittenReport,
} from '../../pipeline/formats/devices/beamforming/beamforming.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { recordsOf } from '../../pipeline/formats/containers/pcap.js';
import { wideCentreMhz } from '../../pipeline/formats/radio/wifi-channel.js';
import { LinkTable, type CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { anySender, recordingBlocks } from '../support/recordings.js';
import { sharedFile } from '../support/shared.js';
import { batchOf } from './batches.js';
import { cutAll } from './cut.js';
import { pcapngOf, pcapOf } from './pcap-files.js';

const STATION = Uint8Array.of(0xb0, 0xb9, 0x8a, 0x63, 0x55, 0x9c);
const ACCESS_POINT = Uint8Array.of(0x3c, 0x37, 0x86, 0x24, 0x52, 0x63);

function decoded(bytes: Uint8Array) {
  const { context } = testContext({ links: new LinkTable([anySender]) });
  const decoder = formatNamed('beamforming').decoder(context);
  const { data, failed } = decoder.decode(batchOf({ bytes }));
  return { block: data[0] as CsiBlock, failed: failed ?? [], reported: decoder.describe() };
}

const WRITTEN: WrittenReport = {
  ...{ kind: 'vht', rows: 3, columns: 1, width: 1, grouping: 1, codebook: 1, isMulti: false, token: 5 },
  ...{ station: STATION, accessPoint: ACCESS_POINT, mhz: 5745, rssi: -54, clock: 123_456 },
};
const BITS = { phi: 6, psi: 4 };
const still = (length: number) => new Array<number>(length).fill(1);

const anyReport = fc
  .record({
    kind: fc.constantFrom('vht' as const, 'he' as const),
    rows: fc.integer({ min: 2, max: 8 }),
    columns: fc.integer({ min: 1, max: 8 }),
    width: fc.integer({ min: 0, max: 3 }),
    coarse: fc.boolean(),
    codebook: fc.constantFrom(0 as const, 1 as const),
    isMulti: fc.boolean(),
    token: fc.nat(63),
    seed: fc.nat(1000),
  })
  .map(({ coarse, seed, columns, ...report }) => {
    const grouping = report.kind === 'he' ? (coarse ? 16 : 4) : coarse ? 4 : 1;
    const bits = report.isMulti
      ? [
          { phi: 7, psi: 5 },
          { phi: 9, psi: 7 },
        ]
      : [
          { phi: 4, psi: 2 },
          { phi: 6, psi: 4 },
        ];
    const written = { ...WRITTEN, ...report, columns: Math.min(columns, report.rows), grouping };
    const { phi, psi } = bits[report.codebook]!;
    const carriers = reportCarriers(report.kind, report.width, grouping)!;
    const pattern = anglePattern(written);
    const angles = Array.from({ length: carriers.length * pattern.length }, (_, i) => {
      return (seed * 7919 + i * 31) % (1 << (pattern[i % pattern.length]! ? phi : psi));
    });
    return { written, bits: { phi, psi }, carriers, angles };
  });

it('decode(encode(x)) = x for every kind, size, width, grouping and codebook', () => {
  fc.assert(
    fc.property(anyReport, ({ written, bits, carriers, angles }) => {
      const { kind, rows, columns, width, token } = written;
      const report = readReport(encodeReport(written, bits, angles));
      expect(report).toMatchObject({ kind, rows, columns, width, token, bits });
      if ('fault' in report) throw new Error(report.reason);
      expect([...report.angles]).toEqual(angles);
      expect([...report.carriers]).toEqual([...carriers]);
    }),
    { numRuns: 20 },
  );
});

it('the columns of a matrix are orthonormal, and its last row is real', () => {
  fc.assert(
    fc.property(anyReport, ({ written, bits, angles }) => {
      const report = readReport(encodeReport(written, bits, angles)) as Report;
      const values = steeringMatrices(report);
      const { rows, columns, carriers } = report;
      const at = (column: number, row: number, carrier: number) =>
        2 * ((column * rows + row) * carriers.length + carrier);
      const carrier = carriers.length >> 1;
      for (let a = 0; a < columns; a++) {
        expect(values[at(a, rows - 1, carrier) + 1]).toBeCloseTo(0, 12);
        for (let b = 0; b < columns; b++) {
          let [re, im] = [0, 0];
          for (let row = 0; row < rows; row++) {
            const [x, y] = [at(a, row, carrier), at(b, row, carrier)];
            re += values[x]! * values[y]! + values[x + 1]! * values[y + 1]!;
            im += values[x]! * values[y + 1]! - values[x + 1]! * values[y]!;
          }
          expect(re).toBeCloseTo(a === b ? 1 : 0, 12);
          expect(im).toBeCloseTo(0, 12);
        }
      }
    }),
    { numRuns: 10 },
  );
});

it.each([
  ['vht', 1, [52, 108, 234, 468]],
  ['vht', 2, [30, 58, 122, 244]],
  ['vht', 4, [16, 30, 62, 124]],
  ['he', 4, [64, 122, 250, 500]],
  ['he', 16, [20, 32, 64, 128]],
] as const)('%s with grouping %i has the carriers of the standard', (kind, grouping, counts) => {
  expect([0, 1, 2, 3].map((width) => reportCarriers(kind, width, grouping)!.length)).toEqual(counts);
});

it('a frame contains what the report and the card provide', () => {
  const { block, reported } = decoded(encodeReport(WRITTEN, BITS, still(432)));
  expect(block.layout).toMatchObject({
    ...{ rx: 1, tx: 3, bandwidthMhz: 40, centreMhz: 5755, training: 'vht-ltf' },
    measurement: 'beamforming-report',
  });
  expect(block).toMatchObject({
    rssi: Float32Array.of(-54),
    deviceTime: Float64Array.of(123_456),
    bits: Uint8Array.of(6),
    instance: Int32Array.of(5),
  });
  expect(reported['any_sender']).toMatchObject({ 'b0:b9:8a:63:55:9c/3c:37:86:24:52:63': { frames: 1 } });
});

it('a link can name the station and its access point', () => {
  const link = { ...anySender.links[0]!, sender: 'b0:b9:8a:63:55:9c/3c:37:86:24:52:63' };
  const { context } = testContext({ links: new LinkTable([{ ...anySender, links: [link] }]) });
  const decoder = formatNamed('beamforming').decoder(context);
  const take = (station: Uint8Array) =>
    decoder.decode(batchOf({ bytes: encodeReport({ ...WRITTEN, station }, BITS, still(432)) })).data.length;
  expect([take(STATION), take(ACCESS_POINT)]).toEqual([1, 0]);
});

/** The packet with its control field changed: 22 bytes of radiotap, 24 of the header, category and action. */
const changed = (at: number, change: (byte: number) => number, kind: 'vht' | 'he' = 'vht') => {
  const bytes = encodeReport(
    { ...WRITTEN, kind, grouping: kind === 'he' ? 4 : 1 },
    BITS,
    still(kind === 'he' ? 488 : 432),
  );
  bytes[at] = change(bytes[at]!);
  return bytes;
};

it.each([
  ['radiotap', encodeReport(WRITTEN, BITS, still(432)).subarray(0, 10)],
  ['frame', changed(22, () => 0x80)],
  ['eht', changed(46, () => 36)],
  ['segment', changed(49, (byte) => byte | 0x10)],
  ['partial', changed(51, () => 4, 'he')],
  ['kind', changed(49, (byte) => byte | 0x08, 'he')],
  ['header', changed(48, (byte) => byte & ~0x38)],
  ['truncated', encodeReport(WRITTEN, BITS, still(432)).subarray(0, 200)],
  ['length', encodeReport(WRITTEN, BITS, still(500))],
  ['channel', changed(17, () => 0)],
])('rejects unreadable input: %s', (fault, bytes) => {
  expect(decoded(bytes).failed).toMatchObject([{ code: `decode.${fault}` }]);
});

it('reads a report behind a radiotap header without any field, at an assumed channel', () => {
  const packet = encodeReport(WRITTEN, BITS, still(432));
  const behind = packet[2]! | (packet[3]! << 8);
  const bare = Buffer.concat([Uint8Array.of(0, 0, 8, 0, 0, 0, 0, 0), packet.subarray(behind)]);
  const [known, assumed] = [packet, bare].map((bytes) => decoded(bytes).block);
  expect(assumed!.values).toEqual(known!.values);
  expect(assumed!.layout.centreMhz).toBe(wideCentreMhz(5320, known!.layout.bandwidthMhz));
  expect(assumed!.rssi[0]).toBeNaN();
});

it.each([
  ['pcap', (packets: readonly Uint8Array[]) => pcapOf(packets, { linkType: 127 })],
  ['pcapng', (packets: readonly Uint8Array[]) => pcapngOf(packets, { linkType: 127 })],
])('%s: skips other frames, including encrypted reports', (_, fileOf) => {
  const report = encodeReport(WRITTEN, BITS, still(432));
  const file = fileOf([changed(22, () => 0x80), report, changed(23, () => 0x40), report]);
  expect(beamformingPcap.recognise(file)).toBe(true);
  const { records, problems } = cutAll(file, 100, beamformingPcap)!;
  expect(problems).toEqual([]);
  expect(records.map(({ bytes }) => bytes)).toEqual([[...report], [...report]]);
});

it.each([
  [5180, 40, 5190],
  [5200, 80, 5210],
  [5500, 160, 5570],
  [5745, 40, 5755],
  [5765, 80, 5775],
  [5975, 80, 5985],
  [2437, 40, 2437],
])('the 20 MHz channel around %i is part of the %i MHz around %i', (mhz, width, centre) => {
  expect(wideCentreMhz(mhz, width)).toBe(centre);
});

const folder = sharedFile('captures/beamforming');
describe.skipIf(folder === undefined)('a public capture', () => {
  const capture = `${folder}/11ac_SU_3x1_40.pcapng`;

  it('gives every report', () => {
    const blocks = recordingBlocks(capture, testContext().context);
    expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(631);
  });

  it('has the angles and matrices of an independent decoder', () => {
    const array = readFileSync(`${folder}/angles_b0b98a63559c_first200.npy`);
    const expected = array.subarray(10 + array.readUInt16LE(8));
    const reports = recordsOf(readFileSync(capture), (_, packet) => packet)
      .map(readReport)
      .filter((report) => !('fault' in report) && report.monitor.frame[10] === 0xb0);
    const angles = (reports.slice(0, 200) as Report[]).flatMap((report) => [...report.angles]);
    expect(Buffer.from(angles).equals(expected)).toBe(true);
    const { V_frame0_carrier0: first, V_frame0_carrier107: last } = JSON.parse(
      readFileSync(`${folder}/angles_b0b98a63559c.json`, 'utf8'),
    ) as Record<string, readonly number[][]>;
    const values = steeringMatrices(reports[0] as Report);
    for (const [carrier, matrix] of [
      [0, first!],
      [107, last!],
    ] as const)
      for (const [row, value] of matrix.entries())
        for (const [part, number] of value.entries())
          expect(Math.abs(values[2 * (108 * row + carrier) + part]! - number)).toBeLessThan(1e-12);
  });
});
