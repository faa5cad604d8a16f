import { expect, it } from 'vitest';
import { components } from '../../api/components.js';
import { evaluateChain, type TableName } from '../../bench/accuracy/chain/tables/evaluate.js';
import { cell, type Table } from '../../bench/accuracy/chain/table.js';
import { loadTopology } from '../../pipeline/config/index.js';

/**
 * A small version of the report: the minimum for `topologies/demo.yaml` in two rooms on which no model was
 * trained; half a minute of processor time.
 */
const demo = loadTopology('topologies/demo.yaml', components, { env: {}, standIn: 'unset' }).topology!;

async function measured(name: TableName): Promise<Table> {
  const [{ table } = { table: null }] = await evaluateChain(
    {
      topology: demo,
      seed: 700_000,
      rooms: 2,
      links: [4],
      minutes: { empty: 0.75, daily: 1 },
      atOnce: 4,
      print: () => undefined,
    },
    [name],
  );
  return table!;
}

const MINUTES = 20 * 60_000;

it('notices an empty room, and a walker', { timeout: MINUTES }, async () => {
  const table = await measured('empty');
  expect(cell(table, 'calibrated', 'seen').value).toBeLessThan(0.1);
  expect(cell(table, 'not calibrated', 'seen').value).toBeLessThan(0.3);
  expect(cell(table, 'calibrated', 'skeleton').value).toBeLessThan(0.02);
  for (const row of ['calibrated', 'not calibrated']) {
    // Of 45 s, somebody is reported for two after they left (4.5 %), and presence holds for 23 (51 %).
    expect(cell(table, row, 'told').value).toBeLessThan(0.07);
    expect(cell(table, row, 'presence').value).toBeLessThan(0.65);
    expect(cell(table, row, 'wrong30').value).toBe(0);
    expect(cell(table, row, 'wrongLater').value).toBeLessThan(0.05);
    expect(cell(table, row, 'unknown').value).toBeLessThan(0.05);
  }
  expect(cell(table, 'calibrated', 'missed').value).toBeLessThan(0.05);
  expect(cell(table, 'not calibrated', 'missed').value).toBeLessThan(0.05);
  expect(cell(table, 'calibrated', 'missedPresence').value).toBeLessThan(0.1);
});

it('locates a walker, with the posture and the heading', { timeout: MINUTES }, async () => {
  const table = await measured('walking');
  const middle = cell(table, "4 links: the room's middle, the mean pose", 'place').value;
  expect(middle).toBeGreaterThan(1);
  // Two rooms with diffuse paths and hard walls: far worse than most, and than the rooms of earlier seeds.
  expect(cell(table, '4 links', 'place').value).toBeLessThan(0.65 * middle);
  expect(cell(table, '4 links', 'mpjpe').value).toBeLessThan(160);
  expect(cell(table, '4 links', 'heading').value).toBeLessThan(35);
  expect(cell(table, '4 links', 'abstained').value).toBeLessThan(0.05);
});
