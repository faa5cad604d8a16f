import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { formatNamed, FormatError, type Problem } from '../../pipeline/formats/index.js';
import { Allowance } from '../../pipeline/formats/tables/allowance.js';
import { intelTrace } from '../../pipeline/formats/devices/intel/intel5300-trace.js';
import {
  arraysByName,
  columnMajor,
  numberArray,
  type Structure,
  type TableArray,
} from '../../pipeline/formats/tables/arrays.js';
import { readCsv } from '../../pipeline/formats/tables/csv.js';
import { reasonOf } from '../../pipeline/formats/tables/hdf5-arrays.js';
import { readHdf5 } from '../../pipeline/formats/tables/hdf5.js';
import { tableOf } from '../../pipeline/formats/tables/mat-arrays.js';
import type { MatValue } from '../../pipeline/formats/tables/mat-value.js';
import { readMat5 } from '../../pipeline/formats/tables/mat5.js';
import type { TableMapping } from '../../pipeline/formats/tables/mapping.js';
import { readParquet } from '../../pipeline/formats/tables/parquet.js';
import { readNpy } from '../../pipeline/formats/tables/npy.js';
import { readNpz } from '../../pipeline/formats/tables/npz.js';
import { zipEntries } from '../../pipeline/formats/tables/zip.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { testContext } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { sharedFile } from '../support/shared.js';

// Made with NumPy, SciPy and h5py by tables/make.py.
const made = (name: string): string => join(import.meta.dirname, 'tables', name);

const environment = (...senders: readonly string[]) => ({
  id: 'test-room',
  size: { x: 5, y: 4, z: 2.6 },
  links: senders.map((sender, index) => ({
    id: `link-${index}`,
    transmitter: [0.1, 0.1, 1],
    receiver: [4.9, 3.9, 1.2],
    sender,
  })),
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
});

/** All frames of a table, decoded; `count` records at a time. */
async function framesIn(
  path: string,
  table: TableMapping,
  senders = ['*'],
  count = 100,
): Promise<CsiBlock[]> {
  const recording = await openRecording(path, 'auto', table);
  const decoder = formatNamed(recording.format).decoder(
    testContext({ environments: [environment(...senders)] }).context,
  );
  const blocks: CsiBlock[] = [];
  for await (const { raw } of recording.batches(count))
    blocks.push(...(decoder.decode(raw).data as CsiBlock[]));
  return blocks;
}

const errorOf = (path: string, table: TableMapping): Promise<string> =>
  openRecording(path, 'auto', table).then(
    () => 'opened',
    (error: unknown) => {
      expect(error).toBeInstanceOf(FormatError);
      return (error as Error).message;
    },
  );

type Value = (t: number, r: number, k: number) => readonly [re: number, im: number];
const csi: Value = (t, r, k) => [t + 10 * r + 100 * k, 0.5 * k - t];

const expected = (of: Value, rx: number): number[] =>
  [0, 1, 2, 3].flatMap((t) =>
    Array.from({ length: rx }, (_, r) => [0, 1, 2].flatMap((k) => of(t, r, k))).flat(),
  );

const AXES: TableMapping['axes'] = ['time', 'rx', 'subcarrier'];
const TIMES = [0, 10_000, 20_000, 40_000];

test.each<[string, TableMapping, Value, number, readonly number[]]>([
  ['complex.npy', { axes: AXES, rate_hz: 100 }, csi, 2, [0, 10_000, 20_000, 30_000]],
  ['fortran.npy', { rate_hz: 100 }, (t, _, k) => [csi(t, 0, k)[0], 0], 1, [0, 10_000, 20_000, 30_000]],
  ['several.npz', { values: 'csi', axes: AXES, time: 'time' }, csi, 2, TIMES],
  [
    'several.npz',
    { values: 'pairs', numbers: 'imaginary-real', time: 'time' },
    (t, _, k) => [
      csi(t, 0, k)[0] - 100,
      Math.round((0.5 * k - t) / 2) * 2 === 0.5 * k - t ? 0.5 * k - t : NaN,
    ],
    1,
    TIMES,
  ],
  ['level5.mat', { values: 'csi', axes: ['rx', 'subcarrier', 'time'], time: 'time' }, csi, 2, TIMES],
  ['level5.mat', { values: 's.amp', phase: 's.phase', axes: AXES, time: 'time' }, csi, 2, TIMES],
  ['others.mat', { axes: AXES, rate_hz: 50 }, csi, 2, [0, 20_000, 40_000, 60_000]],
  ['widths.npz', { values: 'big', axes: AXES, rate_hz: 50 }, csi, 2, [0, 20_000, 40_000, 60_000]],
  ['level73.mat', { axes: AXES, rate_hz: 50 }, csi, 2, [0, 20_000, 40_000, 60_000]],
  ['cells73.mat', { values: 'csi', axes: AXES, time: 'time' }, csi, 2, TIMES],
  ['cells73.mat', { values: 's/amp', phase: 's/phase', axes: AXES, time: 'time' }, csi, 2, TIMES],
  [
    'cells73.mat',
    { values: 'packets/amp', rssi: 'packets/rssi', axes: AXES, time: 'time' },
    (...at) => [Math.hypot(...csi(...at)), 0],
    2,
    TIMES,
  ],
  ['plain.h5', { values: 'group/csi', axes: AXES, time: 'group/time_ms', time_unit: 'ms' }, csi, 2, TIMES],
])('%s by %o contains its input', async (name, mapping, of, rx, times) => {
  const [block, ...others] = await framesIn(made(name), mapping);
  expect(others).toEqual([]);
  expect(block!.layout).toMatchObject({ rx, tx: 1, bandwidthMhz: 20, centreMhz: 2437 });
  expect([...block!.layout.subcarriers]).toEqual([-1, 0, 1]);
  expect([...block!.time]).toEqual(times);
  const wanted = expected(of, rx);
  block!.values.forEach((value, i) => {
    // Eight-bit integers cannot represent halves.
    if (!Number.isNaN(wanted[i])) expect(value).toBeCloseTo(wanted[i]!, 4);
  });
});

test('carriers in another order are sorted', async () => {
  const [block] = await framesIn(made('fortran.npy'), { rate_hz: 1, subcarriers: [0, 1, -1] });
  expect([...block!.layout.subcarriers]).toEqual([-1, 0, 1]);
  expect([...block!.values.subarray(0, 6)]).toEqual([200, 0, 0, 0, 100, 0]);
});

test('a compressed CSV file with names: columns by a pattern, level and times by name', async () => {
  const mapping = {
    time: 'time',
    rssi: 'rssi',
    values: 'csi_*',
    subcarriers: [-4, -3, -2, -1, 1, 2, 3, 4, 5],
  };
  const [block] = await framesIn(made('named.csv.gz'), mapping);
  expect([...block!.time]).toEqual(TIMES);
  expect([...block!.rssi]).toEqual([-40, -41, -42, -43]);
  expect([...block!.values.subarray(18, 24)]).toEqual([1, 0, 11, 0, 21, 0]);
  expect([...block!.layout.subcarriers]).toEqual(mapping.subcarriers);
  const [range] = await framesIn(made('named.csv.gz'), { ...mapping, values: 'csi_0..csi_8' });
  expect(range!.values).toEqual(block!.values);
});

test('a CSV file without names: all columns are amplitudes, bad lines are named', async () => {
  const path = join(temporaryFolder(), 'walk.csv');
  const row = (index: number) => Array.from({ length: 52 }, (_, k) => index + k / 10).join(',');
  writeFileSync(path, `${row(1)}\n${row(2)}\n1,2,3\n\n${row(4)}`);
  const recording = await openRecording(path, 'auto', { rate_hz: 10, start: '2026-03-01T00:00:00Z' });
  const found = [];
  for await (const batch of recording.batches(2)) found.push(batch);
  expect(found.flatMap(({ raw }) => [...raw.time])).toEqual(
    [0, 1, 2].map((frame) => Date.parse('2026-03-01T00:00:00Z') * 1000 + frame * 100_000),
  );
  expect(
    found.flatMap(({ problems }) => problems.map(({ location, message }) => `${location}: ${message}`)),
  ).toEqual(['line 3: not read: 3 columns, but most have 52']);
});

test('a CSV file of too many rows is refused before they fill the memory, and other work continues meanwhile', async () => {
  const text = '1,2,3,4,5,6,7,8\n'.repeat(10_000);
  let turns = 0;
  let turn = setImmediate(count);
  function count(): void {
    turns++;
    turn = setImmediate(count);
  }
  try {
    const { arrays } = await readCsv(text, new Allowance(10_000 * 64));
    expect(arrays.map(({ shape }) => shape)).toEqual(Array.from({ length: 8 }, () => [10_000]));
    expect(turns).toBeGreaterThan(0);
    await expect(readCsv(text, new Allowance(10_000 * 64 - 1))).rejects.toThrow('take up more than');
  } finally {
    clearImmediate(turn);
  }
});

test('frames are assigned by a column of senders, and resumed from any position', async () => {
  const mapping: TableMapping = { values: 'csi', axes: AXES, time: 'time', sender: 'mac' };
  const senders = ['aa:00:00:00:00:01', 'aa:00:00:00:00:02'];
  const [block] = await framesIn(made('several.npz'), mapping, senders);
  expect([...block!.link]).toEqual([0, 1, 0, 1]);
  const recording = await openRecording(made('several.npz'), 'auto', mapping);
  for await (const { position } of recording.batches(3)) {
    const rest = [];
    for await (const { raw } of recording.batches(100, position)) rest.push(...raw.time);
    expect(rest).toEqual(TIMES.slice(position.offset));
  }
});

test.each<[string, TableMapping, RegExp]>([
  [
    'complex.npy',
    {},
    /`table\.axes` .*values \(4 x 2 x 3, complex\) has 3 axes: .*axes: \[time, rx, subcarrier\]/,
  ],
  [
    'complex.npy',
    { axes: AXES },
    /`table\.time` .*the times of the frames are unknown: .*, or set `rate_hz`\. There are: values/,
  ],
  [
    'several.npz',
    { rate_hz: 1 },
    /several arrays may be the measurements.*csi \(4 x 2 x 3, complex\).*not read: labels: .*O/,
  ],
  ['several.npz', { values: 'cis' }, /`table\.values` .*unknown array `cis`\. There are: csi/],
  [
    'several.npz',
    { values: 'csi', axes: AXES, time: 'pairs' },
    /`table\.time` .*pairs \(4 x 6, real\) must hold one value/,
  ],
  [
    'several.npz',
    { values: 'csi', axes: AXES, phase: 'pairs' },
    /pairs \(4 x 6, real\) must have the axes of csi/,
  ],
  ['complex.npy', { axes: AXES, rate_hz: 1, subcarriers: [1, 2] }, /they are 2, values .* has 3 carriers/],
  ['complex.npy', { axes: ['rx', 'rx', 'time'], rate_hz: 1 }, /`rx` occurs twice/],
  [
    'complex.npy',
    { axes: AXES, rate_hz: 1, start: 'noon' },
    /`table\.start` .*`noon` must be an ISO 8601 time/,
  ],
  ['complex.npy', { axes: ['time', 'rx', 'part'], rate_hz: 1 }, /the axis `part` .* needs the length 2/],
])('%s by %o: the error names the change to make', async (name, mapping, message) => {
  expect(await errorOf(made(name), mapping)).toMatch(message);
});

test('truncated or damaged input is rejected or read, and nothing else', async () => {
  const names = ['complex.npy', 'several.npz', 'level5.mat', 'named.csv.gz'];
  const folder = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.nat(), fc.nat(255), async (name, seed, change) => {
      const bytes = readFileSync(made(name));
      const at = seed % bytes.length;
      const path = join(folder, name);
      writeFileSync(path, change === 0 ? bytes.subarray(0, at) : bytes.with(at, bytes[at]! ^ change));
      try {
        await framesIn(path, { values: 'csi', axes: AXES, rate_hz: 10 });
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }),
    { numRuns: 150 },
  );
});

test('what is damaged is named with its byte', async () => {
  const folder = temporaryFolder();
  const damaged = (name: string, find: Buffer, change: (bytes: Buffer, at: number) => void): string => {
    const bytes = readFileSync(made(name));
    change(bytes, bytes.indexOf(find));
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  const overwrite = (bytes: Buffer, at: number): void => void bytes.writeUInt32LE(6, at);
  const mapping = { values: 'csi', axes: AXES, rate_hz: 10 };
  const zip = readFileSync(made('several.npz'));
  const entry = zip.indexOf('PK\x03\x04', 4);
  const path = damaged('several.npz', zip.subarray(entry), overwrite);
  expect(await errorOf(path, { values: 'absent' })).toMatch(
    new RegExp(`not read: \\w+: byte ${entry}: the zip file is damaged: no entry begins here`),
  );
  const file = readFileSync(made('level5.mat'));
  const second = 136 + file.readUInt32LE(132);
  const mat = damaged('level5.mat', file.subarray(second, second + 8), overwrite);
  expect(await errorOf(mat, { ...mapping, values: 'absent' })).toMatch(
    new RegExp(`damaged: byte ${second}: expected a matrix, found type 6`),
  );
});

test.each([
  ['several.npz', 124, 'byte 124: the zip file is truncated: the directory that ends it is not complete'],
  ['several.npz', 1000, 'byte 1000: the zip file is truncated: '],
  ['several.npz', 1240, 'byte 1240: the zip file is truncated: '],
  ['complex.npy', 11, 'byte 11: it is truncated in its header'],
  ['complex.npy', 32, 'byte 32: it is truncated: its header ends at byte 128'],
  ['complex.npy', 132, 'byte 132: it is truncated: 4 bytes of 192'],
  ['level73.mat', 2000, 'byte 2000: it is truncated: 2000 bytes of '],
  ['level73.mat', 521, "byte 521: it is truncated in HDF5's superblock, from byte 512 on"],
  ['level73.mat', 540, "byte 540: it is truncated in HDF5's superblock, from byte 512 on"],
  ['plain.h5', 40, "byte 40: it is truncated in HDF5's superblock, from byte 0 on"],
])('%s that ends after %i bytes is reported with that byte', async (name, size, message) => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, readFileSync(made(name)).subarray(0, size));
  expect(await errorOf(path, {})).toContain(message);
});

test('an HDF5 file whose user block was removed or put before it is read, and its end is known', async () => {
  const [removed, added, cut] = ['removed.h5', 'added.h5', 'cut.h5'].map((name) =>
    join(temporaryFolder(), name),
  );
  const arrays = async (path: string) => (await readHdf5(path)).arrays.map(({ name }) => name);
  const [level73, plain] = ['level73.mat', 'plain.h5'].map((name) => readFileSync(made(name)));
  writeFileSync(removed!, level73!.subarray(512));
  expect(await arrays(removed!)).toEqual(await arrays(made('level73.mat')));
  const longer = Buffer.concat([Buffer.alloc(512), plain!]);
  writeFileSync(added!, longer);
  expect(await arrays(added!)).toEqual(await arrays(made('plain.h5')));
  writeFileSync(cut!, longer.subarray(0, -100));
  const size = longer.length;
  await expect(readHdf5(cut!)).rejects.toThrow(
    `byte ${size - 100}: it is truncated: ${size - 100} bytes of ${size}`,
  );
});

test('a MATLAB 7.3 file that ends within its own header is reported with its end', async () => {
  const path = join(temporaryFolder(), 'short.mat');
  writeFileSync(path, 'MATLAB 7.3 MAT-file, Platform: GLNXA64'.padEnd(300));
  expect(await errorOf(path, {})).toContain("byte 300: it is truncated: HDF5's superblock is not complete");
});

test('a wholly damaged Parquet file names the column and the byte, or where its end is missing', async () => {
  const path = join(temporaryFolder(), 'damaged.parquet');
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = 'SELECT sin(i) AS a, cos(i) AS b FROM range(6000) r(i)';
  await connection.run(`COPY (${rows}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
  const chunks = await connection.runAndReadAll(
    `SELECT CAST(data_page_offset AS INTEGER), CAST(total_compressed_size AS INTEGER) FROM parquet_metadata('${path}') WHERE path_in_schema = 'b'`,
  );
  const [first, size] = chunks.getRows()[0]! as [number, number];
  const firsts = chunks.getRows().map(([at]) => at as number);
  connection.closeSync();
  const bytes = readFileSync(path);
  const damaged = Buffer.from(bytes);
  for (const at of firsts) damaged.fill(0xff, at, at + 16);
  for (const [content, message] of [
    [damaged, `byte ${first}: the ${size} bytes of column b from here are damaged: `],
    [bytes.subarray(0, 9000), 'byte 9000: it is truncated: it does not end with PAR1'],
    [
      Buffer.from(bytes).fill(0xff, bytes.length - 8, bytes.length - 4),
      'the footer cannot have 4294967295 bytes',
    ],
  ] as const) {
    writeFileSync(path, content);
    expect(await errorOf(path, { values: 'b', rate_hz: 10 })).toContain(message);
  }
});

/** A Parquet file of groups of 2,048 rows, and the chunk of a leaf in the second. */
async function parquetOf(path: string, select: string, leaf: string, rows = 6000) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `COPY (SELECT ${select} FROM range(${rows}) r(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
  );
  const chunks = await connection.runAndReadAll(
    `SELECT CAST(coalesce(dictionary_page_offset, data_page_offset) AS INTEGER), CAST(total_compressed_size AS INTEGER) FROM parquet_metadata('${path}') WHERE path_in_schema = '${leaf}' AND row_group_id = 1`,
  );
  connection.closeSync();
  const [first, size] = chunks.getRows()[0]! as [number, number];
  return { first, size, bytes: readFileSync(path) };
}

test.each([
  ['sin(i) AS "re, im", cos(i) AS re', 're, im', 're, im'],
  [`{'x': sin(i), 'y''s "z"': cos(i)} AS s`, `s, y''s "z"`, `s.y's "z"`],
  ["{'x': sin(i), 'in': {'y': cos(i), 'z': i}} AS s", 's, in, y', 's.in.y'],
  ["{'x': sin(i), 'y': cos(i)} AS s, i AS b", 's, x', 's.x'],
  ['[sin(i), 2] AS list, i AS b', 'list, list, element', 'list.list.element'],
])('damage in a Parquet file with %s is in column %s', async (select, leaf, column) => {
  const path = join(temporaryFolder(), 'damaged.parquet');
  const { first, size, bytes } = await parquetOf(path, select, leaf);
  writeFileSync(path, bytes.fill(0xff, first, first + 16));
  const { arrays, damaged } = await readParquet(path);
  expect(damaged).toEqual([
    expect.stringContaining(
      `byte ${first}: the ${size} bytes of column ${column} from here are damaged: Invalid`,
    ),
  ]);
  expect(damaged![0]).toMatch(/; rows 2048 to 4095$/);
  for (const { shape } of arrays) expect(shape[0]).toBe(6000 - 2048);
});

test('a damaged group of rows among many is found in few queries', async () => {
  const path = join(temporaryFolder(), 'damaged.parquet');
  const { first, bytes } = await parquetOf(path, 'i AS a', 'a', 128 * 2048);
  writeFileSync(path, bytes.fill(0xff, first, first + 16));
  const { DuckDBConnection } = await import('@duckdb/node-api');
  const queries = vi.spyOn(DuckDBConnection.prototype, 'run');
  onTestFinished(() => {
    queries.mockRestore();
  });
  const { arrays, damaged } = await readParquet(path);
  expect(damaged).toEqual([expect.stringMatching(/; rows 2048 to 4095$/)]);
  expect([arrays[0]!.re[2047], arrays[0]!.re[2048], arrays[0]!.re.length]).toEqual([2047, 4096, 127 * 2048]);
  // 128 groups are halved seven times.
  expect(queries.mock.calls.filter(([sql]) => sql.includes('bit_xor')).length).toBeLessThan(20);
});

test('frames after a damaged group of rows keep their times', async () => {
  const path = join(temporaryFolder(), 'damaged.parquet');
  const { first, bytes } = await parquetOf(path, 'sin(i) AS a, cos(i) AS b', 'b');
  writeFileSync(path, bytes.fill(0xff, first, first + 16));
  const times = (await framesIn(path, { rate_hz: 1000 })).flatMap(({ time }) => [...time]);
  expect(times).toHaveLength(6000 - 2048);
  expect([times[2047], times[2048], times.at(-1)]).toEqual([2_047_000, 4_096_000, 5_999_000]);
});

test('damage in a map of a Parquet file may be in its keys or in its values', async () => {
  const path = join(temporaryFolder(), 'damaged.parquet');
  const { first, bytes } = await parquetOf(path, 'MAP{i: cos(i)} AS m', 'm, key_value, value');
  writeFileSync(path, bytes.fill(0xff, first, first + 16));
  expect((await readParquet(path)).damaged!.join()).toMatch(
    new RegExp(
      `^byte \\d+: the \\d+ bytes of column m.key_value.key from here, or byte ${first}: the \\d+ bytes of column m.key_value.value from here are damaged: Invalid`,
    ),
  );
});

test('what DuckDB cannot read does not count as damage of a Parquet file', async () => {
  const path = join(temporaryFolder(), 'other.parquet');
  const { bytes } = await parquetOf(path, 'sin(i) AS a', 'a');
  // In the footer: the name of the column, its codec, here SNAPPY, and the number of its values.
  const codec = Buffer.from('a\x15\x02\x16', 'latin1');
  const lzo = Buffer.from(bytes);
  for (let at = lzo.indexOf(codec); at >= 0; at = lzo.indexOf(codec, at + 1)) lzo[at + 2] = 6;
  const encrypted = Buffer.concat([bytes.subarray(0, -4), Buffer.from('PARE')]);
  for (const [content, message] of [
    [lzo, /other.parquet: Columns of Parquet: Invalid Input Error: .*Unsupported compression codec "LZO"/],
    [encrypted, /other.parquet: Columns of Parquet: it is encrypted: decrypt it first$/],
  ] as const) {
    writeFileSync(path, content);
    expect(await errorOf(path, { values: 'a', rate_hz: 10 })).toMatch(message);
  }
});

test('columns of Parquet: lists have two axes, timestamps are seconds', async () => {
  const folder = temporaryFolder();
  const [lists, flat] = ['lists', 'flat'].map((name) => join(folder, `${name}.parquet`));
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const at = "TIMESTAMP '2026-03-01' + INTERVAL (i * 20) MILLISECOND AS t";
  await connection.run(
    `COPY (SELECT ${at}, [i, i + 10, 2.5] AS csi, 'n' || (i % 2) AS node, [i] || CASE i WHEN 2 THEN [1] ELSE [] END AS odd FROM range(3) r(i)) TO '${lists!}' (FORMAT parquet)`,
  );
  await connection.run(
    `COPY (SELECT i::DECIMAL(4, 1) AS a, i * 2 AS b, 'x' AS note FROM range(3) r(i)) TO '${flat!}' (FORMAT parquet)`,
  );
  connection.closeSync();
  const mapping = { values: 'csi', time: 't', sender: 'node' };
  const [block] = await framesIn(lists!, mapping, ['n0', 'n1']);
  const start = Date.parse('2026-03-01T00:00:00Z') * 1000;
  expect([...block!.time]).toEqual([start, start + 20_000, start + 40_000]);
  expect([...block!.link]).toEqual([0, 1, 0]);
  expect([...block!.values.subarray(6, 12)]).toEqual([1, 0, 11, 0, 2.5, 0]);
  expect(await errorOf(lists!, {})).toMatch(
    /the times of the frames are unknown.*not read: odd: row 2 holds 2 values, but the first one has 1/,
  );
  const [columns] = await framesIn(flat!, { rate_hz: 1 });
  expect([...columns!.values]).toEqual([0, 0, 0, 0, 1, 0, 2, 0, 2, 0, 4, 0]);
});

test('a compressed HDF5 file, and a file that only starts like one', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.h5.gz'), gzipSync(readFileSync(made('plain.h5'))));
  const [block] = await framesIn(join(folder, 'a.h5.gz'), { values: 'group/csi', axes: AXES, rate_hz: 1 });
  expect(block!.count).toBe(4);
  const cut = join(folder, 'c.h5.gz');
  writeFileSync(cut, gzipSync(readFileSync(made('plain.h5')), { level: 0 }).subarray(0, 2000));
  expect(await errorOf(cut, {})).toMatch(
    /c\.h5\.gz: byte \d+: the gzip data is damaged or truncated from here: HDF5 file, .*: byte \d+: it is truncated/,
  );
  writeFileSync(join(folder, 'b.h5'), readFileSync(made('plain.h5')).subarray(0, 100));
  expect(await errorOf(join(folder, 'b.h5'), {})).toMatch(
    /b\.h5: HDF5 file, and MATLAB file of version 7\.3: byte 100: it is truncated: 100 bytes of \d+$/,
  );
});

test('NumPy numbers of two bytes, and numbers and texts with the highest byte first', () => {
  const { arrays } = readNpz(readFileSync(made('widths.npz')));
  const named = arraysByName({ arrays, unread: [] });
  const wanted = expected(csi, 2);
  expect([...named.get('half')!.re]).toEqual(wanted.filter((_, i) => i % 2 === 0));
  expect([...named.get('small')!.re]).toEqual(wanted.filter((_, i) => i % 2 === 1));
  expect(named.get('names')!.texts!.slice(0, 2)).toEqual(['aa:00:00:00:00:01', 'aa:00:00:00:00:02']);
});

test('what a MATLAB file holds besides arrays of numbers is named, and does not hide them', () => {
  const { arrays, unread } = readMat5(readFileSync(made('others.mat')));
  expect(arrays.map(({ name }) => name)).toEqual(['csi', 'text']);
  expect(arrays[1]!.texts).toEqual(['röm']);
  expect(unread).toEqual([
    'near: a sparse array',
    'cells: cells of different kinds or sizes (1 x 1, and a char)',
  ]);
});

test('an empty cell array of MATLAB has three parts, and does not hide other arrays', () => {
  const numbers = mat(6, [2, 1], element(9, Buffer.alloc(16))).subarray(128);
  numbers.write('rss', numbers.indexOf('csi'));
  const { arrays, unread } = readMat5(Buffer.concat([mat(1, [0, 0]), numbers]));
  expect(unread).toEqual(['csi: an empty cell array']);
  expect(arrays.map(({ name }) => name)).toEqual(['rss']);
});

const npy = (type: string, count: number): Buffer => {
  const header = `{'descr': '${type}', 'fortran_order': False, 'shape': (${count},), }\n`;
  const start = Buffer.from('\x93NUMPY\x01\0\0\0', 'latin1');
  start.writeUInt16LE(header.length, 8);
  return Buffer.concat([start, Buffer.from(header)]);
};

const element = (type: number, data: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(type, 0);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc((8 - (data.length % 8)) % 8)]);
};
const ints = (...values: number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

/** A MATLAB file with one array, `csi`, of this class, size and further parts. */
const mat = (type: number, size: readonly number[], ...parts: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(128);
  head.write('MATLAB 5.0 MAT-file');
  head.write('IM', 126);
  const first = [element(6, ints(type, 0)), element(5, ints(...size)), element(1, Buffer.from('csi'))];
  return Buffer.concat([head, element(14, Buffer.concat([...first, ...parts]))]);
};
const compressed = (file: Buffer): Buffer => {
  const body = deflateSync(file.subarray(128));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(15, 0);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([file.subarray(0, 128), head, body]);
};

test.each<[string, () => unknown, RegExp]>([
  ['texts of no characters', () => readNpy(npy('|S0', 300_000_000)), /more than 1073741824 bytes/],
  ['texts without data', () => readNpy(npy('<U1', 300_000_000)), /truncated: 0 bytes of 1200000000/],
  ['numbers without data', () => readNpy(npy('<f8', 2 ** 52)), /truncated: 0 bytes of/],
  ['a negative size', () => readNpy(npy('<f8', -3)), /truncated/],
  [
    'structures without fields',
    () => readMat5(mat(2, [1, 2 ** 30], element(5, ints(4)), element(1, Buffer.from('abc\0')))),
    /an array of 1 x 1073741824 x 1 has 0 fields/,
  ],
  ['cells', () => readMat5(mat(1, [1, 2 ** 30])), /has 0 cells/],
  ['numbers of MATLAB', () => readMat5(mat(6, [9, 2 ** 30], element(9, Buffer.alloc(8)))), /has 1 numbers/],
  [
    'compressed zeros',
    () => readMat5(compressed(mat(6, [125, 1], element(9, Buffer.alloc(1000)))), new Allowance(900)),
    /take up more than/,
  ],
  [
    'a packed file',
    () => readNpz(readFileSync(made('several.npz')), new Allowance(300)),
    /take up more than/,
  ],
  [
    'an archive whose numbers are too many only as floats',
    () => readNpz(readFileSync(made('widths.npz')), new Allowance(400)),
    /take up more than/,
  ],
])('a small file that claims much is rejected: %s', (_, read, message) => {
  expect(read).toThrow(message);
});

test('an HDF5 file on which the library aborts does not end the reading of others', async () => {
  const damaged = join(temporaryFolder(), 'a.h5');
  const bytes = readFileSync(made('plain.h5'));
  writeFileSync(damaged, bytes.with(2455, bytes[2455]! ^ 4));
  const files = [damaged, made('plain.h5')].map((path) =>
    readHdf5(path).then(
      ({ arrays }) => arrays.length,
      (error: unknown) => (error as Error).message,
    ),
  );
  expect(await Promise.all(files)).toEqual([
    expect.stringMatching(/it is damaged: the HDF5 library gave up/),
    3,
  ]);
});

test('an HDF5 file is read after one on which the library aborted in the thread that read another', async () => {
  const damaged = join(temporaryFolder(), 'a.h5');
  const bytes = readFileSync(made('plain.h5'));
  writeFileSync(damaged, bytes.with(2455, bytes[2455]! ^ 4));
  const { arrays } = await readHdf5(made('plain.h5'));
  await expect(readHdf5(damaged)).rejects.toThrow(/it is damaged: the HDF5 library gave up/);
  expect(await readHdf5(made('plain.h5'))).toMatchObject({ arrays });
});

test('a trap of the HDF5 library is called damage, as its abort() is', () => {
  const trap = Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' });
  expect(reasonOf(trap)).toBe('it is damaged: the HDF5 library gave up (memory access out of bounds)');
});

test('cells of version 7.3 that do not fit together are named, with the arrays that do', async () => {
  const { arrays, unread } = await readHdf5(made('cells73.mat'));
  expect(arrays.map(({ name }) => name)).toEqual([
    ...['csi', 'packets/amp', 'packets/rssi', 's/amp', 's/phase', 's/room', 'time'],
  ]);
  expect(arrays.find(({ name }) => name === 's/room')!.texts).toEqual(['kitchen']);
  expect(unread).toEqual([
    'mixed: cells of different kinds or sizes (1 x 1, and a char)',
    'uneven: cells of different kinds or sizes (2 x 3, and 3 x 3)',
  ]);
});

test('a cell array of version 7.3 that contains itself is an error', async () => {
  const { default: library } = await import('h5wasm/node');
  await library.ready;
  const path = join(temporaryFolder(), 'circle.mat');
  const file = new library.File(path, 'w');
  const cells = file.create_group('#refs#');
  const inner = cells.create_dataset({ name: 'a', data: [file.create_reference()], dtype: 'Reference' });
  inner.create_attribute('MATLAB_class', 'cell');
  inner.write_slice([[0, 1]], [inner.create_reference()]);
  const outer = file.create_dataset({ name: 'circle', data: [inner.create_reference()], dtype: 'Reference' });
  outer.create_attribute('MATLAB_class', 'cell');
  file.close();
  await expect(readHdf5(path)).rejects.toThrow(/nested more than 16 deep/);
});

test('an HDF5 file claims no more memory than arrays may take up', async () => {
  await expect(readHdf5(made('plain.h5'), new Allowance(100))).rejects.toThrow(/take up more than/);
});

/** [tx, rx, group] of frame `i` of trace.mat, as make.py computes it. */
const traced = (i: number, tx: number): number[] =>
  Array.from({ length: 3 }, (_, rx) =>
    Array.from({ length: tx }, (__, stream) =>
      Array.from({ length: 30 }, (___, group) => {
        const value = (((stream * 3 + rx) * 30 + group) % 100) - 50;
        return [value, i - value];
      }),
    ),
  ).flat(3);

test.each([
  ['mat5', 'trace.mat'],
  ['hdf5', 'trace73.mat'],
])('cells of what read_bf_file returns are read as the log of an Intel 5300 (%s)', async (kind, name) => {
  const recording = await openRecording(made(name));
  expect([recording.kind, recording.format]).toEqual([kind, 'intel5300']);
  const blocks = await framesIn(made(name), {});
  expect(blocks.map(({ layout: { rx, tx, bandwidthMhz } }) => [rx, tx, bandwidthMhz])).toEqual([
    [3, 1, 20],
    [3, 2, 20],
  ]);
  expect(blocks.map(({ values }) => [...values])).toEqual([traced(0, 1), traced(2, 2)]);
  // The clock of the card wraps between them.
  expect(blocks.map(({ time }) => time[0])).toEqual([2 ** 32 - 1000, 2 ** 32 + 3000]);
  expect(blocks.map(({ deviceTime }) => deviceTime[0])).toEqual([2 ** 32 - 1000, 3000]);
  expect(blocks.map(({ noise, sequence }) => [noise[0], sequence[0]])).toEqual([
    [-92, 7],
    [-92, 9],
  ]);
  const found = [];
  for await (const { problems } of recording.batches(10)) found.push(...problems);
  expect(found.map(({ location, message }) => [location, message.replace(/.*trace(73)?.mat/, '')])).toEqual([
    ['frame 1', ': it is empty, or no structure: it is skipped'],
  ]);
});

test('cells of one size are an array with an axis for the cells; others are named', () => {
  const numeric = (...re: number[]): MatValue => ({
    kind: 'numeric',
    size: [1, re.length],
    re: Float64Array.from(re),
    im: null,
  });
  const cells = (...list: MatValue[]): MatValue => ({ kind: 'cell', size: [1, list.length], cells: list });
  const structure = (fields: Readonly<Record<string, MatValue>>): MatValue => ({
    kind: 'struct',
    size: [1, 1],
    elements: [fields],
  });
  const { arrays, unread } = tableOf(
    new Map([
      ['same', cells(numeric(1, 2), numeric(3, 4), numeric(5, 6))],
      ['differ', cells(numeric(1, 2), numeric(3))],
      ['list', cells(structure({ a: numeric(1), b: numeric(2) }), structure({ a: numeric(7) }))],
      ['none', cells()],
    ]),
    new Allowance(),
  );
  expect(arrays.map(({ name, shape, strides, re }) => [name, shape, strides, [...re]])).toEqual([
    ['same', [3, 1, 2], [2, 1, 1], [1, 2, 3, 4, 5, 6]],
    ['list.a', [2, 1, 1], [1, 1, 1], [1, 7]],
  ]);
  expect(unread).toEqual([
    'differ: cells of different kinds or sizes (1 x 2, and 1 x 1)',
    'list.b: missing in 1 of 2 structures',
    'none: an empty cell array',
  ]);
});

const number = (value: number): TableArray => numberArray('', [1, 1], Float64Array.of(value));
const csiOf = (value: number): TableArray =>
  numberArray('', [1, 1, 30], new Float64Array(30).fill(value), null, columnMajor([1, 1, 30]));
const GOOD: Readonly<Record<string, TableArray>> = {
  ...{ timestamp_low: number(5), Nrx: number(1), Ntx: number(1), rssi_a: number(30), rssi_b: number(0) },
  ...{ rssi_c: number(0), noise: number(-127), agc: number(20), csi: csiOf(3) },
};

test.each([
  [{ csi: csiOf(0.5) }, '`csi` is not as `read_bf_file` returns it'],
  [{ Nrx: number(2) }, '`csi` is 1 x 1 x 30, not Ntx x Nrx x 30 (1 x 2 x 30)'],
  [{ agc: number(300) }, '`agc` is 300, not a whole number from 0 to 255'],
  [{ agc: undefined }, 'it does not have the field `agc`'],
])('a structure of an Intel 5300 with %o is skipped, with the reason', (wrong, reason) => {
  const fields = (each: Readonly<Record<string, TableArray | undefined>>): Structure => {
    const all = Object.entries<TableArray | undefined>({ ...GOOD, ...each });
    return new Map(all.flatMap(([name, array]) => (array ? [[name, array] as const] : [])));
  };
  const trace = intelTrace({
    arrays: [],
    unread: [],
    structures: new Map([['csi_trace', [fields({}), fields(wrong), fields({ timestamp_low: number(9) })]]]),
  })!;
  expect([0, 1, 2].map((frame) => trace.time(frame))).toEqual([5, expect.stringContaining(reason), 9]);
});

const captures = sharedFile('captures/intel5300');
test.runIf(captures)('frames that MATLAB saved equal those of the log in every field', async () => {
  for (const name of ['example', 'log.all_csi.6.7.6']) {
    const [log, saved] = await Promise.all(
      ['dat', 'mat'].map((end) => framesIn(join(captures!, `${name}.${end}`), {})),
    );
    expect(log!.length).toBeGreaterThan(0);
    expect(saved).toEqual(log);
  }
});

describe('what is whole of a damaged table is read, and the rest is named', () => {
  const written = (name: string, bytes: Uint8Array | string): string => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, bytes);
    return path;
  };
  const read = async (path: string, mapping: TableMapping) => {
    const recording = await openRecording(path, 'auto', mapping);
    const problems: Problem[] = [];
    for await (const batch of recording.batches(100)) problems.push(...batch.problems);
    const values = (await framesIn(path, mapping)).flatMap((block) => [...block.values]);
    return { values, problems: problems.map(({ location, message }) => `${location}: ${message}`) };
  };
  const row = (t: number): number[] => Array.from({ length: 8 }, (_, k) => 10 * t + k + 1);
  const amplitudes = (...times: readonly number[]): number[] =>
    times.flatMap((t) => row(t).flatMap((v) => [v, 0]));
  const text = [0, 1, 2, 3, 4, 5].map((t) => row(t).join(','));

  test.each([
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ])('lines of a CSV with %s', async (_, end) => {
    const lines = ['9,9', ...text.slice(0, 3), '\0\0\0', ...text.slice(3)];
    expect(await read(written('a.csv', lines.join(end)), { rate_hz: 10 })).toEqual({
      values: amplitudes(0, 1, 2, 3, 4, 5),
      problems: [
        'line 1: not read: 2 columns, but most have 8',
        'line 5: not read: 1 columns, but most have 8',
      ],
    });
  });

  test('a cell of a CSV, whose value is unknown', async () => {
    const lines = text.with(2, text[2]!.replace('21', '2x1'));
    const { values, problems } = await read(written('a.csv', lines.join('\n')), { rate_hz: 10 });
    const expected = amplitudes(0, 1, 2, 3, 4, 5);
    expect(values).toEqual(expected.with(32, NaN));
    expect(problems).toEqual(['line 3: not read: `2x1` in column 1 is not a number']);
  });

  test('a column of texts stays one', async () => {
    const lines = text.map((line, i) => `${i % 2 === 0 ? 'a' : '7'},${line}`);
    const { arrays, damaged } = await readCsv(lines.join('\n'));
    expect(arrays[0]!.texts).toEqual(['a', '7', 'a', '7', 'a', '7']);
    expect(damaged).toEqual([]);
  });

  test('a column of labels is one of texts, although most are numbers', async () => {
    const lines = text.map((line, i) => `${i === 3 ? 'kitchen' : i},${line}`);
    const { values, problems } = await read(written('a.csv', lines.join('\n')), { rate_hz: 10 });
    expect([values, problems]).toEqual([amplitudes(0, 1, 2, 3, 4, 5), []]);
  });

  test('senders are texts, although they look like numbers', async () => {
    const lines = text.map((line, i) => `${['007', '1', '2', '3', '4', 'x1'][i]},${line}`);
    const [block] = await framesIn(written('a.csv', lines.join('\n')), { sender: '1', rate_hz: 10 }, [
      '007',
      '1',
      '2',
      '3',
      '4',
      'x1',
    ]);
    expect([...block!.link]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each([
    ['lacks one', 'a,b,c,d,e,f,g'],
    ['has an empty one', ',b,c,d,e,f,g,h'],
  ])('but not a CSV whose line of names %s: which column is which is unknown', async (_, names) => {
    const path = written('a.csv', [names, ...text].join('\n'));
    expect(await errorOf(path, { rate_hz: 10 })).not.toBe('opened');
  });

  test('the first rows of a NumPy array', async () => {
    const whole = readFileSync(made('complex.npy'));
    // Two frames and a half.
    const path = written('a.npy', whole.subarray(0, 128 + 120));
    const { values, problems } = await read(path, { axes: AXES, rate_hz: 10 });
    expect(values).toEqual(expected(csi, 2).slice(0, 24));
    expect(problems).toEqual([
      'byte 248: not read: it is truncated: 120 bytes of 192: of 4 along its outermost axis, 2 are whole',
    ]);
  });

  const zip = readFileSync(made('several.npz'));
  /** The same file as a program writes it that uses 64 bits for everything. */
  function in64Bits(file: Buffer): Buffer {
    const [end, directory] = [file.lastIndexOf('PK\x05\x06'), file.indexOf('PK\x01\x02')];
    const parts = [file.subarray(0, directory)];
    for (let at = directory; at < end;) {
      const name = file.readUInt16LE(at + 28);
      const next = at + 46 + name + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
      const header = Buffer.from(file.subarray(at, at + 46 + name));
      const extra = Buffer.alloc(28);
      extra.writeUInt32LE(1 | (24 << 16));
      for (const [i, offset] of [24, 20, 42].entries()) {
        extra.writeBigUInt64LE(BigInt(header.readUInt32LE(offset)), 4 + 8 * i);
        header.writeUInt32LE(0xffffffff, offset);
      }
      header.writeUInt32LE(28, 30);
      parts.push(header, extra);
      at = next;
    }
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50);
    record.writeBigUInt64LE(BigInt(file.readUInt16LE(end + 10)), 32);
    record.writeBigUInt64LE(BigInt(directory), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50);
    locator.writeBigUInt64LE(BigInt(Buffer.concat(parts).length), 8);
    const last = Buffer.from(file.subarray(end)).fill(0xff, 8, 20);
    return Buffer.concat([...parts, record, locator, last]);
  }

  const zipped = { values: 'csi', axes: AXES, time: 'time' } as const;

  test('the arrays of a zip file of NumPy without its directory', async () => {
    const cut = zip.indexOf('PK\x01\x02') + 10;
    const { values, problems } = await read(written('a.npz', zip.subarray(0, cut)), zipped);
    expect(values).toEqual(expected(csi, 2));
    expect(problems[0]).toBe(
      `byte ${cut}: not read: the zip file is truncated: the directory that ends it is not complete`,
    );
  });

  test('the arrays of a zip file of NumPy whose directory is damaged', async () => {
    const directory = zip.indexOf('PK\x01\x02');
    const path = written('b.npz', zip.with(directory, zip[directory]! ^ 1));
    const { values, problems } = await read(path, zipped);
    expect(values).toEqual(expected(csi, 2));
    expect(problems[0]).toBe(`byte ${directory}: not read: the zip file is damaged: no entry begins here`);
  });

  test('the arrays of a zip file of NumPy with a directory of 64 bits', () => {
    expect(readNpz(zip).damaged).toEqual([]);
    expect(readNpz(in64Bits(zip))).toEqual(readNpz(zip));
  });

  test('the first 65,535 entries of a zip file without its directory, of which an error names four', () => {
    const header = Buffer.alloc(31);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(1, 26);
    header.write('a', 30);
    const many = Buffer.concat(Array<Buffer>(70_000).fill(header));
    const { entries, damage } = zipEntries(many);
    expect([entries.length, damage]).toEqual([
      65_535,
      'byte 2170000: the zip file is truncated: the directory that ends it is not complete; only its first 65535 entries are read',
    ]);
    expect(() => readNpz(many)).toThrow(/entries are read(; a: [^;]+){4}; and 65531 more$/);
  });

  test('the arrays of a zip file of NumPy before its end', () => {
    const names = ({ arrays }: { readonly arrays: readonly TableArray[] }) => arrays.map(({ name }) => name);
    const cut = zip.indexOf('pairs.npy') + 100;
    const { arrays, unread, damaged } = readNpz(zip.subarray(0, cut));
    const before = zip.subarray(0, cut - 100).toString('latin1');
    expect(names({ arrays })).toEqual(names(readNpz(zip)).filter((name) => before.includes(`${name}.npy`)));
    expect([...unread, ...damaged!].join()).toContain(`pairs: byte ${cut}: it is truncated`);
  });

  test('no array of a zip file of NumPy whose checksum is wrong', () => {
    const at = zip.indexOf('PK\x03\x04') + 200;
    const { arrays, unread } = readNpz(Buffer.from(zip.with(at, zip[at]! ^ 1)));
    expect(arrays).toHaveLength(readNpz(zip).arrays.length - 1);
    expect(unread[0]).toMatch(/^csi: byte \d+: its checksum is wrong$/);
  });

  const level5 = readFileSync(made('level5.mat'));
  const second = 136 + level5.readUInt32LE(132);

  test.each([
    ['damaged', level5.with(second + 20, level5[second + 20]! ^ 0xff), /^byte \d+: not read: [a-z ]+$/],
    [
      'cut off',
      level5.subarray(0, second + 20),
      /^byte \d+: not read: it is truncated: 12 bytes of an element/,
    ],
  ])('the variables of a MATLAB file besides one that is %s', async (_, bytes, problem) => {
    const path = written('a.mat', bytes);
    const mapping: TableMapping = { values: 'csi', axes: ['rx', 'subcarrier', 'time'], rate_hz: 10 };
    const { values, problems } = await read(path, mapping);
    expect(values).toEqual(expected(csi, 2));
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]).toContain(`byte ${second}: `);
  });

  const stray = Buffer.from(Uint32Array.of(6, 0).buffer);

  test('a log of an Intel 5300 that MATLAB saved, before something damaged', async () => {
    const whole = readFileSync(made('trace.mat'));
    const { problems } = await read(written('a.mat', Buffer.concat([whole, stray])), {});
    expect(problems[0]).toBe(`byte ${whole.length}: not read: expected a matrix, found type 6`);
  });

  test('up to 16 damaged variables of a MATLAB file; then its rest is named', async () => {
    const strays = Array.from({ length: 20 }, () => stray);
    const { damaged } = readMat5(Buffer.concat([level5.subarray(0, second), ...strays]));
    expect(damaged).toHaveLength(17);
    expect(damaged!.at(-1)).toBe(`byte ${second + 16 * 8}: the rest, behind 16 damaged variables`);
  });

  test('but no antennas: a NumPy array that lacks some is rejected', async () => {
    const path = written('a.npy', readFileSync(made('complex.npy')).subarray(0, 248));
    expect(await errorOf(path, { axes: ['rx', 'time', 'subcarrier'], rate_hz: 10 })).toContain(
      'byte 248: it is truncated: 120 bytes of 192: of 4 along its outermost axis, 2 are whole',
    );
  });
});
