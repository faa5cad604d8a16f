import { describe, expect, it, test } from 'vitest';
import { ANY_FORMAT, formatNamed, linesOf, linesOfMessage } from '../../pipeline/formats/index.js';
import { bareRecords, SAMPLES } from './samples.js';

/** csi-json has no sample: it has no bytes of its own. */
const JSON_FRAMES = [1, 2].map((real) =>
  JSON.stringify({ antenna_data: [[{ real, imag: -1 }]], metadata: { router_id: 'a' } }),
);

const recordsOf = (format: string): readonly string[] =>
  SAMPLES.find((sample) => sample.format === format)?.records.map((record) =>
    Buffer.from(record).toString('latin1').trimEnd(),
  ) ?? JSON_FRAMES;

const parts = (message: string | Uint8Array, format = 'auto') =>
  linesOfMessage(Buffer.from(message), formatNamed(format))?.map(({ record, line }) => [
    line,
    Buffer.from(record).toString('latin1'),
  ]) ?? null;

describe.each(['\n', '\r\n', '\r'])('lines that end with %j', (end) => {
  const lines = ['CSI_DATA,1', '', 'I (12) wifi: ready', 'CSI_DATA,2'];

  test('are numbered from 1, with their first byte', () => {
    const found = [...linesOf(Buffer.from(lines.join(end) + end))];
    expect(found.map(({ record }) => Buffer.from(record).toString())).toEqual(lines);
    expect(found.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
    expect(found[2]!.at).toBe(10 + 2 * end.length);
  });

  it.each(['esp-csi', 'esp32-csi-tool', 'micropython-csi', 'csi-json', 'mediatek-csi'])(
    'are the records of a message of %s',
    (format) => {
      const [one, two] = recordsOf(format) as [string, string];
      for (const read of [format, 'auto'])
        expect(parts(one + end + two + end, read)).toEqual([
          [1, one],
          [2, two],
        ]);
    },
  );
});

test('damaged lines and log lines among good ones remain, empty ones do not', () => {
  const [one, two] = recordsOf('esp-csi') as [string, string];
  const message = ['\x1b[0;32mI (574) csi: start\x1b[0m', one, '', one.slice(0, 90), two].join('\r\n');
  expect(parts(message)!.map(([line]) => line)).toEqual([1, 2, 4, 5]);
});

describe('null bytes before a line, as a serial port receives them from a board that starts, are left out', () => {
  const [one, two] = recordsOf('micropython-csi') as [string, string];

  it.each(['esp-csi', 'esp32-csi-tool', 'micropython-csi', 'csi-json'])('of %s', (format) => {
    const [first, second] = recordsOf(format) as [string, string];
    for (const read of [format, 'auto'])
      expect(parts(`\0\0\0${first}\n\0${second}\r\n`, read)).toEqual([
        [1, first],
        [2, second],
      ]);
  });

  test('also before the only one', () => {
    expect(parts(`\0\0${one}`)).toEqual([[1, one]]);
  });

  test('and its location is that of its first character', () => {
    const [first, second] = linesOfMessage(Buffer.from(`\0\0${one}\n\0${two}`), ANY_FORMAT)!;
    expect([first!.at, second!.at]).toEqual([2, one.length + 4]);
  });

  test.each(['\0'.repeat(400), `\0${'x'.repeat(40)}`, '\0\0\n\0'])('but not of other bytes', (message) => {
    expect(parts(message)).toBeNull();
  });
});

test('a header line is a record of its own', () => {
  const [one] = recordsOf('esp-csi') as [string];
  const heading = 'type,seq,mac,rssi,rate,noise_floor,fft_gain,agc_gain,channel,data';
  expect(parts(`${heading}\n${one}`)).toEqual([
    [1, heading],
    [2, one],
  ]);
});

describe('one record is', () => {
  it.each(SAMPLES)('each of $format, whatever its bytes', (sample) => {
    for (const record of bareRecords(sample)) expect(linesOfMessage(record, ANY_FORMAT)).toBeNull();
  });

  test('JSON over several lines', () => {
    const [json] = recordsOf('csi-json') as [string];
    expect(parts(JSON.stringify(JSON.parse(json), null, 1))).toBeNull();
  });

  test('a message without a line of the format', () => {
    const [one, two] = recordsOf('esp-csi') as [string, string];
    expect(parts(`${one}\n${two}`, 'csi-json')).toBeNull();
  });

  test('text with too many lines', () => {
    const [one] = recordsOf('esp-csi') as [string];
    expect(parts(one + '\nx'.repeat(16_384))).toBeNull();
    expect(parts(one + '\nx'.repeat(16_383))).toHaveLength(16_384);
  });
});
