import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isStream } from '../../api/cli/recordings/spool.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { openRecording } from '../../pipeline/sources/recording.js';
import { pcapOf } from '../formats/pcap-files.js';
import { FILES, SAMPLES } from '../formats/samples.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-streams-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let pipes = 0;
const namedPipe = (): string => {
  const path = join(folder, `pipe-${pipes++}`);
  execFileSync('mkfifo', [path]);
  return path;
};

/** What `csiflow inspect` answers to a named pipe through which these bytes come. */
async function inspected(bytes: Uint8Array, ...options: readonly string[]) {
  const pipe = namedPipe();
  const [answer] = await Promise.all([
    csiflow('inspect', pipe, '--seconds', '600', ...options),
    writeFile(pipe, bytes),
  ]);
  return { pipe, ...answer };
}

test.each([
  ...SAMPLES.filter(({ kind }) => kind === 'esp-csi-log' || kind === 'feitcsi-file'),
  ...FILES.filter(({ kind }) => kind === 'nexmon-pcap'),
])('a named pipe with $kind is read, and named', async ({ kind, format, records }) => {
  const { pipe, code, out } = await inspected(Buffer.concat(records));
  expect(code).toBe(EXIT.fine);
  expect(out).toContain(`${pipe}: ${kind}, records of ${format}\n12 records, `);
});

test('faults in a pipe are named with it, and a stream may begin in the middle of a record', async () => {
  const { records } = SAMPLES.find(({ kind }) => kind === 'feitcsi-file')!;
  const joined = await inspected(Buffer.concat(records).subarray(100));
  expect(joined.err).toContain(`${joined.pipe}: byte 0: no record begins here: `);
  expect(joined.out).toContain(': feitcsi-file, records of feitcsi\n11 records, ');
});

test('a plot reads a pipe only once', async () => {
  const { records } = SAMPLES.find(({ kind }) => kind === 'esp-csi-log')!;
  const { code } = await inspected(Buffer.concat(records), '--plot', join(folder, 'out.svg'));
  expect(code).toBe(EXIT.fine);
});

test('a pipe of no known kind, and one without data, are answered with the reason', async () => {
  const unknown = await inspected(Buffer.from('hello\n'));
  expect(unknown.code).toBe(EXIT.invalid);
  expect(unknown.err).toContain(`${unknown.pipe}: its first bytes match no kind that csiflow reads`);
  const silent = await csiflow('inspect', namedPipe(), '--seconds', '0.1');
  expect([silent.code, silent.err]).toEqual([
    EXIT.failed,
    expect.stringContaining('nothing arrived from ') as string,
  ]);
});

test('a pipe is not a recording, and standard input and devices are streams', async () => {
  await expect(openRecording(namedPipe())).rejects.toThrow(
    /a pipe or a device, not a file: `csiflow inspect`/,
  );
  expect(await Promise.all(['-', '/dev/null', folder, join(folder, 'missing')].map(isStream))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a pcap without reports is answered with what it holds', async () => {
  const path = join(folder, 'beacons.pcap');
  const beacon = Uint8Array.of(0, 0, 8, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, ...new Array<number>(40).fill(0));
  writeFileSync(path, pcapOf([beacon, beacon], { linkType: 127 }));
  const { code, err } = await csiflow('inspect', path);
  expect(code).toBe(EXIT.invalid);
  expect(err).toContain(
    'beacons.pcap (beamforming-pcap) contains no records: it is a pcap whose first 160 bytes have 2 802.11 frames, no beamforming reports',
  );
});
