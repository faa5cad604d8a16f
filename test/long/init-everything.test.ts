import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../pipeline/base/exit.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { FILES, SAMPLES } from '../formats/samples.js';
import { csiflow } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';
import { moving } from '../support/receivers.js';
import { sharedFile } from '../support/shared.js';

// For everything that `csiflow inspect` knows, `csiflow init` makes a topology that is valid, passes its test
// and runs to its end.

async function initialise(path: string, ...options: string[]): Promise<string> {
  const folder = temporaryFolder();
  const made = await csiflow('init', path, '--folder', folder, ...options);
  expect(made.code, made.output).toBe(EXIT.fine);
  // Of all these, `window` passes frames on: none is noise.
  expect(made.err).not.toContain('its frames yield no motion');
  const topology = join(folder, 'topology.yaml');
  const valid = await csiflow('validate', topology);
  expect(valid.output).toContain('0 errors, 0 warnings');
  expect((await csiflow('test', topology)).output).toContain('1 passed, 0 failed');
  return topology;
}

/** The same, and runs it immediately; for very short recordings: they are played at their own pace. */
async function runOf(path: string): Promise<void> {
  const ended = await csiflow('run', await initialise(path), '--no-api', '--until-end');
  expect(ended.code, ended.output).toBe(EXIT.fine);
}

const written = (bytes: readonly Uint8Array[], name: string): string => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, Buffer.concat(bytes.map((each) => Buffer.from(each))));
  return path;
};

const seconds = { timeout: 300_000 };

describe('kinds of files, generated here', () => {
  const kinds = [...SAMPLES, ...FILES].filter(({ kind }) => kind !== null);
  test.each(kinds)('$kind', seconds, async ({ kind, records }) => {
    await runOf(written(records, `${kind!}.bin`));
  });
});

describe('tables', () => {
  const made = (name: string) => packageFile(`test/formats/tables/${name}`);
  const rows = Array.from({ length: 60 }, (_, i) => moving(i, 26).join(',')).join('\n');
  test.each([
    ['csv', () => written([Buffer.from(rows)], 'a.csv'), '{ numbers: real-imaginary, rate_hz: 50 }'],
    ['npz', () => packageFile('topologies/recordings/walk.npz'), '{ values: csi, time: time }'],
    ['mat5', () => made('level5.mat'), '{ values: csi, axes: [rx, subcarrier, time], time: time }'],
    ['hdf5', () => made('plain.h5'), '{ values: group/csi, axes: [time, rx, subcarrier], rate_hz: 50 }'],
  ])('%s', seconds, async (_kind, path, table) => {
    await initialise(path(), '--table', table);
  });

  test('parquet', seconds, async () => {
    const { records } = SAMPLES.find(({ format }) => format === 'esp-csi')!;
    const path = join(temporaryFolder(), 'frames.parquet');
    expect((await csiflow('convert', written(records, 'a.log'), path)).code).toBe(EXIT.fine);
    await initialise(path);
  });
});

const folder = sharedFile('captures');
const captures = (folder === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  .filter((name) => /\.(dat|csi|pcap|pcapng|log|csv|jsonl|txt\.gz)$/.test(name))
  .sort();
describe.runIf(folder)('recordings of receivers', () => {
  test.each(captures)('%s', seconds, async (name) => {
    await initialise(join(folder!, name));
  });
});
