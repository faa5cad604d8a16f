import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import {
  defineOperator,
  defineSink,
  defineSource,
  type Component,
  type Output,
  type RawBatch,
  type SourceOutput,
} from '../../pipeline/component/index.js';
import type {
  CheckedNode,
  CheckedTopology,
  QueueSettings,
  Settings,
} from '../../pipeline/config/topology/topology.js';
import {
  allocateBlock,
  csiLayout,
  PORTS,
  type CsiBlock,
  type Data,
  type Measure,
} from '../../pipeline/model/index.js';
import { createRunner, type Runner, type RunnerOptions } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { afterThisTest } from './clean-up.js';
import { testEnvironment } from './context.js';
import { sensedEvent } from './records.js';
import { until } from './waiting.js';

/** Small components and topologies for tests of the runtime. Event time of record `n` is `n` milliseconds. */

export const layout = csiLayout({
  rx: 1,
  tx: 1,
  subcarriers: [-1, 1],
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'lltf',
});

/** A block of frames numbered `from` to `to` (excluded). */
export function frames(from: number, to: number, time = (number: number) => number * 1000): CsiBlock {
  const block = allocateBlock(layout, to - from);
  for (let index = 0; index < block.count; index++) {
    block.time[index] = time(from + index);
    block.sequence[index] = from + index;
    block.link[index] = (from + index) % 2;
    block.values[index * 4] = from + index;
  }
  return block;
}

export const measure = (name: string, time: number, value: number): Measure => ({
  port: 'measure',
  name,
  environment: testEnvironment.id,
  subject: null,
  time,
  value,
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

/** Records of four bytes: one number each. */
export function rawNumbers(numbers: readonly number[], times: readonly number[]): RawBatch {
  const bytes = new Uint8Array(numbers.length * 4);
  const view = new DataView(bytes.buffer);
  numbers.forEach((number, index) => {
    view.setUint32(index * 4, number);
  });
  return {
    count: numbers.length,
    time: Float64Array.from(times),
    offsets: Uint32Array.from({ length: numbers.length + 1 }, (_, index) => index * 4),
    bytes,
    sender: new Uint16Array(numbers.length),
    senders: ['127.0.0.1:1'],
    origin: 'live',
  };
}

/** Frames from records of {@link rawNumbers}; the number 4,294,967,295 is invalid input. */
export function decodeNumbers(raw: RawBatch) {
  const view = new DataView(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.byteLength);
  const numbers = Array.from({ length: raw.count }, (_, index) => view.getUint32(raw.offsets[index]!));
  const good = numbers
    .map((number, index) => ({ number, time: raw.time[index]! }))
    .filter(({ number }) => number !== 0xffffffff);
  const block = allocateBlock(layout, good.length);
  good.forEach(({ number, time }, index) => {
    block.time[index] = time;
    block.sequence[index] = number;
    block.link[index] = number % 2;
  });
  const failed = numbers
    .filter((number) => number === 0xffffffff)
    .map((record) => ({ record, code: 'decode.test', reason: 'a bad number', retriable: false }));
  return { data: block.count === 0 ? [] : [block], failed };
}

/** Replayable: frames 0 to `count`, in blocks of `block`, one every `every` milliseconds from `offset`. */
export const counter = defineSource({
  name: 'counter',
  summary: 'Counts.',
  config: Type.Object({
    count: Type.Integer({ default: 100, description: 'Frames' }),
    block: Type.Integer({ default: 7, description: 'Frames of a block' }),
    every: Type.Number({ default: 1, description: 'Milliseconds' }),
    offset: Type.Number({ default: 0, description: 'Milliseconds' }),
    holdAt: Type.Optional(Type.Integer({ description: 'Waits there for the end' })),
  }),
  examples: [],
  outputs: ['csi'],
  replayable: true,
  create: ({ count, block, every, offset, holdAt }) => ({
    async open(position, output) {
      output.ready?.();
      let next = (position as number | null) ?? 0;
      const end = Math.min(count, holdAt ?? count);
      while (next < end && !output.signal.aborted) {
        const last = Math.min(end, next + block);
        const data = [frames(next, last, (number) => (offset + number * every) * 1000)];
        next = last;
        if (!(await output.offer({ position: next, data }))) return;
      }
      if (end < count) await aborted(output.signal);
    },
  }),
});

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else {
      signal.addEventListener('abort', () => {
        resolve();
      });
    }
  });

/** A source whose input nobody can repeat: `feed` offers all of it. */
export const socketOf = (feed: (output: SourceOutput) => void | Promise<void>) =>
  defineSource({
    name: 'socket',
    summary: 'What the test offers.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: false,
    create: () => ({
      open: async (_position, output) => {
        output.ready?.();
        await feed(output);
        await aborted(output.signal);
      },
      decode: decodeNumbers,
    }),
  });

/** A source that a test feeds: not replayable. */
export class Radio {
  output: SourceOutput | undefined;
  position: unknown;
  /** Reported overloads. */
  readonly overloads: boolean[] = [];
  readonly component = defineSource({
    name: 'radio',
    summary: 'What the test sends.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: false,
    create: () => ({
      open: async (position, output) => {
        this.output = output;
        output.ready?.();
        this.position = position;
        await aborted(output.signal);
      },
      decode: decodeNumbers,
      overloaded: (isOverloaded) => {
        this.overloads.push(isOverloaded);
      },
    }),
  });

  send(numbers: readonly number[], times: readonly number[] = numbers.map((number) => number * 1000)) {
    return this.output!.offer({ position: numbers.at(-1)!, raw: rawNumbers(numbers, times) });
  }
}

/** Sums the sequence numbers of frames and reports every full `span` milliseconds of event time. */
export const sum = defineOperator({
  name: 'sum',
  summary: 'Sums.',
  config: Type.Object({ span: Type.Number({ default: 10, description: 'Milliseconds' }) }),
  examples: [],
  inputs: ['csi'],
  outputs: ['measure'],
  timeFields: ['next'],
  create: ({ span }) => {
    let state = { total: 0, next: span * 1000 };
    const close = (time: number, into: Measure[]) => {
      for (; Number.isFinite(time) && state.next <= time; state.next += span * 1000) {
        into.push(measure('sum', state.next, state.total));
      }
    };
    return {
      process: (data) => {
        const out: Measure[] = [];
        for (let index = 0; index < data.count; index++) {
          if (Number.isNaN(data.time[index])) continue;
          close(data.time[index]!, out);
          state.total += data.sequence[index]!;
        }
        return { data: out };
      },
      watermark: (time) => {
        const out: Measure[] = [];
        if (time === Infinity && state.total > 0) out.push(measure('end', state.next, state.total));
        else close(time, out);
        return { data: out };
      },
      holdWatermark: (time) => Math.min(time, state.next - span * 1000),
      snapshot: () => ({ ...state }),
      restore: (kept) => {
        state = { ...(kept as typeof state) };
      },
    };
  },
});

/** Passes measures on after a random time, several concurrently. */
export const jitter = defineOperator({
  name: 'jitter',
  summary: 'Waits.',
  config: Type.Object({ longest: Type.Number({ default: 3, description: 'Milliseconds' }) }),
  examples: [],
  inputs: ['measure', 'csi'],
  outputs: ['measure', 'csi'],
  asynchronous: { maxInFlight: () => 4 },
  create: ({ longest }, { random }) => ({
    process: (data) =>
      new Promise((resolve) =>
        setTimeout(() => {
          resolve({ data: [data] });
        }, random() * longest),
      ),
  }),
});

/** A stage that waits until the test releases it. */
export class Valve {
  readonly waiting: (() => void)[] = [];
  open = false;

  readonly maxInFlight: number;

  constructor(maxInFlight = 2) {
    this.maxInFlight = maxInFlight;
  }

  readonly component = defineOperator({
    name: 'valve',
    summary: 'Waits for the test.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi', 'measure'],
    outputs: ['csi', 'measure'],
    asynchronous: { maxInFlight: () => this.maxInFlight },
    create: () => ({
      process: async (data): Promise<Output<Data<'csi' | 'measure'>>> => {
        if (!this.open) await new Promise<void>((resolve) => this.waiting.push(resolve));
        return { data: [data] };
      },
    }),
  });

  release(): void {
    this.open = true;
    for (const go of this.waiting.splice(0)) go();
  }
}

/** Numbers the records of its inputs in the order of arrival: makes different orders visible. */
export const order = defineOperator({
  name: 'order',
  summary: 'Numbers records.',
  config: Type.Object({}),
  examples: [],
  inputs: PORTS,
  outputs: ['measure'],
  create: () => {
    let seen = 0;
    return {
      process: (data, from) => ({
        data:
          data.port === 'csi'
            ? Array.from({ length: data.count }, (_, index) =>
                measure(`${from}:${data.sequence[index]!}`, data.time[index]!, seen++),
              )
            : [
                measure(
                  `${from}:${data.port}:${'value' in data ? data.value : ''}`,
                  'time' in data ? data.time : 0,
                  seen++,
                ),
              ],
      }),
      snapshot: () => seen,
      restore: (kept) => {
        seen = kept;
      },
    };
  },
});

/** An alert for each frame. */
export const alarm = defineOperator({
  name: 'alarm',
  summary: 'Alarms.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['event'],
  create: () => ({
    process: (data) => ({
      data: Array.from(data.sequence, (number) => sensedEvent(number)),
    }),
  }),
});

export interface Row {
  readonly epoch: number;
  readonly record: Data;
}

/** A store in memory that survives its topology; unflushed records are lost in a crash. */
export class Table {
  stored: Row[] = [];
  #pending: Row[] = [];
  #isOpen = false;
  opened = 0;
  /** Called before each write: a test makes it fail or wait. */
  before: (records: readonly Data[]) => Promise<void> | void = () => undefined;
  refuse: (record: Data) => boolean = () => false;
  retriable = false;

  readonly component: Component = this.#component('rewind');
  readonly telling: Component = this.#component('at-least-once');

  #component(recovery: 'rewind' | 'at-least-once'): Component {
    return defineSink({
      name: recovery === 'rewind' ? 'table' : 'teller',
      summary: 'Keeps records.',
      config: Type.Object({}),
      examples: [],
      inputs: PORTS,
      recovery,
      create: () => ({
        open: async () => {
          this.opened++;
          this.#isOpen = true;
          this.#pending = [];
        },
        write: async (records, epoch) => {
          if (!this.#isOpen) throw new Error('the table is closed');
          await this.before(records);
          const refused = records.filter((record) => this.refuse(record));
          this.#pending.push(
            ...records.filter((record) => !refused.includes(record)).map((record) => ({ epoch, record })),
          );
          return refused.map((record) => ({
            record,
            code: 'write.refused',
            reason: 'refused',
            retriable: this.retriable,
          }));
        },
        flush: async () => {
          this.stored.push(...this.#pending);
          this.#pending = [];
        },
        rewind: async (epoch) => {
          this.stored = this.stored.filter((row) => row.epoch <= epoch);
        },
        close: async () => {
          this.#isOpen = false;
          this.#pending = [];
        },
      }),
    });
  }

  /** Stored records as text, in order. */
  get rows(): readonly string[] {
    return this.stored.map(({ record }) =>
      record.port === 'measure'
        ? `${record.name}@${record.time}=${record.value}`
        : record.port === 'csi'
          ? `csi@${record.time[0]!}x${record.count}`
          : record.port,
    );
  }
}

type NodeSpec = {
  readonly component: Component;
  readonly config?: Record<string, unknown>;
  readonly from?: readonly string[];
  readonly queue?: Partial<QueueSettings>;
};

/** A checked topology of components, with defaults; nodes in topological order. */
export function topologyOf(
  nodes: Readonly<Record<string, NodeSpec>>,
  stateFolder: string,
  settings: Partial<Settings> = {},
): CheckedTopology {
  const checked: CheckedNode[] = Object.entries(nodes).map(
    ([id, { component, config = {}, from = [], queue }]) => ({
      id,
      component,
      config: { ...defaults(component), ...config },
      inputs: from.map((name) => ({ from: name, ports: PORTS })),
      queue: component.kind === 'source' ? { capacity: 8, policy: 'block', maxAgeMs: null, ...queue } : null,
      secrets: [],
      hash: JSON.stringify([component.name, config, from]),
    }),
  );
  return {
    id: 'test',
    file: null,
    folder: stateFolder,
    environments: [testEnvironment],
    nodes: checked,
    settings: {
      checkpointIntervalMs: 20,
      journal: true,
      degradedAfterFailures: 5,
      stopAfterFailures: null,
      // A busy machine would shed frames that a test counts: only tests of shedding enable it.
      maxLagMs: null,
      stateFolder,
      seed: 1,
      ...settings,
    },
    hash: JSON.stringify(checked.map(({ id, hash }) => [id, hash])),
  };
}

const defaults = (component: Component): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(component.config.properties as Record<string, { default?: unknown }>)
      .filter(([, schema]) => schema.default !== undefined)
      .map(([key, schema]) => [key, schema.default]),
  );

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-'));
  afterThisTest(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

export const quiet = createLogger({ level: 'error', destination: { write: () => undefined } });

/** Waits until no dead letter is left: they are removed with the checkpoint after their replay. */
export const emptied = ({ letters }: Runner): Promise<void> =>
  until('the dead letters to be removed', async () => (await letters.list()).total === 0);

/** A runner that is stopped after the test. */
export function runnerOf(topology: CheckedTopology, options: RunnerOptions = {}): Runner {
  const runner = createRunner(topology, { log: quiet, ...options });
  afterThisTest(() => runner.stop({ force: true }));
  return runner;
}
