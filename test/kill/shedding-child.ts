import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { defineOperator, type Component, type Output } from '../../pipeline/component/index.js';
import type { CheckedNode } from '../../pipeline/config/topology/topology.js';
import { PORTS, type Environment, type Measure } from '../../pipeline/model/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { udp } from '../../pipeline/sources/udp.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { withDefaults } from '../kit/definition.js';
import type { SheddingInput } from './shedding.test.js';

/** The process that is killed while it sheds: `udp`, an operator that cannot keep up, and a store. */
const { folder, port, msEach } = JSON.parse(process.argv[2]!) as SheddingInput;

/** Written to disk immediately, line by line: what a process received, processed and shed, in that order. */
const course = openSync(join(folder, 'course.txt'), 'a');
const say = (what: string, numbers: readonly number[] | number): void => {
  writeSync(course, `${what} ${typeof numbers === 'number' ? numbers : numbers.join(',')}\n`);
};

const environment: Environment = {
  id: 'room',
  size: { x: 5, y: 4, z: 2.6 },
  links: [{ id: 'node-1', sender: 'node-1', transmitter: [2.5, 0.2, 1.2], receiver: [0.3, 3.7, 1] }],
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
};

/** The source itself; frame numbers are in bytes 12 to 15 of a datagram. */
const heard: Component = {
  ...udp,
  create: (config, context) => {
    const inner = udp.create(config, context);
    const [open, decode] = [inner.open.bind(inner), inner.decode!.bind(inner)];
    const numbersOf = (raw: Parameters<typeof decode>[0]): number[] =>
      Array.from({ length: raw.count }, (_, index) =>
        Buffer.from(raw.bytes.buffer, raw.bytes.byteOffset).readUInt32LE(raw.offsets[index]! + 12),
      );
    return Object.assign(inner, {
      open: ((position, output) =>
        open(position, {
          ...output,
          offer: (batch) => {
            if (batch.raw) say('received', numbersOf(batch.raw));
            return output.offer(batch);
          },
        })) satisfies typeof open,
      decode: ((raw) => {
        say('processed', numbersOf(raw));
        return decode(raw);
      }) satisfies typeof decode,
    });
  },
};

const slow = defineOperator({
  name: 'slow',
  summary: 'Takes its time for each frame, and tells its number.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['measure'],
  create: () => ({
    process: (data): Output<Measure> => {
      for (const end = performance.now() + msEach * data.count; performance.now() < end;);
      const measures = Array.from(data.sequence.subarray(0, data.count), (number, index) => ({
        port: 'measure' as const,
        name: 'frame',
        environment: environment.id,
        subject: `${number}`,
        time: data.time[index]!,
        value: number,
        source: 'csiflow',
        provenance: { origin: 'live' as const },
      }));
      return { data: measures };
    },
  }),
});

interface Spec {
  readonly component: Component;
  readonly from?: string;
  readonly config?: object;
}

const nodes: Readonly<Record<string, Spec>> = {
  in: { component: heard, config: { port, block_records: 8, idle_tick_ms: 0 } },
  slow: { component: slow, from: 'in' },
  out: {
    component: duckdb,
    from: 'slow',
    config: { path: join(folder, 'out.duckdb'), commit_interval_ms: 50 },
  },
};

const metrics = createMetrics();
const meter = metrics.node('shedding', 'in');
const dropped = meter.dropped.bind(meter);
meter.dropped = (reason, count) => {
  if (reason !== 'kernel_buffer') say('shed', count);
  dropped(reason, count);
};
const runner = createRunner(
  {
    id: 'shedding',
    file: null,
    folder,
    environments: [environment],
    nodes: Object.entries(nodes).map(([id, { component, from, config = {} }]): CheckedNode => ({
      id,
      component,
      config: withDefaults(component, config) as Record<string, unknown>,
      inputs: from === undefined ? [] : [{ from, ports: PORTS }],
      queue: component.kind === 'source' ? { capacity: 4096, policy: 'drop_oldest', maxAgeMs: null } : null,
      secrets: [],
      hash: id,
    })),
    settings: {
      checkpointIntervalMs: 1000,
      maxLagMs: 400,
      journal: true,
      degradedAfterFailures: 1000,
      stopAfterFailures: null,
      stateFolder: join(folder, 'state'),
      seed: 1,
    },
    hash: 'shedding',
  },
  { log: createLogger({ level: 'error' }), metrics },
);
const asked = new Promise<void>((resolve) => {
  process.on('SIGTERM', () => {
    resolve();
  });
});
await runner.start();
process.stdout.write('running\n');
await asked;
await runner.stop();
const { received, dropped: reasons } = runner.status().nodes.find(({ id }) => id === 'in')!;
say('counted', [received, (reasons['stale'] ?? 0) + (reasons['queue_full'] ?? 0)]);
process.exit(0);
