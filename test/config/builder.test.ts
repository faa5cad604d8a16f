import { filter as passing } from 'rxjs';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { defineOperator, isRequired, required, type Output } from '../../pipeline/component/index.js';
import { loadTopology, topology, TopologyError } from '../../pipeline/config/index.js';
import { jsonSchema, mustBeWritten } from '../../pipeline/config/schema/json-schema.js';
import type { CsiBlock, PoseFrame } from '../../pipeline/model/index.js';
import { lift } from '../../pipeline/runtime/lift.js';
import { testContext, testEnvironment } from '../support/context.js';
import { infer, radio, scrub, slice, store, testComponents } from '../support/components.js';
import { poseFrame } from '../support/records.js';
import { filter } from '../../operators/filter/filter.js';
import { route } from '../../operators/route/route.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { console as logged } from '../../sinks/console.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';

const GOLDEN = 'test/config/golden';

const ward = topology('ward-3', { environment: 'environments/room.yaml' })
  .source('routers', radio, { port: 5005 })
  .operator('clean', scrub, 'routers', { method: 'hampel' })
  .operator('windows', slice, 'clean', { length_ms: 1000 })
  .operator('poses', infer, 'windows')
  .sink('history', store, 'poses', { path: 'data/ward-3.db' });

test('a topology in TypeScript equals the same topology in YAML', () => {
  const built = ward.build({ folder: GOLDEN, env: {} });
  const loaded = loadTopology(`${GOLDEN}/good.yaml`, testComponents, { env: {} });
  expect(loaded.problems).toEqual([]);
  expect({ ...built, file: loaded.topology?.file }).toEqual(loaded.topology);
  expect(built.hash).toBe(loaded.topology?.hash);
});

test('all errors are thrown at once, located in the YAML of the topology', () => {
  const wrong = topology('ward-3', { environment: testEnvironment })
    .source('routers', radio, { port: 70_000 })
    .operator('clean', scrub, 'routers', { threshold: -1 })
    .sink('history', store, [], { path: '' });
  expect(() => wrong.build({ env: {} })).toThrow(TopologyError);
  expect(() => wrong.build({ env: {} })).toThrow(/port: 70000[^]*threshold: -1[^]*from: \[\]/);
});

test('an environment given as an object follows the rules of a file', () => {
  const twice = { ...testEnvironment, links: [testEnvironment.links[0]!, testEnvironment.links[0]!] };
  const built = topology('t', { environment: twice }).source('routers', radio, { port: 1 });
  expect(() => built.build({ env: {} })).toThrow('config.link.duplicate');
});

test('an error of an environment quotes the environment', () => {
  const twice = { ...testEnvironment, links: [testEnvironment.links[0]!, testEnvironment.links[0]!] };
  const built = topology('t', { environment: twice }).source('routers', radio, { port: 1 });
  expect(() => built.build({ env: {} })).toThrow(
    /environment test-room:\d+:\d+ error config\.link\.duplicate.*\n.*id: link-/,
  );
});

test('the compiler demands the fields that every configuration must have', () => {
  const begun = topology('t', { environment: testEnvironment })
    .source('results', kafka, { brokers: ['a:9092'], topics: ['t'], format: 'results' })
    .operator('loud', filter, 'results', { where: 'event.confidence > 0.5' })
    .sink('kept', duckdb, 'loud', { path: 'store.duckdb' })
    .sink('shown', logged, 'loud');
  // @ts-expect-error: `path` is missing
  begun.sink('history', duckdb, 'loud', { batch_rows: 5 });
  // @ts-expect-error: so it is without a configuration
  begun.sink('history', duckdb, 'loud');
  // @ts-expect-error: `where` is missing
  begun.operator('some', filter, 'loud', {});
  // @ts-expect-error: `topics` is missing
  begun.source('more', kafka, { brokers: ['a:9092'] });
  expect(begun.build({ env: {} }).nodes).toHaveLength(4);
});

test.each(components.list().map((component) => ({ component, name: `${component.kind} ${component.name}` })))(
  '$name marks as required what its schema demands',
  ({ component: { config } }) => {
    const fields = config.properties as Readonly<Record<string, object>>;
    const marked = Object.keys(fields).filter((field) => isRequired(fields[field]!));
    expect(marked.sort()).toEqual([...mustBeWritten(jsonSchema(config))].sort());
  },
);

test('a field with a default cannot be required', () => {
  expect(() => required(Type.Number({ default: 1 }))).toThrow('default');
});

test('the compiler gives an operator the data of its inputs, and a sink too', () => {
  const both = { summary: 'Compiles.', config: Type.Object({}), examples: [] };
  const typed = defineOperator({
    ...both,
    name: 'typed',
    inputs: ['pose'],
    outputs: ['pose'],
    create: () => ({ process: (frame) => ({ data: frame.persons.length > 0 ? [frame] : [] }) }),
  });
  defineOperator({
    ...both,
    name: 'wrong',
    inputs: ['pose'],
    outputs: ['event'],
    // @ts-expect-error: it gives poses, and says events
    create: () => ({ process: (frame) => ({ data: [frame] }) }),
  });
  const lifted = lift({
    name: 'lifted',
    summary: 'Compiles.',
    inputs: ['csi'],
    outputs: ['csi'],
    operator: () => passing((block: CsiBlock) => block.count > 0),
  });
  const begun = topology('t', { environment: testEnvironment }).source('routers', radio, { port: 1 });
  begun.operator('full', lifted, 'routers').operator('clean', scrub, 'full');
  // @ts-expect-error: `routers` gives csi, `typed` takes poses
  begun.operator('poses', typed, 'routers');
  const { data } = typed
    .create({}, testContext().context)
    .process(poseFrame(1), 'poses') as Output<PoseFrame>;
  expect(data).toHaveLength(1);
});

test('a route is read by its name, and must exist', () => {
  const begun = topology('t', { environment: testEnvironment })
    .source('results', kafka, { brokers: ['a:9092'], topics: ['t'], format: 'results' })
    .operator('split', route, 'results', { routes: { high: 'event.confidence > 0.5' }, rest: 'low' });
  const built = begun.sink('all', logged, ['split.high', 'split.low']).build({ env: {} });
  expect(built.nodes.at(-1)?.inputs).toMatchObject([{ from: 'split', routes: ['high', 'low'] }]);
  expect(() => begun.sink('all', logged, 'split.hihg').build({ env: {} })).toThrow(/config\.from\.route/);
  // @ts-expect-error: there is no node of that id
  begun.sink('other', logged, 'splitt.high');
});

test('the compiler rejects unknown nodes and ports that do not match', () => {
  const begun = topology('t', { environment: testEnvironment }).source('routers', radio, { port: 1 });
  // @ts-expect-error: there is no node of that id
  begun.operator('clean', scrub, 'router');
  // @ts-expect-error: `routers` gives csi, `infer` takes window
  begun.operator('poses', infer, 'routers');
  // @ts-expect-error: no such word
  begun.operator('clean', scrub, 'routers', { method: 'hampl' });
  expect(begun.toYaml()).toContain('routers');
});
