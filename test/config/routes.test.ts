import { describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { parseTopology, toDot, toMermaid } from '../../pipeline/config/index.js';
import { planChanges } from '../../pipeline/runtime/plan.js';
import { runSuites } from '../../pipeline/testing/suites.js';
import { testEnvironment } from '../support/context.js';

const RESULTS = 'results: { type: kafka, brokers: ["a:9092"], topics: [t], format: results }';

function load(operators: string, from: string) {
  const text = `id: ward\nsources:\n  ${RESULTS}\noperators:\n${operators}\nsinks:\n  out: { type: console, from: ${from} }\n`;
  return parseTopology(
    { text, shown: 't.yaml', file: null, folder: '.', environments: [testEnvironment] },
    components,
    { env: {} },
  );
}

const found = (operators: string, from: string) =>
  load(operators, from).problems.map(({ code, line, column, length, suggestion }) => ({
    code,
    at: [line, column, length],
    suggestion,
  }));

const ROUTES = '  split: { type: route, from: results, routes: { high: event.confidence > 0.5 }, rest: low }';

test('an edge has the routes it reads, several of one node in one edge', () => {
  const edges = (from: string) => load(ROUTES, from).topology?.nodes.at(-1)?.inputs;
  const ports = ['pose', 'measure', 'event'];
  expect(edges('split')).toEqual([{ from: 'split', ports }]);
  expect(edges('split.high')).toEqual([{ from: 'split', ports, routes: ['high'] }]);
  expect(edges('[split.high, split.low]')).toEqual([{ from: 'split', ports, routes: ['high', 'low'] }]);
});

describe('an invalid route is reported at its position', () => {
  test.each([
    ['split.hihg', 'config.from.route', 'split.high'],
    ['results.high', 'config.from.route', 'results'],
    ['[split, split.high]', 'config.from.duplicate', null],
    ['[split.high, split.high]', 'config.from.duplicate', null],
  ])('%s', (from, code, suggestion) => {
    expect(found(ROUTES, from)).toContainEqual(expect.objectContaining({ code, suggestion }));
  });
});

test('an unread route is reported, as its records are lost', () => {
  expect(load(ROUTES, 'split.high').problems).toMatchObject([
    { code: 'config.node.unused', severity: 'warning', message: 'nothing reads from the route `split.low`' },
  ]);
  expect(load(ROUTES, 'split').problems).toEqual([]);
});

test('an error in an expression is reported at its column, even within quotes', () => {
  const filter = (where: string) => `  some: { type: filter, from: results, where: ${where} }`;
  const code = 'config.expression';
  expect(found(filter('event.confidenc > 0.5'), 'some')).toEqual([
    { code, at: [5, 53, 9], suggestion: 'confidence' },
  ]);
  expect(found(filter("'event.confidenc > 0.5'"), 'some')).toEqual([
    { code, at: [5, 54, 9], suggestion: 'confidence' },
  ]);
  // A value with an escape has no exact location: the whole value is marked.
  expect(found(filter('"event.confidenc == \\"\\u0061\\""'), 'some')).toMatchObject([{ at: [5, 47, 31] }]);
});

test('the output of a general operator follows from its input', () => {
  const counts = '  falls: { type: aggregate, from: results, name: falls, where: event.confidence > 0.5 }';
  // Only measures come out of `aggregate`, so an expression over events behind it never sees one.
  expect(
    found(`${counts}\n  more: { type: filter, from: falls, where: event.person == 1 }`, 'more'),
  ).toMatchObject([{ code: 'config.port.missing' }]);
  expect(found(`${counts}\n  more: { type: filter, from: falls, where: measure.value > 1 }`, 'more')).toEqual(
    [],
  );
});

test('drawings and plans name the routes', () => {
  const [high, low] = ['split.high', 'split.low'].map((from) => load(ROUTES, from).topology!);
  expect(toMermaid(high!)).toContain('-->|high: pose, measure, event|');
  expect(toDot(high!)).toContain('[label="high: pose, measure, event"]');
  expect(planChanges(high!, low!).changes.at(-1)).toMatchObject({ node: 'out', fields: ['from'] });
});

test('a disabled router passes every record on by every route', async () => {
  const check = { name: 'off', input: { results: [{ at_ms: 0, event: { type: 'crowd' } }] } };
  const tests = JSON.stringify([{ ...check, expect: [{ from: 'out', count: 1 }] }]);
  const off = ROUTES.replace('route,', 'route, enabled: false,').replace('> 0.5', '> 2.0');
  const { topology, tests: read } = load(off, `split.high }\ntests: ${tests} #`);
  const [result] = await runSuites([{ file: 't.yaml', topology: topology!, tests: read! }], 15_000);
  expect(result).toMatchObject({ unmet: [], error: null });
});

test.each([
  ['the tracker', 'people', 0],
  ['the tracker and a route', '[people, network.health]', 1],
])('events of the network reach a sink behind %s by the route only', async (_, from, count) => {
  const operators = `  people: { type: track-persons, from: results }
  network: { type: route, from: results, routes: { health: 'event.type.startsWith("inference_")' } }`;
  const records = [
    { at_ms: 0, event: { type: 'inference_degraded' } },
    { at_ms: 100, event: { type: 'crowd' } },
  ];
  const tests = JSON.stringify([
    { name: 'health', input: { results: records }, expect: [{ from: 'out', count }] },
  ]);
  const { topology, tests: read, problems } = load(operators, `${from} }\ntests: ${tests} #`);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const [result] = await runSuites([{ file: 't.yaml', topology: topology!, tests: read! }], 15_000);
  expect(result).toMatchObject({ unmet: [], error: null });
});
