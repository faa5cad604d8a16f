import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openRecording } from '../../pipeline/sources/recording.js';
import { seeded } from '../../pipeline/base/random.js';
import { encodeFeitcsi } from '../../pipeline/formats/devices/intel/feitcsi.js';
import { pcapOf } from './pcap-files.js';
import { SAMPLES } from './samples.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-tried-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const answerTo = async (bytes: Uint8Array): Promise<string> => {
  const path = join(folder, 'unknown');
  writeFileSync(path, bytes);
  return openRecording(path).then(
    () => 'opened',
    (error: unknown) => (error as Error).message,
  );
};
const garbage = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 89 + 7) & 0x7f));

test.each(['picoscenes', 'feitcsi', 'atheros', 'esp-framed'])(
  'after garbage, %s is reported as the closest format, and can be named',
  async (format) => {
    const { records, kind } = SAMPLES.find((sample) => sample.format === format)!;
    const bytes = Buffer.concat([garbage, ...records]);
    expect(await answerTo(bytes)).toMatch(
      new RegExp(
        `the most similar kind is ${kind}, which finds 1[12] records in the first ${bytes.length} bytes`,
      ),
    );
    const named = await openRecording(join(folder, 'unknown'), kind!);
    const found = [];
    for await (const { raw } of named.batches(100)) found.push(raw.count);
    expect(found.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(11);
  },
);

test.each([
  ['SQLite format 3\0', 'it is an SQLite database'],
  ['\x89MCAP0\r\n', 'it is an MCAP recording'],
  ['\xff\xfeC\0S\0I\0', 'it is text in UTF-16'],
  ['\xfd7zXZ\0\0', 'it is compressed by xz: unpack it (`xz -d`)'],
])('%j is named', async (text, expected) => {
  expect(await answerTo(Buffer.from(text, 'latin1'))).toContain(expected);
});

test('bytes of no known program: the kinds that were tried are listed', async () => {
  const answer = await answerTo(Buffer.from('1.5,2.5,3.5\n1.0,2.0,3.0\n'));
  expect(answer).toContain('none finds a record in its first 24 bytes. Kinds tried:\n  capture: ');
});

const nexmonOf = (chip: number): Uint8Array[] =>
  SAMPLES.find(({ format }) => format === 'nexmon')!.records.map((record) => {
    const changed = Uint8Array.from(record);
    new DataView(changed.buffer).setUint16(16, chip, true);
    return changed;
  });
const feitcsi = (rate: number, tones: number, index: number) =>
  encodeFeitcsi(
    {
      ...{ ticks: index * 3_200_000, rx: 4, tx: 4, tones, rssi: -40, rate },
      mac: Uint8Array.of(1, 2, 3, 4, 5, 6),
    },
    new Int16Array(16 * tones).fill(3),
  );

test.each([
  [
    'of a chip that is not supported',
    pcapOf(nexmonOf(77)),
    'the nearest kind is nexmon-pcap, but the 12 records that it finds in the first ',
    ' cannot be read: chip 77: supported are 1, ',
  ],
  [
    'with EHT frames',
    Buffer.concat([0, 1, 2].map((index) => feitcsi(0x500, 242, index))),
    'the nearest kind is feitcsi-file, but the 3 records',
    'its rate has the format EHT (802.11be), which is not read',
  ],
  [
    'of UDP packets to another port',
    pcapOf(nexmonOf(1), { port: 5501 }),
    'it is a pcap whose first ',
    'have 12 Ethernet packets (12 are UDP to port 5501), no beamforming reports, and no CSI of Nexmon (UDP to port 5500)',
  ],
  ...(['esp-csi', 'esp32-csi-tool'] as const).flatMap((format) =>
    [';', '\t'].map((separator): [string, Buffer, string] => [
      `of ${format} with ${JSON.stringify(separator)} between its columns`,
      Buffer.from(
        SAMPLES.find((sample) => sample.format === format)!
          .records.map((record) => Buffer.from(record).toString('latin1').replaceAll(',', separator))
          .join('\n'),
      ),
      `the nearest kind is ${format}-log, but the columns of its CSI_DATA lines are separated by ` +
        `${separator === ';' ? 'semicolons' : 'tabs'}: separate them by commas`,
    ]),
  ),
  [
    'of 802.11 frames without radiotap',
    pcapOf([Uint8Array.of(0x80, 0, 0, 0)], { linkType: 105 }),
    'it is a pcap',
    '1 802.11 frames without radiotap headers (capture them with `tcpdump -y IEEE802_11_RADIO`)',
  ],
])('a file %s is answered with what comes nearest, and why it is not read', async (_, bytes, ...expected) => {
  const answer = await answerTo(bytes);
  for (const part of expected) expect(answer).toContain(part);
});

test('random bytes are near to no kind', async () => {
  const random = seeded(12);
  const bytes = Buffer.from(Array.from({ length: 60_000 }, () => Math.floor(random() * 256)));
  expect(await answerTo(bytes)).toContain('; none finds a record in its first 60000 bytes. Kinds tried:');
});

test('a file whose first record is longer than the usual head is recognised', async () => {
  // 802.11ax at 160 MHz with sixteen streams.
  const bytes = Buffer.concat([0, 1].map((index) => feitcsi(0x400 | (3 << 11), 1992, index)));
  expect(bytes.length).toBeGreaterThan(2 * 65_536);
  expect(await answerTo(bytes)).toBe('opened');
  const recording = await openRecording(join(folder, 'unknown'));
  expect(recording.kind).toBe('feitcsi-file');
});
