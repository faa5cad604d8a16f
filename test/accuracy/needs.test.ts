import { expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { givesResult, missingOf, OWN_OPERATORS } from '../../bench/accuracy/chain/needs.js';
import { amountsOf, dayMissing } from '../../bench/accuracy/chain/tables/day.js';
import {
  evaluateChain,
  missingIn,
  TABLES,
  type TableName,
} from '../../bench/accuracy/chain/tables/evaluate.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadTopology, type CheckedNode, type CheckedTopology } from '../../pipeline/config/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';

const load = (name: string): CheckedTopology =>
  loadTopology(packageFile(`topologies/${name}.yaml`), components, { env: {} }).topology!;
const demo = load('demo');
const names = Object.keys(TABLES) as TableName[];

/** The demo without some of its nodes. */
const without = (...ids: readonly string[]): CheckedTopology => ({
  ...demo,
  nodes: demo.nodes
    .filter(({ id }) => !ids.includes(id))
    .map((node) => ({ ...node, inputs: node.inputs.filter(({ from }) => !ids.includes(from)) })),
});

const changed = (id: string, change: (node: CheckedNode) => CheckedNode): CheckedTopology => ({
  ...demo,
  nodes: demo.nodes.map((node) => (node.id === id ? change(node) : node)),
});

test('the operators of csiflow that give results are known', () => {
  const results: readonly string[] = RESULT_PORTS;
  const shipped = components
    .list()
    .filter((one) => one.kind === 'operator' && one.outputs.some((port) => results.includes(port)))
    .map(({ name }) => name);
  expect([...OWN_OPERATORS, 'script'].sort()).toEqual(shipped.sort());
});

test('the demo can be measured by all tables, a topology with motion only by none', () => {
  expect(names.filter((id) => missingIn(demo, id) !== undefined)).toEqual([]);
  const room = load('calibrated-room');
  expect(names.filter((id) => missingIn(room, id) === undefined)).toEqual([]);
});

test('a table that a topology cannot be measured by says why, and plays nothing', async () => {
  const plan = {
    topology: without('falls'),
    ...{ seed: 1, rooms: 1, links: [2], minutes: { empty: 1, daily: 1 }, atOnce: 1 },
    print: () => undefined,
  };
  expect(await evaluateChain(plan, ['falls'])).toEqual([
    {
      ...{ id: 'falls', table: null },
      problem: 'not measured: demo has no detect-falls: add one, and name it in `from` of a sink',
    },
  ]);
});

test('an operator that no sink reads, or that is switched off, gives nothing', () => {
  const unread = {
    ...without('history', 'live'),
    nodes: without('history').nodes.filter(({ id }) => id !== 'live'),
  };
  expect(missingOf(unread, ['poses'])).toBe(
    'no sink of demo reads infer-pose: name its node poses in `from` of a sink',
  );
  const off = changed('falls', (node) => ({ ...node, enabled: false }));
  expect(missingOf(off, ['falls'])).toBe(
    'detect-falls of demo is not enabled: remove `enabled: false` of its node falls',
  );
});

test('results reach sinks through other operators', () => {
  const filter = components.list().find(({ name }) => name === 'filter')!;
  const through = changed('people', (node) => ({ ...node, component: filter }));
  expect(givesResult(through, 'poses')).toBe(true);
  expect(givesResult(through, 'tracks')).toBe(false);
});

test('an operator of one’s own may give what a table needs', () => {
  const own = changed('falls', (node) => ({ ...node, component: { ...node.component, name: 'my-falls' } }));
  expect(missingIn(own, 'falls')).toBeUndefined();
});

test('a day has the amounts that the topology tells', () => {
  expect(amountsOf(without('zones', 'vitals'))).toEqual([
    ...['walking, s', 'standing, s', 'sitting, s', 'lying, s', 'inactivity, alerts'],
  ]);
  expect(dayMissing(without('zones', 'vitals'))).toBeUndefined();
  expect(dayMissing(without('zones', 'vitals', 'activities', 'inactivity'))).toMatch(
    /^no sink of demo reads/,
  );
});
