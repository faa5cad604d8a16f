import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Type } from 'typebox';
import { afterAll, expect, test } from 'vitest';
import { defineOperator, defineSource, NOTHING, Registry } from '../../pipeline/component/index.js';
import { formatProblem, loadTopology, parseTopology, type LoadResult } from '../../pipeline/config/index.js';
import { testComponents } from '../support/components.js';
import { runs } from '../support/runs.js';
import { stopwatch } from '../support/waiting.js';

const GOLDEN = 'test/config/golden';
const good = readFileSync(join(GOLDEN, 'good.yaml'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'csiflow-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const parse = (text: string, env: Record<string, string> = {}): LoadResult =>
  parseTopology({ text, shown: 't.yaml', file: null, folder: GOLDEN }, testComponents, { env });

function isLocated(text: string): void {
  const { topology, problems } = parse(text);
  if (!topology) expect(problems.some((problem) => problem.severity === 'error')).toBe(true);
  const lines = text.split('\n').length;
  for (const problem of problems) {
    expect(problem.line).toBeGreaterThanOrEqual(1);
    expect(problem.column).toBeGreaterThanOrEqual(1);
    if (problem.file === 't.yaml') expect(problem.line).toBeLessThanOrEqual(lines);
    expect(formatProblem(problem, text)).toContain(problem.code);
  }
}

test('random text gives located problems, never an exception', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), isLocated), { numRuns: runs(50) });
});

const SNIPPETS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  '- ',
  '\n',
  '  ',
  '\t',
  '&a',
  '*a',
  '<<: ',
  '"',
  "'",
  '#',
  '|',
  '>',
  '---',
  '!x',
  '${X}',
  '${',
  '~',
  '? ',
  '%',
  '\0',
];

test("a null character in an environment's name is a problem, not an exception", () => {
  const text = 'id: x\nenvironment: "\\0rooms/room.yaml"\n';
  const source = { text, shown: 'x.yaml', file: null, folder: '.' };
  const { problems } = parseTopology(source, testComponents, { env: {} });
  expect(problems.map(({ code }) => code)).toContain('config.file.missing');
});

test('a mutated topology gives located problems, never an exception', () => {
  const edit = fc.record({
    at: fc.nat(good.length),
    remove: fc.nat(12),
    insert: fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ maxLength: 5 })),
  });
  const mutated = fc.array(edit, { minLength: 1, maxLength: 5 }).map((edits) => {
    return edits.reduce(
      (text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove),
      good,
    );
  });
  fc.assert(fc.property(mutated, isLocated), { numRuns: runs(100) });
});

test('random values in all fields give located problems, never an exception', () => {
  const wild = fc.jsonValue({ maxDepth: 3 });
  const node = fc.dictionary(
    fc.constantFrom('type', 'from', 'queue', 'port', 'length_ms', 'backend', '__proto__'),
    wild,
  );
  const known = fc.record({ type: fc.constantFrom('radio', 'scrub', 'slice', 'infer', 'store'), from: wild });
  const section = fc.dictionary(fc.constantFrom('a', 'b', 'c', ''), fc.oneof(node, known, wild));
  const whole = fc.record(
    {
      id: wild,
      environment: wild,
      environments: wild,
      sources: section,
      operators: section,
      sinks: section,
      settings: wild,
      tests: wild,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      whole.map((value) => JSON.stringify(value, null, 1)),
      isLocated,
    ),
    { numRuns: runs(50) },
  );
});

test('rejects a file over 1 MiB and a missing one', () => {
  const file = join(folder, 'large.yaml');
  writeFileSync(file, `id: ${'x'.repeat(2 ** 20)}`);
  expect(loadTopology(file, testComponents, { env: {} }).problems[0]?.code).toBe('config.file.too_large');
  expect(loadTopology(join(folder, 'none.yaml'), testComponents, { env: {} }).problems[0]?.code).toBe(
    'config.file.missing',
  );
  expect(loadTopology(folder, testComponents, { env: {} }).problems[0]?.code).toBe('config.file.missing');
});

test('more words and marks than the limit are located where it is exceeded', () => {
  // Four to a line: the dash, the start of the word, the word and the line break, after the start of the document.
  const [problem] = parse('- a\n'.repeat(100_001)).problems;
  expect(problem).toMatchObject({ code: 'config.yaml.too_large', line: 100_000, column: 4 });
});

test('hundreds of problems are truncated with their number', () => {
  const fields = Array.from({ length: 1000 }, (_, index) => `field${index}: 1`).join('\n');
  const { problems } = parse(`${good}${fields}\n`);
  expect(problems).toHaveLength(201);
  expect(problems.at(-1)).toMatchObject({
    code: 'config.problems.more',
    message: expect.stringContaining('800 more') as string,
  });
});

test('twenty thousand keys are read in bounded time', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join('');
  const took = stopwatch();
  expect(parse(keys).topology).toBeUndefined();
  expect(took()).toBeLessThan(10_000);
});

test("a secret's file has priority over its variable, and its value changes the hash", () => {
  writeFileSync(join(folder, 'store'), 'from-file\n');
  const text = good.replace('path: data', "password: '${secret:store}', path: data");
  const source = { text, shown: 't.yaml', file: null, folder: GOLDEN };
  const env = { CSIFLOW_SECRET_STORE: 'from-env' };
  const byFile = parseTopology(source, testComponents, { env, secrets: folder }).topology;
  const byEnv = parseTopology(source, testComponents, { env }).topology;
  expect(byFile?.nodes.at(-1)?.config['password']).toBe('from-file');
  expect(byEnv?.nodes.at(-1)?.config['password']).toBe('from-env');
  expect(byFile?.hash).not.toBe(byEnv?.hash);
});

test('comments, key order and variables with the same value do not change the hash', () => {
  const same = good
    .replace('port: 5005', 'port: "${PORT}"')
    .replace('type: store, from: poses', 'from: poses, type: store');
  expect(parse(`# a comment\n${same}`, { PORT: '5005' }).topology?.hash).toBe(parse(good).topology?.hash);
  expect(parse(good.replace('5005', '5006')).topology?.hash).not.toBe(parse(good).topology?.hash);
});

test('sinks come last, in declared order: the first store answers, however far from the source', () => {
  const text = good
    .replace('sinks:', '  alarms: { type: alarm, from: [windows, poses] }\nsinks:')
    .replace('from: poses, path: data/ward-3.db }', 'from: alarms, path: a }')
    .concat('  archive: { type: store, from: poses, path: b }\n');
  const { topology, problems } = parse(text);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(topology!.nodes.map(({ id }) => id)).toEqual([
    'routers',
    'clean',
    'windows',
    'poses',
    'alarms',
    'history',
    'archive',
  ]);
});

test('a component whose check throws is named, not accepted', () => {
  const faulty = defineSource({
    name: 'radio',
    summary: 'Faulty.',
    outputs: ['csi'],
    replayable: true,
    config: Type.Object({ port: Type.Integer({ description: 'Port.' }) }, { additionalProperties: false }),
    examples: [],
    check: () => {
      throw new Error('broken rule');
    },
    create: () => ({ open: async () => undefined }),
  });
  const others = testComponents.list().filter((component) => component.name !== 'radio');
  const source = { text: good, shown: 't.yaml', file: null, folder: GOLDEN };
  const { problems } = parseTopology(source, new Registry([faulty, ...others]), { env: {} });
  expect(problems).toMatchObject([{ code: 'config.component.check', line: 4 }]);
});

test('a node with a mistake of its own is not said to lack an input, which may follow from it', () => {
  const picky = defineOperator({
    name: 'scrub',
    summary: 'Picky.',
    inputs: ['csi', 'pose'],
    requires: ['pose'],
    outputs: ['csi'],
    config: Type.Object({}),
    examples: [],
    check: () => [{ path: [], message: 'wrong' }],
    create: () => ({ process: () => NOTHING }),
  });
  const others = testComponents.list().filter(({ name }) => name !== 'scrub');
  const source = { text: good, shown: 't.yaml', file: null, folder: GOLDEN };
  const { problems } = parseTopology(source, new Registry([picky, ...others]), { env: {} });
  expect(problems.map(({ code }) => code)).toEqual(['config.value.invalid']);
});

test.each([
  ['with a byte order mark', Buffer.from(`\uFEFF${good}`, 'utf16le')],
  ['without one', Buffer.from(good, 'utf16le')],
  ['of the other byte order', Buffer.from(`\uFEFF${good}`, 'utf16le').swap16()],
])('a UTF-16 file %s is named as such', (what, bytes) => {
  const file = join(folder, `${what}.yaml`);
  writeFileSync(file, bytes);
  expect(loadTopology(file, testComponents, { env: {} }).problems).toMatchObject([
    { code: 'config.file.encoding', message: `${file} is UTF-16 text: save it as UTF-8` },
  ]);
});
