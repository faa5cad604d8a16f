import { createSocket } from 'node:dgram';
import { Type } from 'typebox';
import { defineOperator, defineSource, type Component } from '../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../pipeline/config/topology.js';
import { allocateBlock, csiLayout, PORTS, type Data, type Measure } from '../../pipeline/model/index.js';
import { createRunner } from '../../pipeline/runtime/runner.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';

/**
 * The process that is killed: a source (`replay` or a UDP port), sums over spans of event time, a stage of
 * random delays, a fan-in of both, and a DuckDB file. Arguments: folder, `replay` or a port (0: any).
 */
const [folder = '', input = 'replay'] = process.argv.slice(2);
const FRAMES = 3000;
const SPAN_US = 10_000;
const START_US = 1_700_000_000_000_000;

const layout = csiLayout({
  rx: 1,
  tx: 1,
  subcarriers: [1],
  bandwidthMhz: 20,
  centreMhz: 2437,
  training: 'lltf',
});
const environment = {
  id: 'room',
  size: { x: 5, y: 4, z: 2.5 },
  links: [{ id: 'link', transmitter: [0, 0, 1], receiver: [5, 4, 1], sender: '*' }],
  walls: [],
  zones: [],
  assumed: [],
};

const block = (frames: readonly { readonly number: number; readonly time: number }[]): Data => {
  const made = allocateBlock(layout, frames.length);
  frames.forEach(({ number, time }, index) => {
    made.time[index] = time;
    made.sequence[index] = number;
  });
  return made;
};

const replay = defineSource({
  name: 'replay',
  summary: 'Counts, in blocks of random sizes.',
  config: Type.Object({}),
  examples: [],
  outputs: ['csi'],
  replayable: true,
  create: () => ({
    async open(position, output) {
      const { signal } = output;
      for (let next = (position as number | null) ?? 0; next < FRAMES && !signal.aborted;) {
        const size = Math.min(FRAMES - next, 1 + Math.floor(Math.random() * 20));
        const frames = Array.from({ length: size }, (_, index) => ({
          number: next + index,
          time: START_US + (next + index) * 1000,
        }));
        next += size;
        await output.offer({ position: next, data: [block(frames)] });
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
  }),
});

const port = defineSource({
  name: 'port',
  summary: 'Numbers over UDP.',
  config: Type.Object({}),
  examples: [],
  outputs: ['csi'],
  replayable: false,
  create: (_, { clock }) => ({
    async open(position, output) {
      const { signal } = output;
      let last = (position as number | null) ?? 0;
      const socket = createSocket('udp4');
      socket.on('message', (bytes) => {
        last = Math.max(last, clock.now());
        void output.offer({
          position: last,
          raw: {
            count: 1,
            time: Float64Array.of(last),
            offsets: Uint32Array.of(0, 4),
            bytes: Uint8Array.from(bytes),
            sender: new Uint16Array(1),
            senders: [''],
            origin: 'live',
          },
        });
      });
      await new Promise<void>((resolve) => socket.bind(Number(input), '127.0.0.1', resolve));
      process.stdout.write(`port ${socket.address().port}\n`);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
      socket.close();
    },
    decode: (raw) => {
      const view = new DataView(raw.bytes.buffer, raw.bytes.byteOffset, raw.bytes.byteLength);
      return {
        data: [
          block(
            Array.from(raw.time, (time, index) => ({ time, number: view.getUint32(raw.offsets[index]!) })),
          ),
        ],
      };
    },
  }),
});

const measure = (name: string, time: number, value: number): Measure => ({
  port: 'measure',
  name,
  environment: environment.id,
  subject: null,
  time,
  value,
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

const sums = defineOperator({
  name: 'sums',
  summary: 'Total of the numbers at the end of each span.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['measure'],
  create: () => {
    let state = { total: 0, next: 0 };
    const close = (time: number, out: Measure[]) => {
      for (; state.next > 0 && state.next <= time; state.next += SPAN_US)
        out.push(measure('sum', state.next, state.total));
    };
    return {
      process: (data) => {
        const out: Measure[] = [];
        if (data.port !== 'csi') return { data: out };
        for (let index = 0; index < data.count; index++) {
          const time = data.time[index]!;
          if (state.next === 0) state.next = (Math.floor(time / SPAN_US) + 1) * SPAN_US;
          close(time, out);
          state.total += data.sequence[index]!;
        }
        return { data: out };
      },
      holdWatermark: (time) => Math.min(time, state.next - SPAN_US),
      snapshot: () => ({ ...state }),
      restore: (kept) => {
        state = { ...(kept as typeof state) };
      },
    };
  },
});

const jitter = defineOperator({
  name: 'jitter',
  summary: 'Random delays.',
  config: Type.Object({}),
  examples: [],
  inputs: ['measure'],
  outputs: ['measure'],
  asynchronous: { maxInFlight: () => 4 },
  create: () => ({
    process: (data) =>
      new Promise((resolve) =>
        setTimeout(() => {
          resolve({ data: [data] });
        }, Math.random() * 4),
      ),
  }),
});

const order = defineOperator({
  name: 'order',
  summary: 'Numbers what it sees.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi', 'measure'],
  outputs: ['measure'],
  create: () => {
    let seen = 0;
    return {
      process: (data) => {
        if (data.port !== 'csi')
          return { data: [measure('sum_seen', data.port === 'measure' ? data.time : 0, seen++)] };
        return {
          data: Array.from({ length: data.count }, (_, index) =>
            measure(`frame_${data.sequence[index]!}`, data.time[index]!, seen++),
          ),
        };
      },
      snapshot: () => seen,
      restore: (kept) => {
        seen = kept as number;
      },
    };
  },
});

const nodes: Readonly<Record<string, { component: Component; from?: readonly string[]; config?: object }>> = {
  in: { component: input === 'replay' ? replay : port },
  sums: { component: sums, from: ['in'] },
  slow: { component: jitter, from: ['sums'] },
  both: { component: order, from: ['in', 'slow'] },
  out: {
    component: duckdb,
    from: ['both', 'sums'],
    config: JSON.parse(process.env['CSIFLOW_TEST_DUCKDB'] ?? '{}') as object,
  },
};

const topology: CheckedTopology = {
  id: 'kill',
  file: null,
  folder,
  environments: [environment],
  nodes: Object.entries(nodes).map(([id, { component, from = [], config = {} }]): CheckedNode => ({
    id,
    component,
    config: config as Record<string, unknown>,
    inputs: from.map((name) => ({ from: name, ports: PORTS })),
    queue: component.kind === 'source' ? { capacity: 256, policy: 'block', maxAgeMs: null } : null,
    secrets: [],
    hash: id,
  })),
  settings: {
    checkpointIntervalMs: 60,
    journal: true,
    degradedAfterFailures: 10,
    stopAfterFailures: null,
    stateFolder: `${folder}/state`,
    seed: 1,
  },
  hash: 'kill',
};

const runner = createRunner(topology, { log: createLogger({ level: 'error' }) });
await runner.start();
process.stdout.write('running\n');
const asked = new Promise<void>((resolve) => {
  process.on('SIGTERM', () => {
    resolve();
  });
});
await Promise.race([asked, runner.finished()]);
await runner.stop();
process.exit(0);
