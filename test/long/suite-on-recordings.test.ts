import { expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { cell, type Table } from '../../bench/accuracy/chain/table.js';
import { runSuite } from '../../bench/suite/tasks/suite.js';
import type { TaskName } from '../../bench/suite/contracts.js';
import { NO_PANEL } from '../../bench/suite/task.js';
import { loadTopology } from '../../pipeline/config/index.js';
import { sharedFile } from '../support/shared.js';

// Tasks of the suite on a share of the real recordings.

const topology = loadTopology('topologies/demo.yaml', components, { env: {}, standIn: 'unset' }).topology!;

async function measure(
  task: TaskName,
  share: { readonly rooms: number; readonly atOnce: number },
): Promise<Table> {
  const plan = {
    topology,
    seed: 1,
    data: sharedFile(''),
    panel: NO_PANEL,
    print: () => undefined,
    keep: () => undefined,
    ...share,
  };
  const [measured] = await runSuite(plan, [task], [], {});
  return measured!.table!;
}

const activities = sharedFile('labelled/falls-rpi4-amplitude');
it.skipIf(!activities)('names activities far better than chance', { timeout: 300_000 }, async () => {
  const table = await measure('activity-rpi4', { rooms: 8, atOnce: 1 });
  // With all recordings it reaches 79 %; two fifths of them teach less.
  expect(cell(table, 'csiflow', 'accuracy').value).toBeGreaterThan(0.55);
});

const presence = sharedFile('labelled/esp32-presence');
it.skipIf(!presence)('notices movement on chips unknown to the rule', { timeout: 120_000 }, async () => {
  const table = await measure('movement', { rooms: 2, atOnce: 2 });
  expect(cell(table, 'csiflow', 'f1').value).toBeGreaterThan(0.85);
  expect(cell(table, 'csiflow', 'balanced').value).toBeGreaterThan(0.7);
});
