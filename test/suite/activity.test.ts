import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { cell } from '../../bench/accuracy/chain/table.js';
import { runSuite } from '../../bench/suite/tasks/suite.js';
import { NO_PANEL, type Measured } from '../../bench/suite/task.js';
import { loadTopology } from '../../pipeline/config/index.js';
import { madeFolder, makeAmplitudes } from './made-data.js';

const topology = loadTopology('topologies/demo.yaml', components, { env: {}, standIn: 'unset' }).topology!;
const plan = {
  topology,
  seed: 1,
  rooms: 20,
  atOnce: 1,
  panel: NO_PANEL,
  print: () => undefined,
  keep: () => undefined,
};

let data: string;
beforeAll(() => {
  data = madeFolder();
  makeAmplitudes(data, 2);
});
afterAll(() => {
  rmSync(data, { recursive: true });
});

const measure = async (of: string | undefined): Promise<Measured> =>
  (await runSuite({ ...plan, data: of }, ['activity-rpi4'], [], {}))[0]!;

it('names the activities of an unknown person', { timeout: 120_000 }, async () => {
  const { table } = await measure(data);
  expect(cell(table!, 'csiflow', 'cases').value).toBe(28);
  expect(cell(table!, 'csiflow', 'accuracy').value).toBeGreaterThan(0.8);
  expect(cell(table!, 'always the most frequent class', 'accuracy').value).toBeCloseTo(1 / 7, 2);
});

it('skips a task without data, and names it', async () => {
  expect((await measure(undefined)).skipped).toMatch(/falls-rpi4-amplitude: name the folder .* --data/);
  expect((await measure(tmpdir())).skipped).toMatch(/labelled\/falls-rpi4-amplitude does not exist/);
});
