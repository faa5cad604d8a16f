import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, test, vi } from 'vitest';
import { EXIT } from '../../pipeline/base/exit.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { formatNamed } from '../../pipeline/formats/index.js';
import { FRAME_COLUMNS } from '../../pipeline/formats/tables/frame-columns.js';
import { encodeTableFrame } from '../../pipeline/formats/tables/table-frame.js';
import { csiLayout, frameSize, LinkTable } from '../../pipeline/model/index.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { batchesOf } from '../formats/batches.js';
import { SAMPLES } from '../formats/samples.js';
import { csiflow } from '../support/csiflow.js';
import { testContext } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { anySender } from '../support/recordings.js';

/** All frames of one sender in a recording: time, layout, level and the bits of the values. */
async function framesIn(path: string, sender: string) {
  const links = [{ ...anySender.links[0]!, sender }];
  const { context } = testContext({ links: new LinkTable([{ ...anySender, links }]) });
  const recording = await openRecording(path);
  const decoder = formatNamed(recording.format).decoder(context);
  const frames: { time: number; layout: string; rssi: number; values: string; facts: unknown }[] = [];
  for await (const { raw } of recording.batches(64))
    for (const one of decoder.decode(raw).data) {
      if (one.port !== 'csi') continue;
      const size = frameSize(one.layout);
      for (let i = 0; i < one.count; i++) {
        const values = Buffer.from(one.values.slice(i * size, (i + 1) * size).buffer).toString('hex');
        const rows = [i * one.layout.rx, (i + 1) * one.layout.rx] as const;
        const facts = {
          ...{ noise: one.noise[i], agc: [...one.agc.slice(...rows)], fftGain: one.fftGain[i] },
          ...{ bits: one.bits[i], antenna: [...one.antenna.slice(...rows)] },
          ...{ deviceTime: one.deviceTime[i], instance: one.instance[i] },
        };
        frames.push({ time: one.time[i]!, layout: one.layout.key, rssi: one.rssi[i]!, values, facts });
      }
    }
  // Frames of one record have the same time, in either order.
  return {
    origin: recording.origin,
    frames: frames.sort((a, b) => a.time - b.time || a.layout.localeCompare(b.layout)),
  };
}

const bit32 = fc.float({ noDefaultInfinity: true });
const layoutOf = (rx: number, carriers: readonly number[]) =>
  csiLayout({
    ...{ rx, tx: 1, subcarriers: carriers, bandwidthMhz: 20, centreMhz: 5180 },
    training: rx === 1 ? 'lltf' : 'he-ltf',
  });

test('frames of any layout round-trip through Parquet to the bit', async () => {
  const folder = temporaryFolder();
  const [capture, parquet] = [join(folder, 'a.csi'), join(folder, 'a.parquet')];
  const layouts = [layoutOf(1, [-2, -1, 1]), layoutOf(2, [3]), layoutOf(3, [-7, 0, 7, 9])];
  const numbers = fc.sample(fc.array(bit32, { minLength: 24, maxLength: 24 }), 300);
  const records = numbers.map((values, i) => {
    const layout = layouts[i % 3]!;
    const frame = Float32Array.from(values).subarray(0, frameSize(layout));
    const known = i % 2 === 0;
    const facts = {
      ...{ noise: known ? -92 : NaN, fftGain: known ? -0.5 : NaN, bits: known ? 12 : 0 },
      ...{ agc: Array.from({ length: layout.rx }, (_, row) => (row === 1 ? NaN : 20 + row)) },
      ...{ antennas: known ? [2, 0, 1] : [255, 255, 255], deviceTime: known ? i / 4 : NaN },
      instance: known ? i : -1,
    };
    const rssi = i % 5 === 0 ? NaN : -i / 7;
    // A third is as older versions wrote them.
    const bytes = encodeTableFrame(layout, rssi, frame, ...(i % 3 === 0 ? [] : [facts]));
    return { bytes, time: 1.7e15 + 20_001 * i };
  });
  const header = encodeHeader({ format: 'table-frame', origin: 'simulated' });
  writeFileSync(capture, Buffer.concat([header, ...batchesOf(records).map(encodeRecords)]));
  const { code, out } = await csiflow('convert', capture, parquet);
  expect([code, out]).toEqual([EXIT.fine, `${parquet}: 300 frames, 0 skipped\n`]);
  const [before, after] = [await framesIn(capture, '*'), await framesIn(parquet, '*')];
  expect(before.frames).toHaveLength(300);
  expect(before.frames[2]!.facts).toMatchObject({ agc: [20, NaN, 22], antenna: [2, 0, 1], bits: 12 });
  expect(after).toEqual(before);
});

test('rows contain everything that a receiver provides, and the sender', async () => {
  const folder = temporaryFolder();
  const [log, parquet] = [join(folder, 'board.log'), join(folder, 'board.parquet')];
  const { records } = SAMPLES.find(({ format }) => format === 'esp-csi')!;
  writeFileSync(log, Buffer.concat(records));
  expect((await csiflow('convert', log, parquet)).code).toBe(EXIT.fine);
  const sender = '1a:00:00:00:00:00';
  expect(await framesIn(parquet, sender)).toEqual(await framesIn(log, sender));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = await connection.runAndReadAll('SELECT * FROM read_parquet($parquet) LIMIT 1', { parquet });
  expect(
    Object.fromEntries(rows.columnNames().map((name, i) => [name, String(rows.columnTypes()[i])])),
  ).toEqual(FRAME_COLUMNS);
  const [row] = rows.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  expect(row).toMatchObject({
    ...{ sender, origin: 'replay', rssi: -40, noise: -95, bits: 8, device_time_us: 1_000_000 },
    ...{ training: 'lltf', measurement: 'channel-estimate', bandwidth_mhz: 20, rx: 1, tx: 1, instance: null },
  });
});

test('an existing file is kept, and a path that is not a folder is named', async () => {
  const folder = temporaryFolder();
  const { records } = SAMPLES.find(({ format }) => format === 'esp-csi')!;
  const [log, parquet] = [join(folder, 'board.log'), join(folder, 'board.parquet')];
  writeFileSync(log, Buffer.concat(records));
  writeFileSync(parquet, 'mine');
  const there = await csiflow('convert', log, parquet);
  expect([there.code, there.err]).toEqual([EXIT.invalid, expect.stringContaining('already exists')]);
  const nowhere = await csiflow('convert', log, join(folder, 'none', 'board.parquet'));
  expect([nowhere.code, nowhere.err]).toEqual([
    EXIT.invalid,
    expect.stringContaining(join(folder, 'none', 'board.parquet')),
  ]);
  expect((await csiflow('convert', log, parquet, '--force')).code).toBe(EXIT.fine);
});

test('a full disk is named in one line', async () => {
  const folder = temporaryFolder();
  const { records } = SAMPLES.find(({ format }) => format === 'esp-csi')!;
  const [log, parquet] = [join(folder, 'board.log'), join(folder, 'board.parquet')];
  writeFileSync(log, Buffer.concat(records));
  const refusal = `Failed to append: Could not write file "${parquet}.staging.wal": No space left on device`;
  const append = vi.spyOn(DuckDBConnection.prototype, 'createAppender').mockRejectedValue(new Error(refusal));
  try {
    expect(await csiflow('convert', log, parquet)).toMatchObject({
      code: EXIT.unavailable,
      output: `csiflow: ${parquet} cannot be written: No space left on device\n`,
    });
  } finally {
    append.mockRestore();
  }
});
