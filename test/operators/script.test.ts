import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { script } from '../../operators/script/script.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import { parseTopology } from '../../pipeline/config/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { planChanges } from '../../pipeline/runtime/plan.js';
import { runSuites } from '../../pipeline/testing/suites.js';
import { afterThisTest } from '../support/clean-up.js';
import { blocksOf } from '../support/code-blocks.js';
import { testContext, testEnvironment } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) write(folder, name, text);
  return folder;
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** An open operator that runs `text`, and what it logged and counted. */
async function opened(text: string, more: object = {}, others: Readonly<Record<string, string>> = {}) {
  const recorded = testContext({ folder: folderWith({ 'step.ts': text, ...others }) });
  const config = { file: 'step.ts', timeout_ms: 2000, ...more };
  const operator: Operator = script.create(config, recorded.context);
  afterThisTest(() => operator.close?.());
  await operator.open!();
  return { operator, recorded };
}

/** What a script makes of a record. */
const outputOf = async (text: string, record: Data, more: object = {}): Promise<Output<Data>> =>
  (await opened(text, more)).operator.process(record, 'input');

const failureOf = async (text: string, record: Data = measure(0), more: object = {}) =>
  (await outputOf(text, record, more)).failed?.[0];

const yaml = (file: string) => `id: scripted
environment: room.yaml
sources: { in: { type: kafka, brokers: ['broker:9092'], topics: [a], format: results } }
operators: { step: { type: script, from: in, file: ${file} } }
sinks: { out: { type: console, from: step } }
`;

const checked = (folder: string, file = 'step.ts') =>
  parseTopology(
    { text: yaml(file), shown: 'scripted.yaml', file: null, folder, environments: [testEnvironment] },
    components,
    { env: {} },
  );

/** `file:line:column code: message` of each problem. */
const problemsOf = (files: Readonly<Record<string, string>>, file?: string) =>
  checked(folderWith(files), file).problems.map(
    ({ file: named, line, column, code, message }) => `${named}:${line}:${column} ${code}: ${message}`,
  );

describe('the function', () => {
  test('returns one record', async () => {
    const output = await outputOf('export default (record) => ({ ...record, value: 7 });', measure(0));
    expect(output).toEqual({ data: [measure(0, { value: 7 })] });
  });

  test('returns several records, of the kinds that the node gives', async () => {
    const text = `export default ({ environment, time, provenance }) =>
      [1, 2].map((value) => ({ port: 'measure', name: 'n', subject: null, source: 'a', value, environment, time, provenance }));`;
    const { data } = await outputOf(text, sensedEvent(0), { gives: ['measure'] });
    expect(data).toMatchObject([
      { port: 'measure', value: 1 },
      { port: 'measure', value: 2 },
    ]);
  });

  test.each(['undefined', 'null', '[]'])('drops the record by %s', async (nothing) => {
    expect(await outputOf(`export default () => ${nothing};`, measure(0))).toEqual({ data: [] });
  });

  test('does not receive kinds of records that the node does not read', async () => {
    const text = 'export default () => undefined;';
    const { operator } = await opened(text, { reads: ['event'] });
    expect(await operator.process(measure(0), '')).toEqual({ data: [measure(0)] });
    expect(await operator.process(sensedEvent(0), '')).toEqual({ data: [] });
  });

  test('receives and returns whole pose frames', async () => {
    const frame = poseFrame(3, { persons: [person(3)], signalQuality: NaN });
    expect(await outputOf('export default (frame) => frame;', frame)).toEqual({ data: [frame] });
  });

  test('imports files beside it, packages and modules of Node.js', async () => {
    const { operator } = await opened(
      `import { twice } from './lib/twice.js';
       import { pi } from 'numbers';
       import { posix } from 'node:path';
       export default (record) => ({ ...record, value: twice(pi), name: posix.join('a', 'b') });`,
      {},
      {
        'lib/twice.ts': `import { two } from '../two.mjs';\nexport const twice = (x: number): number => two * x;`,
        'two.mjs': 'export const two = 2;',
        'node_modules/numbers/package.json': '{ "type": "module", "exports": "./index.js" }',
        'node_modules/numbers/index.js': 'export const pi = 3;',
      },
    );
    expect(await operator.process(measure(0), '')).toMatchObject({ data: [{ value: 6, name: 'a/b' }] });
  });

  test('prints to the log', async () => {
    const { operator, recorded } = await opened('console.log("ready"); export default (record) => record;');
    await operator.process(measure(0), '');
    await expect.poll(() => JSON.stringify(recorded)).toContain('"text":"ready"');
  });

  test('does not see variables of csiflow', async () => {
    const text = 'export default (record) => ({ ...record, name: String(process.env.PATH) });';
    expect(await outputOf(text, measure(0))).toMatchObject({ data: [{ name: 'undefined' }] });
  });
});

describe('a record becomes a dead letter', () => {
  test('if the function throws, with file, line and column', async () => {
    const text = `type A = number;\n\nexport default (): A => {\n  throw new RangeError('no');\n};\n`;
    expect(await failureOf(text)).toMatchObject({
      record: measure(0),
      code: 'script.threw',
      reason: 'step.ts:4:9: RangeError: no',
      retriable: false,
    });
  });

  test('if a file that it imports throws, with that file', async () => {
    const { operator } = await opened(
      `import { fail } from './fail.ts';\nexport default () => fail();`,
      {},
      { 'fail.ts': 'export function fail(): never {\n  throw new Error("here");\n}' },
    );
    const { failed } = await operator.process(measure(0), '');
    expect(failed).toMatchObject([{ code: 'script.threw', reason: 'fail.ts:2:9: Error: here' }]);
  });

  test.each([
    ['a text', '"a"', 'step.ts returned a wrong record: it must be a record, not "a"'],
    ['a promise', 'Promise.resolve(record)', 'step.ts: it returned a promise'],
    ['a function', '() => 1', 'step.ts: it returned something other than plain data'],
    ['an unknown field', '({ ...record, valeu: 1 })', '`valeu` is not a field of these records'],
    ['a value of another type', '({ ...record, value: "1" })', '`value` must be number'],
    ['no port', '({ ...record, port: undefined })', '`port` must be measure, not undefined'],
    ['raw samples', '({ port: "csi" })', '`port` must be measure, not "csi"'],
    ['a port that the node does not give', '({ port: "event" })', 'add it to `gives` of the node'],
    ['another time', '({ ...record, time: record.time + 1 })', '`time` must be that of the record'],
    ['another environment', '({ ...record, environment: "x" })', '`environment` must be `test-room`'],
    ['another origin', '({ ...record, provenance: { origin: "replay" } })', '`provenance.origin` must be'],
    ['a list with a wrong one', '[record, 5]', 'record 2 of 2: it must be a record, not 5'],
    ['too many', 'Array(1001).fill(record)', '1001 records at once; the limit is 1000'],
  ])('if it returns %s', async (_what, returned, reason) => {
    const failure = await failureOf(`export default (record) => (${returned});`);
    expect(failure).toMatchObject({ code: 'script.result' });
    expect(failure?.reason).toContain(reason);
  });

  test('if a part of a pose is wrong, with its path', async () => {
    const text =
      'export default (f) => ({ ...f, persons: f.persons.map((p) => ({ ...p, confidence: 2 })) });';
    const failure = await failureOf(text, poseFrame(0, { persons: [person(0)] }));
    expect(failure?.reason).toContain('`persons[0].confidence` must be <= 1');
  });

  test('if the function never returns; records around it pass', async () => {
    const text = 'export default (record) => { while (record.value === 5); return record; };';
    const { operator, recorded } = await opened(text, { timeout_ms: 200 });
    const records = [4, 5, 6].map((value) => measure(0, { value }));
    const outputs = await Promise.all(records.map(async (record) => operator.process(record, '')));
    expect(outputs[0]).toEqual({ data: [records[0]] });
    expect(outputs[1]).toMatchObject({
      data: [],
      failed: [
        { record: records[1], code: 'script.timeout', reason: 'the script did not return within 200 ms' },
      ],
    });
    expect(outputs[2]).toEqual({ data: [records[2]] });
    expect(JSON.stringify(recorded)).toContain('script_restarts');
  });

  test('if the script ends its thread; the next record passes', async () => {
    const text = 'export default (record) => { if (record.value === 5) process.exit(); return record; };';
    const { operator } = await opened(text);
    const [ended, passed] = await Promise.all(
      [5, 6].map(async (value) => operator.process(measure(0, { value }), '')),
    );
    expect(ended).toMatchObject({ failed: [{ code: 'script.ended' }] });
    expect(passed).toMatchObject({ data: [{ value: 6 }] });
  });

  test('if it takes too much memory', async () => {
    const text = 'export default (record) => { const all = []; for (;;) all.push(Array(1e5).fill(0.5)); };';
    expect(await failureOf(text, measure(0), { timeout_ms: 60_000 })).toMatchObject({ code: 'script.ended' });
  });
});

describe('the start fails', () => {
  test.each([
    [
      'the default export is not a function',
      'const a = 5;\nexport default a;',
      'step.ts: the default export must be a function',
    ],
    ['the module throws', 'null.x;\nexport default () => 1;', 'step.ts:1:6: TypeError'],
    ['the file is faulty by now', 'export default (', 'step.ts:1:17: '],
  ])('if %s', async (_what, text, message) => {
    await expect(opened(text)).rejects.toThrow(message);
  });
});

describe('validation', () => {
  const step = 'export default (record) => record;';

  test('accepts a script without running it', () => {
    expect(problemsOf({ 'step.ts': `throw new Error('ran');\n${step}` })).toEqual([]);
  });

  test('rejects a missing file where the topology names it', () => {
    expect(problemsOf({})).toEqual(['scripted.yaml:4:52 config.file.missing: the file does not exist']);
  });

  test('rejects a file that is not TypeScript or JavaScript', () => {
    expect(problemsOf({}, 'step.py')).toEqual([
      expect.stringContaining('must end in .ts, .mts, .js or .mjs'),
    ]);
  });

  test.each([
    ['a syntax error', 'let a = 1;\n  let = = 2;', 'step.ts:2:9 script.syntax: Expression expected'],
    ['an enum', 'enum A { B }', 'TypeScript enum is not available in scripts'],
    ['no default export', 'export const a = 1;', 'scripted.yaml:4:52 script.export: has no default export'],
    [
      'an object',
      'export default { a: 1 };',
      'step.ts:1:8 script.export: the default export must be a function',
    ],
    ['an asynchronous function', 'export default async () => 1;', 'must not be asynchronous'],
    ['a missing file', `import './a.ts';\n${step}`, 'step.ts:1:9 script.import: `./a.ts` does not exist'],
    ['a file of another kind', `import a from './a.json';\n${step}`, '`./a.json` must end in .ts'],
    ['a missing package', `import 'nowhere';\n${step}`, 'the package `nowhere` is not installed'],
    [
      'values of csiflow',
      `import { run } from 'csiflow';\n${step}`,
      "write `import type { ... } from 'csiflow'`",
    ],
    ['an address', `import 'https://a.b/c.js';\n${step}`, '`https://a.b/c.js` is not allowed'],
    ['import()', `${step}\nimport('./a.ts');`, 'step.ts:2:8 script.import: scripts import by'],
    ['import.meta', `${step}\nimport.meta.url;`, 'scripts have no `import.meta`'],
    ['an import of itself', `import './step.ts';\n${step}`, '`./step.ts` imports this file in turn'],
  ])('rejects %s', (_what, text, problem) => {
    expect(problemsOf({ 'step.ts': text })).toEqual([expect.stringContaining(problem)]);
  });

  test('names the file that an import leads to', () => {
    const files = { 'step.ts': `import './lib/a.ts';\n${step}`, 'lib/a.ts': '\nlet = = 1;' };
    expect(problemsOf(files)).toEqual([expect.stringMatching(/^lib\/a\.ts:2:7 script\.syntax: /)]);
  });
});

test.each(['step.ts', 'lib/a.ts'])('a change of %s is a change of its node', (changed) => {
  const folder = folderWith({
    'step.ts': `import './lib/a.ts';\nexport default (record) => record;`,
    'lib/a.ts': 'export {};',
  });
  const before = checked(folder).topology!;
  const same = checked(folder).topology!;
  write(folder, changed, `import './b.ts';\nexport default () => undefined;`);
  write(folder, join(dirname(changed), 'b.ts'), '');
  const after = checked(folder).topology!;
  const changeOf = (to: typeof after) => planChanges(before, to).changes.find(({ node }) => node === 'step');
  expect(changeOf(same)).toMatchObject({ change: 'unchanged' });
  expect(changeOf(after)).toMatchObject({ change: 'changed', fields: ['contents'] });
});

test('the example of docs/scripts.md does what its test says', async () => {
  const of = (language: string) => blocksOf(language).find(({ page }) => page === 'docs/scripts.md')!.text;
  const folder = folderWith({ 'on-call.ts': of('ts') });
  const { problems, topology, tests } = parseTopology(
    { text: of('yaml'), shown: 'alerts.yaml', file: null, folder, environments: [testEnvironment] },
    components,
    { env: {} },
  );
  expect(problems).toEqual([]);
  const [result] = await runSuites([{ file: 'alerts.yaml', topology: topology!, tests: tests! }], 15_000);
  expect(result).toMatchObject({ unmet: [], error: null });
});
