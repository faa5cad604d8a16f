import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context, RawBatch, SourceBatch } from '../../pipeline/component/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import {
  encodeMeasurement,
  parseMeasurement,
  scaleFactor,
} from '../../pipeline/formats/devices/intel/intel5300.js';
import { LinkTable, type CsiBlock, type Data } from '../../pipeline/model/index.js';
import { file } from '../../pipeline/sources/file/file.js';
import { batchesOf } from '../formats/batches.js';
import { testContext, testEnvironment } from '../support/context.js';
import { jsonFrameAt } from '../support/json-frames.js';
import { sharedFile } from '../support/shared.js';
import { collector } from './outputs.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

const DEFAULTS = {
  format: 'auto',
  records: 'auto',
  speed: 0,
  loop: false,
  follow: false,
  poll_ms: 10,
  batch_records: 64,
} as const;
type Settings = Partial<Parameters<typeof file.create>[0]> & { readonly path: string };

function make(settings: Settings, overrides: Partial<Context> = {}) {
  const { context, recorded } = testContext({ folder, ...overrides });
  return { source: file.create({ ...DEFAULTS, ...settings }, context), recorded };
}

/** Plays to the end; returns the data of all batches, and the batches. */
async function play(settings: Settings, overrides: Partial<Context> = {}) {
  const { source, recorded } = make(settings, overrides);
  const { output, batches } = collector();
  await source.open(null, output);
  const data = batches.flatMap(({ raw }) => source.decode!(raw!).data);
  return { data, batches, recorded, source };
}

/** One row per frame or record, sorted: must not depend on batches or speed. */
const rows = (data: readonly Data[]): string[] =>
  data.flatMap((one) => (one.port === 'csi' ? frames(one) : [JSON.stringify(one)])).sort();
const frames = (block: CsiBlock): string[] =>
  Array.from({ length: block.count }, (_, i) => {
    const size = block.values.length / block.count;
    const values = block.values.subarray(i * size, (i + 1) * size).join();
    return `${block.layout.key} ${block.time[i]} ${block.link[i]} ${block.sequence[i]} ${block.rssi[i]} ${values}`;
  });

const records = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    bytes: encodePairs(
      { node: 1 + (i % 2), bins: 64, mhz: 2437, sequence: i >> 1, rssi: -40, noise: -90 },
      new Int8Array(128).fill(i),
    ),
    time: 1e15 + i * 5000,
    sender: `10.0.0.${i % 3}:4000`,
  }));

async function capture(
  name: string,
  count: number,
): Promise<{ path: string; bytes: Buffer; lengths: number[] }> {
  const parts = [
    encodeHeader({ format: 'adr018', origin: 'replay' }),
    ...batchesOf(records(count), 1).map(encodeRecords),
  ];
  const bytes = Buffer.concat(parts);
  await writeFile(join(folder, name), bytes);
  return { path: name, bytes, lengths: parts.map((part) => part.length) };
}

const rawRows = (batches: readonly SourceBatch[]): unknown[] =>
  batches.flatMap(({ raw }) => Array.from({ length: raw!.count }, (_, i) => rowOf(raw!, i)));
const rowOf = (raw: RawBatch, i: number) => [
  raw.time[i],
  raw.senders[raw.sender[i]!],
  Buffer.from(raw.bytes.subarray(raw.offsets[i], raw.offsets[i + 1])).toString('hex'),
];

describe('a capture', () => {
  it('returns the records, times and senders that were written', async () => {
    const { path } = await capture('whole.csi', 100);
    const { batches } = await play({ path });
    expect(rawRows(batches)).toEqual(
      rawRows(batchesOf(records(100), 7).map((raw) => ({ raw, position: null }))),
    );
  });

  it('is read up to its truncation, with a warning that names the byte', async () => {
    const { bytes, lengths } = await capture('cut.csi', 10);
    for (const missing of [1, 4, 100, lengths[10]! - 1]) {
      await writeFile(join(folder, 'cut.csi'), bytes.subarray(0, bytes.length - missing));
      const { batches, recorded } = await play({ path: 'cut.csi' });
      expect(rawRows(batches)).toHaveLength(9);
      expect(recorded.lines.map(({ message }) => message).join()).toContain(
        `byte ${bytes.length - lengths[10]!}`,
      );
    }
  });

  it('is read past a damaged record', async () => {
    const { bytes, lengths } = await capture('damaged.csi', 10);
    bytes[lengths[0]! + lengths[1]! + 30]! ^= 1;
    await writeFile(join(folder, 'damaged.csi'), bytes);
    const { batches, recorded } = await play({ path: 'damaged.csi' });
    expect(rawRows(batches)).toHaveLength(9);
    expect(recorded.dropped).toMatchObject({ 'capture.damaged': 1 });
  });

  it('is read past a record with an impossible length', async () => {
    const { bytes, lengths } = await capture('lost.csi', 10);
    const at = lengths[0]! + lengths[1]!;
    bytes.writeUInt32LE(0xffffffff, at);
    await writeFile(join(folder, 'lost.csi'), bytes);
    const { batches, recorded } = await play({ path: 'lost.csi' });
    expect(rawRows(batches)).toHaveLength(9);
    expect(recorded.lines.filter(({ message }) => message.startsWith('lost.csi'))).toMatchObject([
      {
        level: 'warn',
        message: `lost.csi: byte ${at}: the checksum of a record does not match: ${lengths[2]!} bytes are skipped`,
      },
    ]);
  });

  it('may be compressed with gzip', async () => {
    const { bytes } = await capture('plain.csi', 50);
    await writeFile(join(folder, 'packed.csi.gz'), gzipSync(bytes));
    const plain = await play({ path: 'plain.csi' });
    expect(rawRows((await play({ path: 'packed.csi.gz' })).batches)).toEqual(rawRows(plain.batches));
  });

  it('resumes from any position as if it had not stopped', async () => {
    const { path } = await capture('resume.csi', 60);
    const all = (await play({ path, batch_records: 7 })).batches;
    for (const [i, { position }] of all.entries()) {
      const { source } = make({ path, batch_records: 7 });
      const { output, batches } = collector();
      await source.open(JSON.parse(JSON.stringify(position)), output);
      expect(rawRows(batches)).toEqual(rawRows(all.slice(i + 1)));
    }
  });

  it('plays in a loop with increasing event time', async () => {
    const { path } = await capture('loop.csi', 10);
    const { source } = make({ path, loop: true });
    const { output, batches } = collector(35);
    await source.open(null, output);
    const times = batches.flatMap(({ raw }) => [...raw!.time]);
    expect(times.length).toBeGreaterThanOrEqual(35);
    expect(times.every((time, i) => i === 0 || time > times[i - 1]!)).toBe(true);
  });

  it('is paced by its times', async () => {
    const { path } = await capture('paced.csi', 41); // 200 ms
    const elapsed = () => performance.now();
    const begin = elapsed();
    const { data } = await play({ path, speed: 2 }, { clock: { now: () => 0, elapsed } });
    expect(elapsed() - begin).toBeGreaterThanOrEqual(99);
    expect(rows(data)).toEqual(rows((await play({ path })).data));
  });
});

describe('a file that is not a capture', () => {
  it('is rejected with the readable formats', async () => {
    await writeFile(join(folder, 'text.txt'), 'hello');
    const { source } = make({ path: 'text.txt' });
    await expect(source.open(null, collector().output)).rejects.toThrow(
      /no kind that csiflow reads[^]*adr018-jsonl/,
    );
  });

  it('is named if it is missing', async () => {
    const { source } = make({ path: 'missing.csi' });
    await expect(source.open(null, collector().output)).rejects.toThrow(/missing.csi/);
  });
});

/** A saved position with its cutter's state as written by an earlier 0.1.0. */
function as010(position: unknown, cutter: (now: never) => unknown): never {
  const saved = JSON.parse(JSON.stringify(position)) as { recording: { cutter: never } };
  return { ...saved, recording: { ...saved.recording, cutter: cutter(saved.recording.cutter) } } as never;
}

interface WithClock {
  readonly line: number;
  readonly clock: { readonly last: number; readonly time: number };
}

describe('a position saved by 0.1.0, which did not look past damage, can be resumed', () => {
  const serialLine = (i: number) =>
    encodeLine({ sequence: i, timeMs: 5000 + 10 * i, rssi: -40 }, [new Int8Array(104).fill(i)]);
  const measured = (i: number) =>
    encodeMeasurement(
      {
        timestamp: 9000 + 1000 * i,
        count: i,
        rx: 1,
        tx: 1,
        rssi: [30, 0, 0],
        noise: -90,
        agc: 20,
        antennaSelection: 0,
        rate: 0x100,
      },
      new Float64Array(60).fill(7),
    );
  const each = <T>(make: (i: number) => T) => Array.from({ length: 30 }, (_, i) => make(i));

  it.each([
    ['capture', () => readFile(join(folder, 'old.csi')), () => null],
    [
      'serial log of an ESP32',
      async () => Buffer.from(`${each(serialLine).join('\n')}\n`),
      ({ line, clock: { last, time } }: WithClock) => ({ line, last, offset: time / 1000 - last }),
    ],
    [
      'log of an Intel 5300',
      async () => Buffer.concat(each((i) => measured(i))),
      ({ clock: { last, time } }: WithClock) => ({ last, time, strays: 0 }),
    ],
  ] as const)('%s', async (_, bytes, cutter) => {
    await capture('old.csi', 30);
    const path = 'old.recording';
    await writeFile(join(folder, path), await bytes());
    const all = (await play({ path, batch_records: 7 })).batches;
    expect(all).toHaveLength(5);
    const { output, batches } = collector();
    const { source } = make({ path, batch_records: 7 });
    await source.open(as010(all[1]!.position, cutter), output);
    expect(rawRows(batches)).toEqual(rawRows(all.slice(2)));
  });
});

const recording = sharedFile('captures/adr018/pretrain-1775182186.csi.jsonl');

describe.skipIf(recording === undefined)(
  'the recording of two nodes (skipped if ../shared is missing)',
  () => {
    const path = recording!;

    it('is decoded completely: 5,309 frames, 236 vitals, 236 features, none malformed', async () => {
      const { data, source, recorded } = await play({ path });
      expect(source.describe!()).toMatchObject({
        kind: 'adr018-jsonl',
        packets: { csi: 5309, vitals: 236, features: 236 },
        malformed: { unknown_magic: 0, truncated: 0, oversized: 0 },
        links: { 'link-1': { received: 2659, lost: 0 }, 'link-2': { received: 2650, lost: 0 } },
      });
      // Two compressed packets whose content is not in the file.
      expect(recorded.dropped).toEqual({ 'jsonl.packet': 2 });
      const count = (training: string) =>
        data.reduce(
          (sum, one) => sum + (one.port === 'csi' && one.layout.training === training ? one.count : 0),
          0,
        );
      expect([count('lltf'), count('ht-ltf'), count('stbc-ht-ltf')]).toEqual([5309, 1182, 48]);
    });

    it('shows the gain of the HT field over the legacy one', async () => {
      const { data } = await play({ path });
      const amplitude = new Map<string, number>();
      for (const one of data) {
        if (one.port !== 'csi') continue;
        const size = one.values.length / one.count;
        for (let i = 0; i < one.count; i++) {
          let sum = 0;
          for (let k = i * size; k < (i + 1) * size; k += 2)
            sum += Math.hypot(one.values[k]!, one.values[k + 1]!);
          amplitude.set(`${one.link[i]!} ${one.sequence[i]!} ${one.layout.training}`, sum / (size / 2));
        }
      }
      const ratios = { with128: [] as number[], with192: [] as number[] };
      for (const [key, value] of amplitude) {
        if (!key.endsWith(' ht-ltf')) continue;
        const frame = key.slice(0, -' ht-ltf'.length);
        const ratio = value / amplitude.get(`${frame} lltf`)!;
        (amplitude.has(`${frame} stbc-ht-ltf`) ? ratios.with192 : ratios.with128).push(ratio);
      }
      const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
      expect(mean(ratios.with128)).toBeCloseTo(3.6, 0);
      expect(mean(ratios.with192)).toBeCloseTo(1.2, 0);
    });

    it('gives the same at any batch size and speed', async () => {
      const expected = rows((await play({ path })).data);
      for (const batch_records of [1, 17, 1000])
        expect(rows((await play({ path, batch_records })).data)).toEqual(expected);
      const clock = { now: () => 0, elapsed: () => performance.now() };
      expect(rows((await play({ path, speed: 1000 }, { clock })).data)).toEqual(expected);
    });

    it('resumes from a position in the middle with the same numbers', async () => {
      const all = (await play({ path })).batches;
      const { source } = make({ path });
      const { output, batches } = collector();
      await source.open(all[40]!.position, output);
      expect(rawRows(batches)).toEqual(rawRows(all.slice(41)));
    });

    it('resumes from a position saved by 0.1.0, which did not check clocks', async () => {
      const all = (await play({ path })).batches;
      const { output, batches } = collector();
      await make({ path }).source.open(
        as010(all[40]!.position, ({ line, sequences }: { line: number; sequences: unknown }) => ({
          line,
          sequences,
        })),
        output,
      );
      expect(rawRows(batches)).toEqual(rawRows(all.slice(41)));
    });

    it('is read up to a truncated line', async () => {
      const text = await readFile(path);
      await writeFile(join(folder, 'cut.jsonl'), text.subarray(0, 100_000));
      const { recorded, source } = await play({ path: 'cut.jsonl' });
      expect(recorded.dropped).toEqual({ 'jsonl.truncated': 1 });
      expect(recorded.lines[0]!.message).toMatch(/cut.jsonl: line \d+ \(byte \d+\):/);
      expect(source.describe!()).toMatchObject({ malformed: { truncated: 0 } });
    });
  },
);

describe('a log of an Intel 5300', () => {
  const entry = (timestamp: number) =>
    encodeMeasurement(
      {
        timestamp,
        count: 1,
        rx: 1,
        tx: 1,
        rssi: [30, 0, 0],
        noise: -90,
        agc: 20,
        antennaSelection: 0,
        rate: 0x100,
      },
      new Float64Array(60).fill(7),
    );
  const links = [{ ...testEnvironment.links[0]!, sender: '*' }];
  const environments = [{ ...testEnvironment, links }];
  const anyone = { environments, links: new LinkTable(environments) };

  it('joined from two warns once, with a sum at its end', async () => {
    const times = [...Array(50).keys()].map((i) => i * 10_000);
    const parts = [...times.map((time) => time + 3e9), ...times].map(entry);
    await writeFile(join(folder, 'joined.dat'), Buffer.concat(parts));
    const { recorded, batches } = await play({ path: 'joined.dat' }, anyone);
    const warnings = recorded.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^joined.dat: byte \d+: the card's time 0 us does not follow/),
      expect.stringMatching(/the last of 30 more problems of this kind \(intel5300.stray\)$/),
    ]);
    expect(recorded.dropped).toEqual({ 'intel5300.stray': 31 });
    expect(rawRows(batches)).toHaveLength(69);
  });

  it('can be scaled to the noise', async () => {
    await writeFile(join(folder, 'one.dat'), entry(0));
    const [raw, scaled] = await Promise.all(
      ['auto', 'intel5300-scaled'].map(async (format) => {
        const { data } = await play({ path: 'one.dat', records: format }, anyone);
        return data.flatMap((one) => (one.port === 'csi' ? [...one.values] : []));
      }),
    );
    const measurement = parseMeasurement(entry(0).subarray(2));
    if (typeof measurement === 'string') throw new Error(measurement);
    const factor = scaleFactor(measurement, 60 * 49);
    expect(raw).toEqual(Array(60).fill(7));
    expect(scaled![0]).toBeCloseTo(7 * factor, 5);
  });

  it('uses the link of `sender`, which the format does not name', async () => {
    await writeFile(join(folder, 'east.dat'), entry(0));
    const two = ['west', 'east'].map((sender) => ({ ...testEnvironment.links[0]!, id: sender, sender }));
    const environment = { ...testEnvironment, links: two };
    const own = { environments: [environment], links: new LinkTable([environment]) };
    const { data } = await play({ path: 'east.dat', sender: 'east' }, own);
    expect(data.flatMap((one) => (one.port === 'csi' ? [...one.link] : []))).toEqual([1]);
  });

  it('is rejected as records of another format', async () => {
    await writeFile(join(folder, 'other.dat'), entry(0));
    const { source } = make({ path: 'other.dat', records: 'adr018' });
    await expect(source.open(null, collector().output)).rejects.toThrow(/records are intel5300, not adr018/);
  });

  it('reports a sender without a link, with the line to add to the environment', async () => {
    await writeFile(join(folder, 'unknown.dat'), entry(0));
    const { recorded, data } = await play({ path: 'unknown.dat' });
    expect(data).toEqual([]);
    expect(recorded.lines).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(/test-room.*set `sender: "\*"` on a link/) as string,
      },
    ]);
  });
});

it('counts a line that is read at another time than it states, and not as dropped', async () => {
  const seconds = [1, 2, 9, 3, 4];
  const lines = seconds.map((second) => jsonFrameAt(second));
  lines[2] = lines[2]!.replace('2023-03-01', '2024-03-01');
  await writeFile(join(folder, 'wrong.ndjson'), lines.join('\n'));
  const { recorded, batches } = await play({ path: 'wrong.ndjson' });
  expect(batches.flatMap(({ raw }) => [...raw!.time])).toHaveLength(seconds.length);
  // No link names the sender.
  expect(recorded.dropped).toEqual({ unknown_sender: seconds.length });
  expect(recorded.counts['corrected_times']).toBe(1);
});
