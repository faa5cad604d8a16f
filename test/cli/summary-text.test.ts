import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LayoutSummary, SenderSummary, Summary } from '../../api/cli/recordings/inspect.js';
import { lookIntoFile } from '../../api/cli/recordings/look.js';
import type { PlotFrames } from '../../api/cli/recordings/plot/frames.js';
import { plotSvg, titlesOf } from '../../api/cli/recordings/plot/plot.js';
import { recordsOf, summaryText } from '../../api/cli/recordings/summary-text.js';
import { csiLayout } from '../../pipeline/model/index.js';
import { temporaryFolder } from '../support/flow.js';
import { pcapngOf } from '../formats/pcap-files.js';
import { FILES, SAMPLES } from '../formats/samples.js';

const layout = (key: string, frames: number, rate: number): LayoutSummary => ({
  ...{ layout: key, frames, frames_per_second: rate, rssi_dbm: -50, longest_gap_s: rate > 0 ? 0.03 : 0 },
  ...{ zero_frames: 0, repeated_frames: 0 },
});
const textOf = (records: number, seconds: number, sender: Partial<SenderSummary>): string => {
  const all = { sender: '*', format: 'nexmon', loss: null, assumed: null, layouts: [], ...sender };
  const summary: Summary = {
    ...{ records, bytes: 100, start: '2026-01-01T00:00:00.000Z', seconds, senders: [all] },
    ...{ packets: null, malformed: null, faults: [] },
  };
  return summaryText('room.dat', 'nexmon-pcap', summary);
};

test.each([
  [[], 'no known format'],
  [['nexmon', 'nexmon'], 'nexmon'],
  [['nexmon', 'adr018'], 'several formats'],
  [[null], 'several formats'],
])('a capture with senders of %j has records of %s', (formats, of) => {
  const senders = formats.map((format) => ({ format }) as SenderSummary);
  expect(recordsOf('auto', { senders })).toBe(`records of ${of}`);
});

test('a single frame has no rate', () => {
  const text = textOf(1, 0, { layouts: [layout('a', 1, 0)] });
  expect(text).toContain('1 record, ');
  expect(text).toContain('  a: 1 frame, rate unknown, RSSI');
  expect(text).toContain('# nexmon, rate unknown, a');
});

test('the rate of a sender without a name is that of the frames of all layouts', () => {
  const layouts = ['a', 'b', 'c'].map((key) => layout(key, 20, 32.203));
  expect(textOf(60, 0.59, { layouts })).toContain('# nexmon, 100 frames per second, a, b, c');
});

test('senders beyond the largest number of links are not called rare', () => {
  const state = (frames: number) => ({ format: 'nexmon', frames, frames_per_second: 60, layout: 'a' });
  const frequent = Array.from(
    { length: 16 },
    (_, i) => [`02:00:00:00:00:0${i.toString(16)}`, state(50)] as const,
  );
  const text = textOf(800, 1, { heard: Object.fromEntries(frequent) });
  expect(text).toContain('8 more senders are heard too, beyond these 8 links: --json lists all');
  expect(text).not.toContain('rare');
  const rare = textOf(801, 1, { heard: Object.fromEntries([...frequent, ['02:00:00:00:01:00', state(1)]]) });
  expect(rare).toContain('8 more senders are heard too');
  expect(rare).toContain('one more sender is rare: --json lists all');
});

test.each([1, 2])('the plot of %i frames at one time shows no NaN', (count) => {
  const about = { training: 'lltf', bandwidthMhz: 20, centreMhz: 2437, rx: 1, tx: 1 } as const;
  const frames: PlotFrames = {
    layout: csiLayout({ ...about, subcarriers: [-1, 1] }),
    ...{ count, isCut: false, time: new Float64Array(count), rssi: new Float32Array(count).fill(-40) },
    ...{ amplitude: new Float32Array(2 * count).fill(3), phase: new Float32Array(2 * count) },
  };
  const titles = titlesOf(frames, { what: 'a.dat', kind: 'a', format: 'a', sender: '*' });
  expect(titles.subtitles[0]).toMatch(count === 1 ? / 1 frame in 0 s$/ : / 2 frames in 0 s$/);
  expect(plotSvg(frames, titles)).not.toMatch(/NaN|Infinity/);
});

test.each([3, 6] as const)('a pcapng of blocks of type %i: missing times are named', async (block) => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-summary-'));
  const path = join(folder, 'room.pcapng');
  const packets = SAMPLES.find(({ format }) => format === 'nexmon')!.records;
  writeFileSync(path, pcapngOf(packets, { block }));
  const { summary } = await lookIntoFile(path, { kind: 'nexmon-pcap', format: 'auto' });
  rmSync(folder, { recursive: true });
  expect(summary.records).toBe(packets.length);
  const text = summaryText('room.pcapng', 'nexmon-pcap', summary);
  if (block === 3)
    expect(text).toMatch(/\ntimes unknown: all records are at time 0, as in a pcapng .*`tcpdump -w`/);
  else expect(text).not.toContain('times unknown');
});

/** Without the clock of the receiver. */
const TIMELESS: Readonly<Record<string, (record: Buffer) => Buffer>> = {
  intel5300: (record) => record.fill(0, 3, 7),
  'esp-csi': (record) => Buffer.from(record.toString('latin1').replace(/,\d{7,},/, ',0,'), 'latin1'),
  'esp32-serial': (record) => Buffer.from(record.toString('latin1').replace(/^(CSIRAW \d+) \d+/, '$1 0')),
};

test.each([
  ['intel5300', '`timestamp_low` is 0'],
  ['esp-csi', '`local_timestamp` is 0'],
  ['esp32-serial', "the receiver's clock is 0"],
])('the advice for a log of %s without times fits it', async (format, clock) => {
  const { records, kind } = [...SAMPLES, ...FILES].find((sample) => sample.format === format)!;
  const path = join(temporaryFolder(), 'room.log');
  const timeless = records.map((record) => TIMELESS[format]!(Buffer.from(record)));
  writeFileSync(path, Buffer.concat(timeless));
  const { summary } = await lookIntoFile(path, { kind: kind!, format });
  const text = summaryText('room.log', kind!, summary);
  expect(text).toMatch(new RegExp(`\ntimes unknown: .*because ${clock}.*\`serial\``));
  expect(text).not.toContain('tcpdump');
});
