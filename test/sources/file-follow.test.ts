import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position, SourceBatch } from '../../pipeline/component/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { encodeLine } from '../../pipeline/formats/devices/espressif/esp32-serial.js';
import { file } from '../../pipeline/sources/file/file.js';
import { sourceCases } from '../../pipeline/testing/kit/index.js';
import { batchesOf } from '../formats/batches.js';
import { conformance } from '../kit/cases.js';
import { datagrams, START } from '../kit/csi-input.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext } from '../support/context.js';
import { collector, until } from './outputs.js';

const DEFAULTS = {
  ...{ path: 'csi.log', format: 'auto' as const, records: 'auto' },
  ...{ speed: 0, loop: false, batch_records: 8 },
  ...{ follow: true, poll_ms: 10 },
} as const;
type Settings = Partial<Parameters<typeof file.create>[0]>;

const HEADER = encodeHeader({ format: 'adr018', origin: 'replay' });
const bytesOf = (sequence: number) =>
  encodePairs(
    { node: 1, bins: 64, mhz: 2437, sequence, rssi: -40, noise: -90 },
    new Int8Array(128).fill(sequence),
  );
/** Records of a capture, from number `from` to `to`. */
const records = (from: number, to: number): Buffer =>
  Buffer.concat(
    batchesOf(
      Array.from({ length: to - from }, (_, i) => ({
        bytes: bytesOf(from + i),
        time: START + (from + i) * 5000,
      })),
      1,
    ).map(encodeRecords),
  );
const wholeFile = (from: number, to: number): Buffer => Buffer.concat([HEADER, records(from, to)]);

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-follow-'));
  afterThisTest(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A source that reads until it is stopped. */
function start(folder: string, position: Position = null, settings: Settings = {}) {
  const { context, recorded } = testContext({ folder });
  const source = file.create({ ...DEFAULTS, ...settings }, context);
  const { output, batches, stop, records: count } = collector();
  const problems: (string | null)[] = [];
  const ended = source.open(position, { ...output, problem: (text) => problems.push(text) });
  // A failure surfaces when `until` polls, and at the end.
  let failed = false;
  ended.catch(() => (failed = true));
  const stopped = () => {
    stop();
    return ended;
  };
  afterThisTest(() => stopped().catch(() => undefined));
  const read = (wanted: number) => until(() => failed || count() >= wanted);
  return { batches, problems, recorded, source, stopped, read, ended };
}

const sequences = (batches: readonly SourceBatch[]): number[] =>
  batches.flatMap(({ raw }) => Array.from({ length: raw!.count }, (_, i) => (raw!.time[i]! - START) / 5000));
const upTo = (to: number, from = 0) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a followed file', () => {
  it('is waited for, and read as it grows, wherever writes are cut', async () => {
    const folder = await makeFolder();
    const bytes = wholeFile(0, 30);
    const run = start(folder);
    await until(() => run.problems.length > 0);
    expect(run.problems[0]).toMatch(/csi\.log: the file does not exist yet/);
    for (let at = 0; at < bytes.length; at += 777)
      await appendFile(join(folder, 'csi.log'), bytes.subarray(at, at + 777));
    await run.read(30);
    await run.stopped();
    expect(sequences(run.batches)).toEqual(upTo(30));
    expect(run.problems.at(-1)).toBeNull();
    expect(run.batches[0]!.raw!.origin).toBe('live');
  });

  it('is read to its end when another replaces it, and then the new one', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'csi.log');
    await writeFile(path, wholeFile(0, 10));
    const run = start(folder);
    await run.read(10);
    await rename(path, `${path}.1`);
    await appendFile(`${path}.1`, records(10, 15));
    await writeFile(path, wholeFile(15, 20));
    await run.read(20);
    await run.stopped();
    expect(sequences(run.batches)).toEqual(upTo(20));
  });

  it('is read again from its start after a truncation', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'csi.log');
    await writeFile(path, wholeFile(0, 10));
    const run = start(folder);
    await run.read(10);
    await truncate(path);
    await appendFile(path, wholeFile(10, 14));
    await run.read(14);
    await run.stopped();
    expect(sequences(run.batches)).toEqual(upTo(14));
    expect(run.recorded.lines.map(({ message }) => message).join()).toMatch(/csi\.log was truncated/);
  });

  it('is recognised as truncated even if it is longer than before', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'csi.log');
    await writeFile(path, wholeFile(0, 10));
    const run = start(folder);
    await run.read(10);
    // In place: the same file, different content.
    await writeFile(path, wholeFile(10, 30));
    await run.read(30);
    await run.stopped();
    expect(sequences(run.batches)).toEqual(upTo(30));
  });

  it('resumes from a position, even if the file was renamed', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'csi.log');
    await writeFile(path, wholeFile(0, 20));
    const first = start(folder);
    await first.read(20);
    await first.stopped();
    const { position } = first.batches[0]!;
    await rename(path, `${path}.1`);
    await appendFile(`${path}.1`, records(20, 22));
    await writeFile(path, wholeFile(22, 25));
    const again = start(folder, JSON.parse(JSON.stringify(position)) as Position);
    await again.read(17);
    await again.stopped();
    expect(sequences(again.batches)).toEqual(upTo(25, 8));
  });

  it('warns with the byte offset if it was replaced and cannot be found', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'csi.log');
    await writeFile(path, wholeFile(0, 20));
    const first = start(folder);
    await first.read(20);
    await first.stopped();
    await rm(path);
    await writeFile(path, wholeFile(30, 33));
    const { position } = first.batches[0]!;
    const again = start(folder, position);
    await again.read(3);
    await again.stopped();
    expect(sequences(again.batches)).toEqual(upTo(33, 30));
    const { offset } = (position as { recording: { offset: number } }).recording;
    expect(again.recorded.lines[0]!.message).toContain(`after byte ${offset} is lost`);
  });

  it('with a pattern is followed by the next name in order', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'part-9.csi'), wholeFile(0, 5));
    const run = start(folder, null, { path: 'part-*.csi' });
    await run.read(5);
    await appendFile(join(folder, 'part-9.csi'), records(5, 8));
    await writeFile(join(folder, 'part-10.csi'), wholeFile(8, 12));
    await run.read(12);
    await run.stopped();
    expect(sequences(run.batches)).toEqual(upTo(12));
    const last = run.batches.at(-1)!.position;
    await rm(join(folder, 'part-10.csi'));
    await writeFile(join(folder, 'part-11.csi'), wholeFile(12, 15));
    const again = start(folder, last, { path: 'part-*.csi' });
    await again.read(3);
    await again.stopped();
    expect(sequences(again.batches)).toEqual(upTo(15, 12));
  });

  it("has today's times if its clock counts from the start of the receiver", async () => {
    const folder = await makeFolder();
    const before = Date.now() * 1000;
    const line = (sequence: number) =>
      `${encodeLine({ sequence, timeMs: 500 + sequence * 10, rssi: -40 }, [Array<number>(104).fill(3)])}\n`;
    await writeFile(join(folder, 'csi.log'), [0, 1, 2, 3].map(line).join(''));
    const run = start(folder);
    await run.read(3);
    await run.stopped();
    const times = run.batches.flatMap(({ raw }) => [...raw!.time]);
    expect(times[0]).toBeGreaterThan(before - 10_000_000);
    expect(times[1]! - times[0]!).toBe(10_000);
  });

  it.each([
    ['compressed with gzip', Buffer.from([0x1f, 0x8b, 8, 0]), /compressed with gzip cannot be followed/],
    ['of no known kind', Buffer.alloc(70_000, 0xff), /match no kind that csiflow reads/],
    ['of arrays', Buffer.from('1,2,3,4,5,6,7,8,9,10\n'.repeat(4000)), /file of arrays \(csv\)/],
  ])('rejects %s', async (_, bytes, message) => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'csi.log'), bytes);
    await expect(start(folder).ended).rejects.toThrow(message);
  });

  it('loses and repeats nothing across rotations and restarts', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ kind: fc.constantFrom('rotate' as const, 'restart' as const) }),
      fc.record({ kind: fc.constant('crash' as const), back: fc.integer({ min: 1, max: 3 }) }),
    );
    const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const folder = await makeFolder();
      const path = join(folder, 'csi.log');
      await writeFile(path, wholeFile(0, 3));
      let [written, rotations] = [3, 0];
      let taken: SourceBatch[] = [];
      let run = start(folder);
      const settle = () => run.read(written - sequences(taken).length);
      for (const one of steps) {
        if (one.kind === 'append') {
          await appendFile(path, records(written, written + one.count));
          written += one.count;
        } else if (one.kind === 'rotate') {
          await settle();
          await rename(path, `${path}.${++rotations}`);
          await writeFile(path, wholeFile(written, written + 2));
          written += 2;
        } else {
          await settle();
          await run.stopped();
          taken = [...taken, ...run.batches];
          // The checkpoint is older than the last record read.
          if (one.kind === 'crash') taken = taken.slice(0, Math.max(1, taken.length - one.back));
          run = start(folder, JSON.parse(JSON.stringify(taken.at(-1)?.position ?? null)) as Position);
        }
      }
      await settle();
      await run.stopped();
      expect(sequences([...taken, ...run.batches])).toEqual(upTo(written));
    });
    await fc.assert(property, { numRuns: 8 });
  });
});

conformance(
  'source file, following',
  sourceCases({
    component: file,
    config: { path: 'csi.log', follow: true },
    invalid: [
      { path: 'csi.log', follow: true, loop: true },
      { path: 'csi.log', follow: true, speed: 1 },
      { path: 'csi.log', follow: true, table: { rate_hz: 100 } },
      { path: 'csi.log', follow: true, format: 'npy' },
      { path: 'csi.log', follow: true, poll_ms: 0 },
    ],
    input: async (folder) => {
      const batches = batchesOf(
        datagrams(200).map((bytes, i) => ({ bytes, time: START + i * 5000 })),
        50,
      );
      await writeFile(join(folder, 'csi.log'), Buffer.concat([HEADER, ...batches.map(encodeRecords)]));
      return {
        config: { path: 'csi.log', follow: true, batch_records: 40, poll_ms: 10 },
        quietMs: 150,
      };
    },
  }),
);
