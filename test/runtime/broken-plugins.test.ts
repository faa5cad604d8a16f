import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Type } from 'typebox';
import {
  defineOperator,
  defineSink,
  NOTHING,
  type Component,
  type Operator,
  type Output,
} from '../../pipeline/component/index.js';
import { PORTS, type Data, type Failure, type Measure } from '../../pipeline/model/index.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import {
  aborted,
  counter,
  frames,
  rawNumbers,
  runnerOf,
  socketOf,
  sum,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { until } from '../support/waiting.js';

/** An operator that only a plugin in plain JavaScript can be. */
const brokenOperator = (methods: Operator<'measure', 'measure'>, waits = false) =>
  defineOperator({
    name: 'broken',
    summary: 'Breaks the contract.',
    config: Type.Object({}),
    examples: [],
    inputs: ['measure'],
    outputs: ['measure'],
    ...(waits && { asynchronous: { maxInFlight: () => 2 } }),
    create: () => methods,
  });

const throughBroken = (broken: Component, table: Table) => ({
  in: { component: counter },
  sums: { component: sum, from: ['in'] },
  broken: { component: broken, from: ['sums'] },
  out: { component: table.component, from: ['broken'] },
});

/** Results that only a plugin in plain JavaScript can return, for the third of ten records. */
const results: Readonly<Record<string, [result: (record: Measure) => unknown, reason: string]>> = {
  'nothing at all': [() => undefined, 'it returned undefined, but must return { data: [...] }'],
  'no object': [() => 'x', 'it returned x, but must return { data: [...] }'],
  'the record itself': [(record) => record, 'it returned an object without data'],
  'one record instead of a list': [(record) => ({ data: record }), 'it returned data that is not a list'],
  'an undeclared port': [
    (record) => ({ data: [{ ...record, port: 'video' }] }),
    'it returned a record on the port "video", but its definition has outputs: ',
  ],
  'failures that are no list': [
    (record) => ({ data: [], failed: { record, code: 'a.b', reason: 'no', retriable: false } }),
    'it returned `failed` with another object instead of a list',
  ],
  'a failure that is none': [
    () => ({ data: [], failed: [null] }),
    'it returned `failed` with null instead of { record, code, reason, retriable }',
  ],
  'no record': [() => ({ data: [null] }), 'it returned a record on the port undefined'],
  'a time that is a text': [
    (record) => ({ data: [record, { ...record, time: 'x' }] }),
    'it returned a measure record whose `time` is "x"; an event time is a number of microseconds since 1970',
  ],
  'a time that is infinite': [
    (record) => ({ data: [{ ...record, time: Infinity }] }),
    'it returned a measure record whose `time` is Infinity;',
  ],
  'a time that no date has': [
    (record) => ({ data: [{ ...record, time: 1e19 }] }),
    'it returned a measure record whose `time` is 10000000000000000000;',
  ],
  'a record without an environment': [
    (record) => ({ data: [{ ...record, environment: undefined }] }),
    'it returned a measure record whose `environment` is undefined; it must be the id of an environment',
  ],
  'a pose without the end of its window': [
    (record) => ({ data: [{ ...record, port: 'pose' }] }),
    'it returned a pose record whose `windowEnd` is undefined;',
  ],
  'a window whose end cannot be computed': [
    (record) => ({ data: [{ ...record, port: 'window', start: 0, step: 1 }] }),
    'it returned a window record whose `step` or `points` is not a number',
  ],
  'frames with too few times': [
    () => ({ data: [{ ...frames(0, 3), time: new Float64Array(2) }] }),
    'it returned a csi record whose `time` is not a Float64Array with one time for each frame of `count`',
  ],
  'an unknown type of event': [
    (record) => ({ data: [{ ...record, port: 'event', type: 'rssi_drop' }] }),
    'it returned an event of the type "rssi_drop"; csiflow knows fall_detection,',
  ],
};

describe.each(['at once', 'as a promise'])('an operator that returns, %s,', (how) => {
  it.each(Object.entries(results))(
    '%s loses only that record, to a dead letter',
    async (_, [result, reason]) => {
      const broken = defineOperator({
        name: 'broken',
        summary: 'Returns anything.',
        config: Type.Object({}),
        examples: [],
        inputs: ['measure'],
        outputs: PORTS,
        ...(how === 'as a promise' && { asynchronous: { maxInFlight: () => 2 } }),
        create: () => ({
          process: (data) => {
            const output = (data.time === 30_000 ? result(data) : { data: [data] }) as Output<
              Data<'measure'>
            >;
            return how === 'as a promise' ? Promise.resolve(output) : output;
          },
        }),
      });
      const table = new Table();
      const runner = runnerOf(topologyOf(throughBroken(broken, table), temporaryFolder()));
      await runner.start();
      await runner.finished();
      expect(table.rows).toHaveLength(9);
      const [letter, ...others] = await runner.deadLetters();
      expect(letter).toMatchObject({ node: 'broken', stage: 'process', code: 'operator.output' });
      expect(letter!.reason).toContain(reason);
      expect(others).toEqual([]);
    },
  );
});

/** A method that rejects, once, as only a plugin in plain JavaScript can. */
const rejecting = <R>(result: (argument: never) => R) => {
  let calls = 0;
  return (argument: never): R =>
    ++calls === 3 ? (Promise.reject(new Error('not now')) as unknown as R) : result(argument);
};

describe.each([
  ['watermark', false, () => ({ data: [] }), 'operator.output', 'it returned a promise'],
  ['settle', true, (output: never) => output, 'operator.output', 'it returned a promise'],
  ['holdWatermark', false, (time: never) => time, 'operator.threw', '`holdWatermark` returned a promise'],
] as const)(
  'an operator whose `%s` returns a promise that rejects',
  (method, waits, result, code, reason) => {
    it('has a dead letter that says so', async () => {
      const broken = brokenOperator(
        {
          process: (data) => (waits ? Promise.resolve({ data: [data] }) : { data: [data] }),
          [method]: rejecting(result),
        },
        waits,
      );
      const table = new Table();
      const runner = runnerOf(topologyOf(throughBroken(broken, table), temporaryFolder()));
      await runner.start();
      await runner.finished();
      expect(table.rows).toHaveLength(waits ? 9 : 10);
      const letters = await runner.deadLetters();
      expect(letters).toMatchObject([{ node: 'broken', stage: 'process', code }]);
      expect(letters[0]!.reason).toContain(reason);
    });
  },
);

it('an operator whose `snapshot` returns a promise that rejects is restarted, and says why', async () => {
  const broken = brokenOperator({
    process: (data) => ({ data: [data] }),
    snapshot: () => Promise.reject(new Error('not now')),
  });
  const runner = runnerOf(topologyOf(throughBroken(broken, new Table()), temporaryFolder()));
  await runner.start();
  await until('the message', () =>
    JSON.stringify(runner.status()).includes(
      'broken could not take a snapshot of its state: `snapshot` returned a promise',
    ),
  );
});

it.each([
  [
    'returns a promise that rejects',
    (): unknown => Promise.reject(new Error('not now')),
    '`restore` returned a promise',
  ],
  [
    'throws',
    (): unknown => {
      throw new Error('of another time');
    },
    'of another time',
  ],
])('an operator whose `restore` %s prevents the start, and says why', async (_, restore, reason) => {
  const broken = brokenOperator({
    process: (data) => ({ data: [data] }),
    snapshot: () => ({}),
    restore: restore,
  });
  const topology = topologyOf(throughBroken(broken, new Table()), temporaryFolder());
  const first = runnerOf(topology);
  await first.start();
  await first.stop();
  await expect(runnerOf(topology).start()).rejects.toThrow(`broken could not restore its state: ${reason}`);
});

it('an operator whose `describe` returns a promise that rejects is described by that', async () => {
  const broken = brokenOperator({
    process: (data) => ({ data: [data] }),
    describe: () => Promise.reject(new Error('not now')) as never,
  });
  const runner = runnerOf(topologyOf(throughBroken(broken, new Table()), temporaryFolder()));
  await runner.start();
  expect(runner.status().nodes.find(({ id }) => id === 'broken')!.details).toEqual({
    error: '`describe` returned a promise, but must return its result at once',
  });
});

it.each([
  ['nothing', undefined, 'returned undefined instead of a list'],
  ['no failures', [null], 'returned null instead of { record, code, reason, retriable }'],
])('a sink whose `write` returns %s says what it must return', async (_, answer, message) => {
  const broken = defineSink({
    name: 'broken',
    summary: 'Returns nothing.',
    config: Type.Object({}),
    examples: [],
    inputs: ['measure'],
    recovery: 'rewind',
    create: () => ({
      open: () => Promise.resolve(),
      write: () => Promise.resolve(answer as unknown as readonly Failure[]),
      flush: () => Promise.resolve(),
      rewind: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
  });
  const nodes = {
    in: { component: counter },
    sums: { component: sum, from: ['in'] },
    out: { component: broken, from: ['sums'] },
  };
  const runner = runnerOf(topologyOf(nodes, temporaryFolder()));
  await runner.start();
  await until('the message', () => JSON.stringify(runner.status()).includes(message));
});

/** A component whose `committed` rejects, which an async function may. */
const rejectingCommits = <C extends Component>(component: C): C => ({
  ...component,
  create: (config: never, context: never) =>
    Object.assign(component.create(config, context), {
      committed: () => Promise.reject(new Error('not now')),
    }),
});

it.each([
  ['source', 'in failed: not now'],
  ['sink', 'out failed: not now'],
])('a %s whose `committed` rejects is restarted, and says why', async (kind, message) => {
  const table = new Table().component;
  const nodes = {
    in: { component: kind === 'source' ? rejectingCommits(counter) : counter },
    sums: { component: sum, from: ['in'] },
    out: { component: kind === 'sink' ? rejectingCommits(table) : table, from: ['sums'] },
  };
  const runner = runnerOf(topologyOf(nodes, temporaryFolder()));
  await runner.start();
  await until('the message', () => JSON.stringify(runner.status()).includes(message));
});

it.each([
  ['source', 'in failed: not now'],
  ['sink', 'out failed: not now'],
])('a %s whose `committed` rejects at the last checkpoint of a stop is logged', async (kind, error) => {
  const table = new Table();
  const nodes = {
    in: { component: kind === 'source' ? rejectingCommits(counter) : counter },
    sums: { component: sum, from: ['in'] },
    out: { component: kind === 'sink' ? rejectingCommits(table.component) : table.component, from: ['sums'] },
  };
  const lines: string[] = [];
  const log = createLogger({ level: 'error', destination: { write: (line) => lines.push(line) } });
  const settings = { checkpointIntervalMs: 3_600_000 };
  const runner = runnerOf(topologyOf(nodes, temporaryFolder(), settings), { log });
  await runner.start();
  await runner.stop();
  await until('the message', () => lines.length > 0);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      level: 'error',
      msg: expect.stringMatching(/^a node failed while the topology stopped: the next start/) as unknown,
      topology: 'test',
      error,
    },
  ]);
});

it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
  ["the signal's reason", (signal) => aborted(signal).then(() => Promise.reject(signal.reason as Error))],
  ["an error of Node's for the signal", (signal) => once(new EventEmitter(), 'never', { signal })],
])('a source whose `open` rejects at a stop with %s has not failed', async (_, wait) => {
  const nodes = {
    in: {
      component: socketOf(async ({ signal }) => {
        await wait(signal);
      }),
    },
    sums: { component: sum, from: ['in'] },
    out: { component: new Table().component, from: ['sums'] },
  };
  const lines: string[] = [];
  const log = createLogger({ level: 'error', destination: { write: (line) => lines.push(line) } });
  const runner = runnerOf(topologyOf(nodes, temporaryFolder()), { log });
  await runner.start();
  await runner.stop();
  expect(lines).toEqual([]);
});

it('an operator whose `due` rejects has its input passed on at once', async () => {
  const dues: number[] = [];
  const socket = socketOf((output) => {
    dues.push(output.due!(), output.due!());
    void output.offer({ position: 1, raw: rawNumbers([1], [1000]) });
  });
  const broken = defineOperator({
    name: 'broken',
    summary: 'Breaks the contract.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['measure'],
    create: () => ({
      process: () => NOTHING,
      due: () => Promise.reject(new Error('not now')) as never,
    }),
  });
  const nodes = {
    in: { component: socket },
    broken: { component: broken, from: ['in'] },
    out: { component: new Table().component, from: ['broken'] },
  };
  const runner = runnerOf(topologyOf(nodes, temporaryFolder()));
  await runner.start();
  await until('the answers', () => dues.length === 2);
  expect(dues).toEqual([-Infinity, -Infinity]);
});
