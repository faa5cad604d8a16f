import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import { defineOperator, defineSink, defineSource, Registry } from '../../pipeline/component/index.js';
import { parseTopology } from '../../pipeline/config/index.js';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import type { Data, Person, PoseFrame } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { person, poseFrame } from '../support/fake-topology.js';
import { aborted, runnerOf, temporaryFolder } from '../support/flow.js';
import { until } from '../support/waiting.js';

/** Pose frames of a person who walks back and forth; as many as the test releases. */
class Walk {
  #wake: () => void = () => undefined;
  #allowed = 0;

  readonly component = defineSource({
    name: 'walk',
    summary: 'A person who walks.',
    config: Type.Object({}, { additionalProperties: false }),
    examples: [],
    outputs: ['pose'],
    replayable: true,
    create: () => ({
      open: async (position, output) => {
        output.ready?.();
        let next = (position as number | null) ?? 0;
        const ended = aborted(output.signal);
        while (!output.signal.aborted) {
          while (next < this.#allowed) {
            const frame = poseFrame(next, [untracked(2 + Math.sin(next / 10), 2)]);
            next++;
            await output.offer({ position: next, data: [frame] });
          }
          await Promise.race([
            ended,
            new Promise<void>((resolve) => {
              this.#wake = resolve;
            }),
          ]);
        }
      },
    }),
  });

  allow(frames: number): void {
    this.#allowed = frames;
    this.#wake();
  }
}

const untracked = (x: number, y: number): Person => ({ ...person(0, x, y), track: null });

/** A store in memory that the test breaks. */
class Shelf {
  readonly frames: PoseFrame[] = [];
  openError: Error | null = null;
  writeError: Error | null = null;
  flushError: Error | null = null;
  readonly component = defineSink({
    name: 'shelf',
    summary: 'Keeps frames.',
    config: Type.Object(
      { label: Type.String({ default: 'one', description: 'Anything.' }) },
      { additionalProperties: false },
    ),
    examples: [],
    inputs: ['pose'],
    recovery: 'idempotent',
    create: () => ({
      open: async () => {
        if (this.openError) throw this.openError;
      },
      write: async (records: readonly Data[]) => {
        if (this.writeError) throw this.writeError;
        for (const record of records) if (record.port === 'pose') this.frames.push(record);
        return [];
      },
      flush: async () => {
        if (this.flushError) throw this.flushError;
      },
      close: async () => undefined,
    }),
  });

  /** The newest frame of each number, in order: the sink overwrites. */
  get numbers(): readonly number[] {
    return [...new Set(this.frames.map(({ frameId }) => frameId))].sort((a, b) => a - b);
  }

  get tracks(): readonly number[] {
    return [...new Set(this.frames.flatMap(({ persons }) => persons.map(({ track }) => track?.id ?? -1)))];
  }

  get oldest(): number {
    return Math.max(0, ...this.frames.flatMap(({ persons }) => persons.map(({ track }) => track?.age ?? 0)));
  }
}

/** Counts frames; its state is useless for another `step`. */
const tally = defineOperator({
  name: 'tally',
  summary: 'Counts.',
  config: Type.Object(
    {
      step: Type.Integer({ default: 1, description: 'Counted for each frame.' }),
      shown: Type.Boolean({ default: true, description: 'Shown in the frame.' }),
    },
    { additionalProperties: false },
  ),
  examples: [],
  inputs: ['pose'],
  outputs: ['pose'],
  stateFields: ['step'],
  create: ({ step }) => {
    let total = 0;
    return {
      process: (data) => {
        total += step;
        return { data: [{ ...data, processingMs: total }] };
      },
      snapshot: () => total,
      restore: (state) => {
        total = state as number;
      },
    };
  },
});

interface Content {
  readonly people?: object;
  readonly tally?: object;
  readonly shelf?: object;
  readonly second?: boolean;
}

function bench() {
  const folder = temporaryFolder();
  const [walk, shelf, second] = [new Walk(), new Shelf(), new Shelf()];
  const other = { ...second.component, name: 'other-shelf' as const };
  const registry = new Registry([walk.component, trackPersons, tally, shelf.component, other]);
  writeFileSync(join(folder, 'room.yaml'), stringify(testEnvironment));
  const parse = (content: Content): CheckedTopology => {
    const text = stringify({
      id: 'room',
      environment: 'room.yaml',
      sources: { walk: { type: 'walk' } },
      operators: {
        people: { type: 'track-persons', from: 'walk', ...content.people },
        tally: { type: 'tally', from: 'people', ...content.tally },
      },
      sinks: {
        shelf: { type: 'shelf', from: 'tally', ...content.shelf },
        ...(content.second && { second: { type: 'other-shelf', from: 'tally' } }),
      },
      settings: { checkpoint_interval_ms: 50, state_folder: 'state' },
    });
    const { topology, problems } = parseTopology({ text, shown: 'room.yaml', file: null, folder }, registry, {
      env: {},
    });
    if (!topology) throw new Error(JSON.stringify(problems));
    return topology;
  };
  const runner = runnerOf(parse({}), { patience: { openMs: 300, stopMs: 1000, barrierMs: 1000 } });
  return { walk, shelf, second, parse, runner };
}

test.each([
  ['a threshold of its own', { people: { gate_sigma: 9 } }, 'people', 'migrated', ['gate_sigma']],
  ['another sink', { second: true }, 'second', 'none', []],
  ['a changed sink', { shelf: { label: 'two' } }, 'shelf', 'none', ['label']],
] as const)('a track keeps its id across %s', async (_, content, node, state, fields) => {
  const { walk, shelf, parse, runner } = bench();
  await runner.start();
  walk.allow(20);
  await until('20 frames', () => shelf.numbers.length === 20);
  const next = parse(content);
  const plan = runner.plan(next);
  expect(plan.changes.find((change) => change.node === node)).toMatchObject({ state, fields });
  await runner.apply(next, plan.hash);
  walk.allow(40);
  await until('40 frames', () => shelf.numbers.length === 40);
  expect(shelf.tracks).toEqual([1]);
  expect(shelf.oldest).toBe(40);
});

test('a changed operator keeps or drops its state, as planned', async () => {
  const { walk, shelf, parse, runner } = bench();
  await runner.start();
  const total = () => shelf.frames.at(-1)?.processingMs ?? 0;
  const change = async (content: Content) => {
    const next = parse(content);
    const plan = runner.plan(next);
    await runner.apply(next, plan.hash);
    return plan.changes.find(({ node }) => node === 'tally');
  };
  walk.allow(10);
  await until('10 frames', () => total() === 10);
  expect(await change({ tally: { shown: false } })).toMatchObject({ change: 'changed', state: 'migrated' });
  walk.allow(20);
  await until('20 frames', () => total() === 20);
  expect(await change({ tally: { shown: false, step: 100 } })).toMatchObject({ state: 'dropped' });
  walk.allow(23);
  await until('3 more frames', () => shelf.numbers.length === 23);
  expect(total()).toBe(300);
  expect(shelf.tracks).toEqual([1]);
});

test.each([
  ['written', 'writeError'],
  ['flushed', 'flushError'],
  ['opened', 'openError'],
] as const)('a plan works while a sink cannot be %s; its frames arrive once it can', async (_, trouble) => {
  const { walk, shelf, second, parse, runner } = bench();
  await runner.start();
  walk.allow(10);
  await until('10 frames', () => shelf.numbers.length === 10);
  const away = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
  shelf[trouble] = away;
  if (trouble === 'openError') shelf.writeError = away;
  walk.allow(20);
  await until(
    'the trouble to be seen',
    () => trouble === 'openError' || runner.status().state === 'degraded',
  );
  const next = parse({ people: { gate_sigma: 9 }, second: true });
  await runner.apply(next, runner.plan(next).hash);
  walk.allow(30);
  await until('the other sink to continue', () => second.numbers.includes(29));
  expect(['running', 'degraded']).toContain(runner.status().state);
  shelf[trouble] = null;
  shelf.writeError = null;
  await until('all frames', () => shelf.numbers.length === 30);
  expect(shelf.tracks).toEqual([1]);
  expect(second.tracks).toEqual([1]);
});

test('rejects a plan for another topology than the running one', async () => {
  const { parse, runner } = bench();
  await runner.start();
  const [first, second] = [parse({ people: { gate_sigma: 9 } }), parse({ people: { gate_sigma: 10 } })];
  const { hash } = runner.plan(first);
  await expect(runner.apply(second, hash)).rejects.toMatchObject({ code: 'plan.stale' });
  await runner.apply(first, hash);
  await expect(runner.apply(second, hash)).rejects.toMatchObject({ code: 'plan.stale' });
  expect(runner.status().state).toBe('running');
});
