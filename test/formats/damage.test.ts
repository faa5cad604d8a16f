import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adr018Jsonl } from '../../pipeline/formats/devices/adr018/adr018-jsonl.js';
import { capture, encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { encodeLine, esp32SerialLog } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { encodeMeasurement } from '../../pipeline/formats/devices/intel/intel5300.js';
import { intel5300Log } from '../../pipeline/formats/devices/intel/intel5300-log.js';
import { testContext } from '../support/context.js';
import { batchesOf } from './batches.js';
import { cutAll } from './cut.js';

const COUNT = 100;
/** Deterministic bytes of -128 to 127. */
const noise = (seed: number, length: number) =>
  Float64Array.from({ length }, (_, i) => ((Math.imul(seed * 977 + i + 1, 0x9e3779b1) >>> 24) & 0xff) - 128);

const intelEntry = (index: number, time: number): Uint8Array =>
  encodeMeasurement(
    {
      timestamp: time,
      count: index,
      rx: 3,
      tx: 1,
      rssi: [30, 31, 32],
      noise: -90,
      agc: 20,
      antennaSelection: 0x24,
      rate: 0x100,
    },
    noise(index, 180),
  );
/** The payload of a packet, in the interleaved form of logs. */
const payload = (index: number): Uint8Array => {
  const body = Uint8Array.from(noise(index + 5000, 131));
  body.set([0, 129, 0xc1]);
  return body;
};
const intelTimes = Array.from({ length: COUNT }, (_, i) => 1_000_000 + 10_000 * i);
const intelLog = (times: readonly number[] = intelTimes): Buffer[] =>
  times.flatMap((time, i) => [Buffer.from(payload(i)), Buffer.from(intelEntry(i, time))]);

const espLine = (index: number, timeMs: number): string =>
  encodeLine({ sequence: index, timeMs, rssi: -40 }, [noise(index, 104)]);
const espTimes = Array.from({ length: COUNT }, (_, i) => 304_056 + 10 * i);
const espLog = (times: readonly number[]): Buffer =>
  Buffer.from(times.map((time, i) => `${espLine(i, time)}\n`).join(''));

const lastTime = (records: readonly { readonly time: number }[]): number => records.at(-1)!.time;

describe('a damaged Intel 5300 log', () => {
  it.each(Array.from({ length: 16 }, (_, bit) => bit))(
    'loses one measurement to a flipped bit %i of its length, and names the position',
    (bit) => {
      const entries = intelLog();
      const damaged = 2 * 10 + 1;
      const place = entries.slice(0, damaged).reduce((sum, { length }) => sum + length, 0);
      const bytes = Buffer.concat(entries);
      bytes[place + (bit < 8 ? 1 : 0)]! ^= 1 << (bit & 7);
      const { records, problems } = cutAll(bytes, 4096, intel5300Log)!;
      const whole = records.filter(({ bytes: { length } }) => length === intelEntry(0, 0).length - 2);
      expect(whole.length).toBeGreaterThanOrEqual(COUNT - 1);
      expect(problems.map(({ code }) => code)).toContain('intel5300.damaged');
      expect(lastTime(records)).toBe(intelTimes.at(-1));
    },
  );

  it.each(Array.from({ length: 32 }, (_, bit) => bit))(
    'loses one measurement to bit %i of its time',
    (bit) => {
      const times = intelTimes.with(50, (intelTimes[50]! ^ (1 << bit)) >>> 0);
      const { records } = cutAll(Buffer.concat(intelLog(times)), 4096, intel5300Log)!;
      expect(records.length).toBeGreaterThanOrEqual(COUNT - 1);
      expect(lastTime(records)).toBe(intelTimes.at(-1));
    },
  );

  it('loses almost nothing to any flipped bit, in pieces of any size', () => {
    const good = Buffer.concat(intelLog());
    fc.assert(
      fc.property(fc.nat(good.length * 8 - 1), fc.integer({ min: 300, max: 9000 }), (bit, piece) => {
        const bytes = Buffer.from(good);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        const cut = cutAll(bytes, piece, intel5300Log)!;
        expect(cut).toEqual(cutAll(bytes, bytes.length, intel5300Log));
        expect(cut.records.length).toBeGreaterThanOrEqual(COUNT - 1);
        expect(Math.abs(lastTime(cut.records) - intelTimes.at(-1)!)).toBeLessThan(1_500_000);
      }),
      { numRuns: 100 },
    );
  });

  it('is read on after a block of zeros and after missing bytes', () => {
    const good = Buffer.concat(intelLog());
    const holed = Buffer.from(good);
    holed.fill(0, 4096, 8192);
    const cut = Buffer.concat([good.subarray(0, 5001), good.subarray(9000)]);
    const lost = Math.ceil(4096 / (131 + intelEntry(0, 0).length)) + 1;
    for (const bytes of [holed, cut]) {
      const { records, problems } = cutAll(bytes, 4096, intel5300Log)!;
      expect(records.length).toBeGreaterThanOrEqual(COUNT - lost);
      expect(problems.length).toBeGreaterThan(0);
      expect(lastTime(records)).toBe(intelTimes.at(-1));
    }
  });
});

describe('a damaged time', () => {
  const at = 50;
  const changed = (times: readonly number[], time: number) => times.with(at, time);

  it.each([9_000_000, 334_000, 304_056, 3_000_000_000])(
    'of %i ms in an ESP32 log drops that line, and leaves event time unchanged',
    (time) => {
      const { records, problems } = cutAll(espLog(changed(espTimes, time)), 3000, esp32SerialLog)!;
      expect(records.map((record) => record.time)).toEqual(
        espTimes.filter((_, i) => i !== at).map((ms) => ms * 1000),
      );
      expect(problems).toMatchObject([
        { code: 'esp32-serial.stray', location: expect.stringContaining('line 51 ') as string },
      ]);
    },
  );

  it('of 30 s more in an Intel log drops that measurement', () => {
    const { records, problems } = cutAll(
      Buffer.concat(intelLog(changed(intelTimes, intelTimes[at]! + 30_000_000))),
      3000,
      intel5300Log,
    )!;
    expect(records.map((record) => record.time)).toEqual(intelTimes.filter((_, i) => i !== at));
    expect(problems).toMatchObject([{ code: 'intel5300.stray' }]);
  });

  it('in JSON lines drops that line', () => {
    const times = Array.from({ length: COUNT }, (_, i) => 1_775_182_186 + i / 32);
    const line = (timestamp: number) =>
      JSON.stringify({
        timestamp,
        node_id: 1,
        magic: '0xC5110001',
        type: 'raw_csi',
        subcarriers: 64,
        iq_hex: '01'.repeat(128),
      });
    const bytes = Buffer.from(changed(times, 9_775_182_186).map(line).join('\n'));
    const { records, problems } = cutAll(bytes, 3000, adr018Jsonl)!;
    expect(records.map((record) => record.time)).toEqual(
      times.filter((_, i) => i !== at).map((seconds) => Math.round(seconds * 1e6)),
    );
    expect(problems).toMatchObject([
      { code: 'jsonl.stray', location: expect.stringMatching(/^line 51 \(byte \d+\)$/) as string },
    ]);
  });

  it('that persists is a clock that was set: time continues from there', () => {
    const restarted = espTimes.map((time, i) => (i < at ? time : 10 * i));
    const { records, problems } = cutAll(espLog(restarted), 3000, esp32SerialLog)!;
    expect(records).toHaveLength(COUNT - 2);
    expect(problems).toHaveLength(2);
    const times = records.map((record) => record.time);
    expect(times[at]! - times[at - 1]!).toBe(50_000);
    expect(times[at + 1]! - times[at]!).toBe(10_000);
  });

  it('that is a real pause of up to a minute is kept', () => {
    const paused = espTimes.map((time, i) => (i < at ? time : time + 40_000));
    const { records } = cutAll(espLog(paused), 3000, esp32SerialLog)!;
    expect(records.map((record) => record.time)).toEqual(paused.map((time) => time * 1000));
  });
});

it('a truncated ESP32 line loses that line, not the one that follows in it', () => {
  const lines = espTimes.map((time, i) => espLine(i, time));
  const bytes = Buffer.from(`${lines[0]}\n${lines[1]!.slice(0, 90)}${lines[2]}\nI (7) wifi: ${lines[3]}\n`);
  const { records, problems } = cutAll(bytes, 500, esp32SerialLog)!;
  expect(records.map(({ bytes: record }) => Buffer.from(record).toString())).toEqual(
    [0, 2, 3].map((i) => lines[i]),
  );
  expect(problems).toMatchObject([
    { code: 'esp32-serial.joined', location: expect.stringContaining('line 2 ') as string },
  ]);
});

it('of two complete ESP32 lines in one, the first is not said to lack its end', () => {
  const lines = espTimes.map((time, i) => espLine(i, time));
  const { problems } = cutAll(Buffer.from(`${lines[0]}\n${lines[1]}${lines[2]}\n`), 500, esp32SerialLog)!;
  expect(problems.map(({ message }) => message)).toEqual([
    'a CSIRAW line runs into the next one, without a line break: only the last one in this line is read',
  ]);
});

it('a capture loses almost nothing to any flipped bit, in pieces of any size', () => {
  const header = encodeHeader({ format: 'adr018', origin: 'replay' });
  const records = Array.from({ length: COUNT }, (_, i) => ({
    bytes: Uint8Array.from(noise(i, 150)),
    time: 1e15 + 10_000 * i,
    sender: '127.0.0.1:4000',
  }));
  const good = Buffer.concat([header, ...batchesOf(records, 10).map(encodeRecords)]);
  fc.assert(
    fc.property(
      fc.integer({ min: header.length * 8, max: good.length * 8 - 1 }),
      fc.integer({ min: 50, max: 9000 }),
      (bit, piece) => {
        const bytes = Buffer.from(good);
        bytes[bit >> 3]! ^= 1 << (bit & 7);
        const cut = cutAll(bytes, piece, capture)!;
        expect(cut.records.length).toBe(COUNT - 1);
        expect(cut.problems).toHaveLength(1);
      },
    ),
    { numRuns: 300 },
  );
});

it.each(['intel5300', 'esp32-serial', 'csi-json', 'adr018'])('a clock tick is not a record of %s', (name) => {
  const { context, recorded } = testContext();
  const decoder = formatNamed(name).decoder(context);
  for (const raw of batchesOf([{ bytes: new Uint8Array(0), sender: '' }])) {
    expect(decoder.decode(raw)).toEqual({ data: [] });
  }
  expect(recorded.dropped).toEqual({});
  expect(decoder.describe()['malformed']).not.toMatchObject({ measurement: 1 });
});
