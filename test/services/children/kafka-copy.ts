import { Type } from 'typebox';
import { defineOperator } from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/topology/topology.js';
import { PORTS, type Measure } from '../../../pipeline/model/index.js';
import { createRunner } from '../../../pipeline/runtime/runner.js';
import { kafka as kafkaSource } from '../../../pipeline/sources/kafka/kafka.js';
import { createLogger } from '../../../pipeline/telemetry/log.js';
import { kafka as kafkaSink } from '../../../sinks/kafka/kafka.js';
import { withDefaults } from '../../kit/definition.js';
import { testEnvironment } from '../../support/context.js';

/** Input of the process. */
export interface CopyInput {
  readonly folder: string;
  readonly brokers: readonly string[];
  readonly from: string;
  readonly to: string;
  /** Name of its sink, and of its transactions. */
  readonly sink?: string;
  readonly checkpointIntervalMs?: number;
}

/** The killed process: one measure for each frame of a topic, exactly once into another topic. */
const {
  folder,
  brokers,
  from,
  to,
  sink = 'out',
  checkpointIntervalMs = 60,
} = JSON.parse(process.argv[2]!) as CopyInput;

const count = defineOperator({
  name: 'count',
  summary: 'Numbers frames.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['measure'],
  create: () => {
    let seen = 0;
    return {
      process: (data) => ({
        data: Array.from(data.sequence.subarray(0, data.count), (sequence, index): Measure => ({
          port: 'measure',
          name: `frame_${sequence}`,
          environment: testEnvironment.id,
          subject: null,
          time: data.time[index]!,
          value: seen++,
          source: 'csiflow',
          provenance: { origin: 'simulated' },
        })),
      }),
      snapshot: () => seen,
      restore: (kept) => {
        seen = kept;
      },
    };
  },
});

const node = (
  id: string,
  component: CheckedNode['component'],
  config: object,
  inputs: readonly string[] = [],
): CheckedNode => ({
  id,
  component,
  config: withDefaults(component, config) as Record<string, unknown>,
  inputs: inputs.map((name) => ({ from: name, ports: PORTS })),
  queue: component.kind === 'source' ? { capacity: 16, policy: 'block', maxAgeMs: null } : null,
  secrets: [],
  hash: id,
});

const topology: CheckedTopology = {
  id: 'copy',
  file: null,
  folder,
  environments: [testEnvironment],
  nodes: [
    node('in', kafkaSource, {
      brokers,
      topics: [from],
      fetch_wait_ms: 50,
      session_timeout_ms: 2000,
      batch_records: 16,
    }),
    node('count', count, {}, ['in']),
    node(sink, kafkaSink, { brokers, topic: to, delivery: 'exactly_once', compression: 'lz4' }, ['count']),
  ],
  settings: {
    checkpointIntervalMs,
    journal: true,
    degradedAfterFailures: 1000,
    stopAfterFailures: null,
    stateFolder: folder,
    seed: 1,
  },
  hash: 'copy',
};

const runner = createRunner(topology, { log: createLogger({ level: 'error' }) });
process.on('SIGTERM', () => {
  void runner.stop().then(() => process.exit(0));
});
await runner.start();
process.stdout.write('running\n');
