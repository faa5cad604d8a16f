import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { defineOperator, defineSink, defineSource, Registry } from '../../pipeline/component/index.js';
import { parseTopology } from '../../pipeline/config/index.js';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import type { Data, PoseFrame } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { poseFrame } from '../support/fake-topology.js';
import { aborted, runnerOf, temporaryFolder } from '../support/flow.js';
import { until } from '../support/waiting.js';

/**
 * As many frames as the test releases; a `step` that can be changed live and an `offset` that cannot; a sink.
 */
function bench() {
  let allowed = 0;
  let wake: () => void = () => undefined;
  const written: PoseFrame[] = [];
  const frames = defineSource({
    name: 'frames',
    summary: 'Frames.',
    config: Type.Object({}, { additionalProperties: false }),
    examples: [],
    outputs: ['pose'],
    replayable: true,
    create: () => ({
      open: async (position, output) => {
        output.ready?.();
        const ended = aborted(output.signal);
        for (let next = (position as number | null) ?? 0; !output.signal.aborted;) {
          while (next < allowed) await output.offer({ position: ++next, data: [poseFrame(next)] });
          await Promise.race([ended, new Promise<void>((resolve) => (wake = resolve))]);
        }
      },
    }),
  });
  const add = defineOperator({
    name: 'add',
    summary: 'Adds up.',
    config: Type.Object(
      {
        step: Type.Integer({ default: 1, description: 'Added for each frame.' }),
        offset: Type.Integer({ default: 0, description: 'Shown on top.' }),
      },
      { additionalProperties: false },
    ),
    examples: [],
    inputs: ['pose'],
    outputs: ['pose'],
    stateFields: [],
    liveFields: ['step'],
    create: ({ step, offset }) => {
      let [total, now] = [0, step];
      return {
        process: (data) => {
          total += now;
          return { data: [{ ...data, processingMs: total + offset }] };
        },
        adjust: (config) => {
          now = config['step'] as number;
        },
        snapshot: () => total,
        restore: (state) => {
          total = state as number;
        },
      };
    },
  });
  const shelf = defineSink({
    name: 'shelf',
    summary: 'Keeps frames.',
    config: Type.Object({}, { additionalProperties: false }),
    examples: [],
    inputs: ['pose'],
    recovery: 'idempotent',
    create: () => ({
      open: async () => undefined,
      write: async (records: readonly Data[]) => {
        for (const record of records) if (record.port === 'pose') written.push(record);
        return [];
      },
      flush: async () => undefined,
      close: async () => undefined,
    }),
  });
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'room.yaml'), stringify(testEnvironment));
  const parse = (adder: object = {}, sink: object = {}): CheckedTopology => {
    const text = stringify({
      id: 'room',
      environment: 'room.yaml',
      sources: { frames: { type: 'frames' } },
      operators: { sum: { type: 'add', from: 'frames', ...adder } },
      sinks: { shelf: { type: 'shelf', from: 'sum', ...sink } },
      settings: { checkpoint_interval_ms: 50, state_folder: 'state' },
    });
    const source = { text, shown: 'room.yaml', file: null, folder };
    const { topology, problems } = parseTopology(source, new Registry([frames, add, shelf]), { env: {} });
    if (!topology) throw new Error(JSON.stringify(problems));
    return topology;
  };
  const runner = runnerOf(parse());
  const let_ = async (count: number, total = count) => {
    allowed = count;
    wake();
    await until(`${total} frames`, () => written.length === total);
  };
  const dropped = () => runner.status().nodes.find(({ id }) => id === 'shelf')!.dropped;
  return { runner, parse, frames: let_, written, dropped };
}

test('an adjustable field applies from the next record, without a restart, and keeps the state', async () => {
  const { runner, parse, frames, written } = bench();
  await runner.start();
  const { sessionId } = runner.status();
  await frames(2);
  runner.adjust(parse({ step: 10 }));
  await frames(4);
  expect(written.map(({ processingMs }) => processingMs)).toEqual([1, 2, 12, 22]);
  expect(runner.status()).toMatchObject({ state: 'running', sessionId });
  expect(runner.next).toBe(runner.topology);
});

test('a new file that changes only adjustable fields is applied without a restart', async () => {
  const { runner, parse, frames, written } = bench();
  await runner.start();
  const { sessionId } = runner.status();
  await frames(1);
  const next = parse({ step: 10 });
  await runner.apply(next, runner.plan(next).hash);
  await frames(2);
  expect(written.map(({ processingMs }) => processingMs)).toEqual([1, 11]);
  expect(runner.status()).toMatchObject({ state: 'running', sessionId });
  const other = parse({ step: 10, offset: 1000 });
  await runner.apply(other, runner.plan(other).hash);
  expect(runner.status().sessionId).not.toBe(sessionId);
});

test('other fields apply at the next start, even when changed with a live one', async () => {
  const { runner, parse, frames, written } = bench();
  await runner.start();
  const next = parse({ step: 10, offset: 1000 });
  runner.adjust(next);
  await frames(1);
  expect(runner.next.hash).toBe(next.hash);
  expect(runner.topology.nodes[1]!.config).toEqual({ step: 10, offset: 0 });
  await runner.restart();
  await frames(2);
  expect(runner.topology.hash).toBe(next.hash);
  expect(written.map(({ processingMs }) => processingMs)).toEqual([10, 1020]);
});

test('live changes are the base of a later start and of a plan', async () => {
  const { runner, parse, frames, written } = bench();
  await runner.start();
  runner.adjust(parse({ step: 10 }));
  await frames(1);
  expect(runner.plan(parse({ step: 10 })).changes.every(({ change }) => change === 'unchanged')).toBe(true);
  await runner.restart();
  await frames(2);
  expect(written.map(({ processingMs }) => processingMs)).toEqual([10, 20]);
});

test('a stopped topology applies all changes', async () => {
  const { runner, parse, frames, written } = bench();
  runner.adjust(parse({ offset: 5 }));
  expect(runner.next).toBe(runner.topology);
  await runner.start();
  await frames(1);
  expect(written[0]!.processingMs).toBe(6);
});

test('a disabled operator passes its input through where it can, and can be enabled again', async () => {
  const { runner, parse, frames, written } = bench();
  await runner.start();
  await frames(1);
  const off = parse({ enabled: false });
  expect(runner.plan(off).changes[1]).toMatchObject({
    change: 'changed',
    state: 'kept',
    fields: ['enabled'],
  });
  runner.adjust(off);
  await frames(2);
  runner.adjust(parse());
  await frames(3);
  expect(written.map(({ processingMs }) => processingMs)).toEqual([1, poseFrame(2).processingMs, 2]);
});

test('a disabled sink receives nothing, and checkpoints continue', async () => {
  const { runner, parse, frames, dropped } = bench();
  await runner.start();
  await frames(1);
  runner.adjust(parse({}, { enabled: false }));
  await frames(3, 1);
  await until('two frames dropped', () => dropped()['switched_off'] === 2);
  const { epoch } = runner.status().checkpoint ?? { epoch: 0 };
  await until('a checkpoint', () => (runner.status().checkpoint?.epoch ?? 0) > epoch + 1);
  runner.adjust(parse());
  await frames(4, 2);
});

test('rejects a disabled source in a file, and an `enabled` that is not a boolean', () => {
  const { parse } = bench();
  expect(() => parse({ enabled: 'perhaps' })).toThrow('config.value.type');
  expect(parse({ enabled: false }).nodes[1]!.enabled).toBe(false);
});

test('rejects another topology', () => {
  const { runner, parse } = bench();
  expect(() => {
    runner.adjust({ ...parse(), id: 'other' });
  }).toThrow('is of the topology other');
});

test('the registry rejects an adjustable field that the state depends on', () => {
  const bound = { ...defineOperatorOf(['step']), liveFields: ['step' as const] };
  expect(() => new Registry([bound])).toThrow('the field step of liveFields must not be in stateFields');
});

const defineOperatorOf = (stateFields: readonly 'step'[]) =>
  defineOperator({
    name: 'bound',
    summary: 'Bound.',
    config: Type.Object({ step: Type.Integer({ default: 1, description: 'A step.' }) }),
    examples: [],
    inputs: ['pose'],
    outputs: ['pose'],
    stateFields,
    create: () => ({ process: () => ({ data: [] }) }),
  });
