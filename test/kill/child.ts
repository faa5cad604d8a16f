import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import {
  defineOperator,
  type AnyOperator,
  type AnySink,
  type AnySource,
  type Component,
  type RawBatch,
  type Source,
  NOTHING,
} from '../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../pipeline/config/topology/topology.js';
import { encodeRecords } from '../../pipeline/formats/containers/capture.js';
import {
  PORTS,
  type Environment,
  type Measure,
  type Person,
  type PoseFrame,
  type SensedEvent,
  type Window,
} from '../../pipeline/model/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { file } from '../../pipeline/sources/file/file.js';
import { kafka as kafkaSource } from '../../pipeline/sources/kafka/kafka.js';
import { mqtt as mqttSource } from '../../pipeline/sources/mqtt/mqtt.js';
import { udp } from '../../pipeline/sources/udp.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { denoise } from '../../operators/denoise/denoise.js';
import { detectMotion } from '../../operators/detect-motion/detect-motion.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import { window } from '../../operators/window/window.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { file as files } from '../../sinks/file.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { kafka } from '../../sinks/kafka/kafka.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { webhook } from '../../sinks/webhook/webhook.js';
import { websocket } from '../../sinks/websocket.js';
import { withDefaults } from '../kit/definition.js';
import type { ChildInput } from './process.js';

/**
 * The killed process: csiflow's own source, operators and store, with an asynchronous stage of random delays
 * instead of the network, and a fan-in of frames and delayed results whose order is visible.
 */
const {
  folder,
  source,
  port,
  path,
  from: broker,
  until,
  speed = 0,
  blockRecords,
  hold,
  network,
  sinks,
  threads = 0,
} = JSON.parse(process.argv[2]!) as ChildInput;

/**
 * Records the input of `decode` and the output of the socket on disk immediately, so that it survives a kill.
 */
const decoded = openSync(join(folder, 'decoded.part'), 'a');
const received = openSync(join(folder, 'received.part'), 'a');
/** Alerts received from the live feed. */
const heard = openSync(join(folder, 'heard.part'), 'a');

const environment: Environment = {
  id: 'room',
  size: { x: 5, y: 4, z: 2.6 },
  links: [
    { id: 'node-1', sender: 'node-1', transmitter: [2.5, 0.2, 1.2], receiver: [0.3, 3.7, 1] },
    { id: 'node-2', sender: 'node-2', transmitter: [2.5, 0.2, 1.2], receiver: [4.7, 3.7, 1] },
  ],
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
};

/** The source itself, with its input and output recorded. */
function listened(component: AnySource): AnySource {
  return {
    ...component,
    create: (config, context): Source => {
      const inner = component.create(config, context);
      return {
        open: async (position, output) => {
          await inner.open(position, {
            ...output,
            offer: (batch) => {
              if (batch.raw) writeSync(received, countsOf(batch.raw));
              return output.offer(batch);
            },
          });
          process.stdout.write('read\n');
          if (hold && !output.signal.aborted) {
            await new Promise((resolve) => {
              output.signal.addEventListener('abort', resolve);
            });
          }
        },
        decode: (raw) => {
          writeSync(decoded, encodeRecords(raw));
          return inner.decode!(raw);
        },
        snapshot: () => inner.snapshot?.(),
        restore: (state) => inner.restore?.(state),
        close: async () => inner.close?.(),
      };
    },
  };
}

/**
 * A live source itself, at the pace at which its records were made; reports when the last one is
 * decoded.
 */
function paced(component: AnySource): AnySource {
  return {
    ...component,
    create: (config, context) => {
      const inner = component.create(config, context);
      const [open, decode] = [inner.open.bind(inner), inner.decode!.bind(inner)];
      return Object.assign(inner, {
        open: (position, output) => {
          const pace = paceOf(speed);
          const offer: typeof output.offer = async (batch) => {
            if (batch.raw) await pace(batch.raw.time[0]!, output.signal);
            return output.offer(batch);
          };
          return open(position, { ...output, offer });
        },
        decode: (raw) => {
          const output = decode(raw);
          if (raw.time[raw.count - 1] === until) process.stdout.write('read\n');
          return output;
        },
      } satisfies Partial<Source>);
    },
  };
}

/** Waits until a record of the given event time is due, counted from the first one. */
function paceOf(times: number): (time: number, signal: AbortSignal) => Promise<void> {
  let first: { readonly time: number; readonly at: number } | undefined;
  return async (time, signal) => {
    first ??= { time, at: performance.now() };
    if (times === 0) return;
    const left = (time - first.time) / 1000 / times - (performance.now() - first.at);
    if (left > 0 && !signal.aborted) await sleep(left);
  };
}

/** The live feed with a listener. */
function listenedTo(component: AnySink): AnySink {
  return {
    ...component,
    create: (config, context) => {
      const sink = component.create(config, context);
      sink.feed!.listen((records) => {
        for (const record of records) if (record.port === 'event') writeSync(heard, `${record.id}\n`);
      });
      return sink;
    },
  };
}

/** The source itself; reports when it has read everything. */
function reportingEnd(component: AnySource): AnySource {
  return {
    ...component,
    create: (config, context) => {
      const inner = component.create(config, context);
      const open = inner.open.bind(inner);
      return Object.assign(inner, {
        open: async (...given: Parameters<Source['open']>) => {
          await open(...given);
          process.stdout.write('read\n');
        },
      });
    },
  };
}

/** Number of records, and the time of the last one. */
const countsOf = (raw: RawBatch): Uint8Array =>
  new Uint8Array(Float64Array.of(raw.count, raw.time[raw.count - 1]!).buffer);

/** A pose from a window, the same for the same window, after a random time. */
const infer = defineOperator({
  name: 'infer',
  summary: 'Stands where the network stands.',
  config: Type.Object({}),
  examples: [],
  inputs: ['window'],
  outputs: ['pose'],
  asynchronous: { maxInFlight: () => 4 },
  create: () => ({
    process: async (window) => {
      await sleep(Math.random() * 8);
      return { data: [poseOf(window)] };
    },
  }),
});

function poseOf(window: Window): PoseFrame {
  const end = window.start + window.points * window.step;
  const energy = window.links.map(
    ({ values }) => values.reduce((sum, value) => sum + Math.abs(value), 0) / values.length,
  );
  const level = energy.reduce((sum, value) => sum + value, 0) / energy.length;
  const at = { x: 1 + (level % 3), y: 1 + ((level * 7) % 2), z: 0 };
  const person: Person = {
    confidence: 0.75,
    position: at,
    positionError: 0.3,
    heading: null,
    headingConfidence: 0,
    posture: 'upright',
    keypoints: Array.from({ length: 17 }, (_, joint) => ({ ...at, z: 1.7 - joint / 10, error: 0.1 })),
    articulated: true,
    track: null,
  };
  return {
    port: 'pose',
    frameId: window.index,
    environment: window.environment,
    time: (window.start + end) / 2,
    windowEnd: end,
    processingMs: 1,
    persons: [person],
    links: window.links.length,
    signalQuality: 1,
    provenance: window.provenance,
  };
}

/** Numbers frames and poses in the order in which the fan-in releases them. */
const order = defineOperator({
  name: 'order',
  summary: 'Numbers what it sees.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi', 'pose'],
  outputs: ['measure'],
  create: (_, { links }) => {
    let seen = 0;
    const numbered = (name: string, subject: string | null, time: number): Measure => ({
      port: 'measure',
      name,
      environment: environment.id,
      subject,
      time,
      value: seen++,
      source: 'csiflow',
      provenance: { origin: 'simulated' },
    });
    return {
      process: (data) => {
        if (data.port === 'pose') return { data: [numbered('pose_seen', null, data.windowEnd)] };
        const frames = Array.from(data.time.subarray(0, data.count), (time, index) =>
          numbered(`frame_${data.sequence[index]!}`, links.at(data.link[index]!).link.id, time),
        );
        return { data: frames };
      },
      snapshot: () => seen,
      restore: (kept) => {
        seen = kept as number;
      },
    };
  },
});

/** An alert at every twentieth pose: its id depends only on the pose. */
const alarm = defineOperator({
  name: 'alarm',
  summary: 'Stands where falls are noticed.',
  config: Type.Object({}),
  examples: [],
  inputs: ['pose'],
  outputs: ['event'],
  create: () => ({
    process: ({ frameId, time }) => (frameId % 20 === 0 ? { data: [alertOf(frameId, time)] } : NOTHING),
  }),
});

const alertOf = (frame: number, time: number): SensedEvent => ({
  port: 'event',
  id: `${environment.id}/fall_detection/${frame}`,
  type: 'fall_detection',
  severity: 'high',
  environment: environment.id,
  time,
  confidence: 0.9,
  person: 1,
  location: null,
  metadata: {},
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

interface Spec {
  readonly component: Component;
  readonly from?: readonly string[];
  readonly config?: object;
}

const inputs: Readonly<Record<ChildInput['source'], () => Spec>> = {
  file: () => ({ component: listened(file), config: { path, speed, batch_records: blockRecords } }),
  udp: () => ({ component: listened(udp), config: { port, block_records: blockRecords, idle_tick_ms: 0 } }),
  simulator: () => ({
    component: reportingEnd(simulator),
    config: { duration_s: 40, speed, start_time: '2026-01-01T00:00:00Z' },
  }),
  follow: () => ({
    component: paced(file),
    config: { path, follow: true, poll_ms: 10, batch_records: blockRecords },
  }),
  kafka: () => ({ component: paced(kafkaSource), config: { ...broker, batch_records: blockRecords } }),
  mqtt: () => ({ component: paced(mqttSource), config: { ...broker, block_records: blockRecords } }),
};

/** The network runs in its own thread, which needs its compiled file. */
const networkNodes = async (): Promise<Readonly<Record<string, Spec>>> => {
  const module = pathToFileURL(packageFile('dist/operators/infer-pose/infer-pose.js')).href;
  const { inferPose } = (await import(module)) as { readonly inferPose: AnyOperator };
  return {
    long: {
      component: moved(window, 'window/window'),
      from: ['phase'],
      config: { length_ms: 2000, hop_ms: 1000, points: 100 },
    },
    network: { component: inferPose, from: ['long'], config: { backend: 'wasm' } },
  };
};

/** A component with its module: this file is a bundle. */
const moved = <C extends AnyOperator>(component: C, name: string): C => ({
  ...component,
  module: pathToFileURL(packageFile(`dist/operators/${name}.js`)).href,
});

/** Sinks besides the store. */
const others: Readonly<Record<string, Spec>> = {
  lines: {
    component: files,
    from: ['motion', 'people', 'alarm', ...(network ? ['network'] : [])],
    config: { path: join(folder, 'out.ndjson') },
  },
  live: { component: listenedTo(websocket), from: ['people', 'alarm'] },
  ...(sinks?.webhook && {
    hook: {
      component: webhook,
      from: ['alarm'],
      config: { url: sinks.webhook, secret: 'a secret of some length', allow_private: true },
    },
  }),
  ...(sinks?.mqtt && {
    broker: {
      component: mqtt,
      from: ['motion', 'people', 'alarm'],
      config: { ...sinks.mqtt, protocol: '3.1.1', persons: false },
    },
  }),
  ...(sinks?.influxdb && {
    influx: { component: influxdb, from: ['in', 'motion', 'people', 'alarm'], config: sinks.influxdb },
  }),
  ...(sinks?.kafka && {
    results: { component: kafka, from: ['motion', 'people', 'alarm', 'order'], config: sinks.kafka },
  }),
};

const nodes: Readonly<Record<string, Spec>> = {
  in: inputs[source](),
  clean: { component: moved(denoise, 'denoise/denoise'), from: ['in'] },
  phase: { component: moved(phaseSanitize, 'phase-sanitize/phase-sanitize'), from: ['clean'] },
  windows: {
    component: moved(window, 'window/window'),
    from: ['phase'],
    config: { length_ms: 1000, hop_ms: 100, points: 50 },
  },
  motion: { component: detectMotion, from: ['windows'], config: { interval_ms: 100 } },
  poses: { component: infer, from: ['windows'] },
  people: { component: trackPersons, from: ['poses'] },
  alarm: { component: alarm, from: ['people'] },
  order: { component: order, from: ['phase', 'poses'] },
  ...(network && (await networkNodes())),
  out: {
    component: duckdb,
    from: ['in', 'motion', 'people', 'alarm', 'order'],
    config: { path: join(folder, 'out.duckdb'), commit_interval_ms: 50 },
  },
  ...others,
};

const topology: CheckedTopology = {
  id: 'kill',
  file: null,
  folder,
  environments: [environment],
  nodes: Object.entries(nodes).map(([id, { component, from = [], config = {} }]): CheckedNode => ({
    id,
    component,
    config: withDefaults(component, config) as Record<string, unknown>,
    inputs: from.map((name) => ({ from: name, ports: PORTS })),
    queue: component.kind === 'source' ? { capacity: 64, policy: 'block', maxAgeMs: null } : null,
    secrets: [],
    hash: id,
  })),
  settings: {
    checkpointIntervalMs: 80,
    // All runs are compared with one in which nothing was shed.
    maxLagMs: null,
    journal: true,
    degradedAfterFailures: 1000,
    stopAfterFailures: null,
    stateFolder: join(folder, 'state'),
    seed: 1,
    threads,
  },
  hash: 'kill',
};

const metrics = createMetrics();
const runner = createRunner(topology, { log: createLogger({ level: 'error' }), metrics });
const asked = new Promise<void>((resolve) => {
  process.on('SIGTERM', () => {
    resolve();
  });
});
await runner.start();
process.stdout.write('running\n');
await Promise.race([asked, runner.finished()]);
// Records that a slow machine put into outboxes are safe but not delivered: they would wait for the next
// start.
while (!(await isDelivered())) await sleep(50);
await runner.stop();
process.exit(0);

async function isDelivered(): Promise<boolean> {
  if (runner.status().nodes.some(({ kind, queueDepth }) => kind === 'sink' && queueDepth > 0)) return false;
  const outboxes = (await metrics.text()).matchAll(/^csiflow_outbox_records\{.*\} (\d+)$/gm);
  return [...outboxes].every(([, records]) => records === '0');
}
