import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Admin, Kafka } from 'kafkajs';
import { loadKafka } from '../../../pipeline/kafka/index.js';
import { packageFile } from '../../../pipeline/base/paths.js';
import { withFolder } from '../bench-line.js';
import { processorSeconds } from '../processor-time.js';
import { datagramsOf, makeRooms, repeated, writeRooms, type Datagram } from './rooms.js';
import { drained, produce } from './topics.js';

/**
 * One process of a scaled-out topology, with all partitions of the rooms, of four links with 50 frames/s each;
 * without and with poses in turn, each twice: the second run is the control of the first. Frames arrive
 * faster than they can be processed. The measurement starts once the process has done its first seconds of
 * them (`--warm-up`), and ends when it has committed all.
 *
 * `node dist/bench/speed/scale/one-worker.js --broker 127.0.0.1:9092 [--rounds 2] [--only poses] [--pace
 * 20] [--rooms 24] [--warm-up 10] [--seconds 30]`; with `--pace 1` frames arrive as they would live, which shows the memory of a site that keeps up.
 */

const [PARTITIONS, RATE_HZ] = [12, 50] as const;
const LINKS = 4;
/** So many rooms are simulated; more rooms repeat them. */
const SIMULATED_ROOMS = 24;
/** This much is simulated, and then sent repeatedly with later timestamps. */
const STRETCH_SECONDS = 5;
const WINDOWS_HZ = 5;

interface Line {
  readonly name: string;
  /** Event time to process, seconds. */
  readonly seconds: number;
  readonly operators: readonly string[];
  readonly results: string;
}

const signal = (from: string) => [
  `clean: { type: denoise, from: ${from} }`,
  'phase: { type: phase-sanitize, from: clean }',
  'windows: { type: window, from: phase, length_ms: 2000, hop_ms: 200, points: 100 }',
  'motion: { type: detect-motion, from: windows }',
];
const LINES: readonly Line[] = [
  { name: 'signal', seconds: 60, operators: signal('radios'), results: '[motion]' },
  {
    name: 'poses',
    seconds: 30,
    operators: [
      'gain: { type: normalize-gain, from: radios, method: steps }',
      ...signal('gain'),
      'poses: { type: infer-pose, from: windows, backend: wasm }',
      'people: { type: track-persons, from: poses, max_age_ms: 20000 }',
      'falls: { type: detect-falls, from: [windows, people] }',
    ],
    results: '[motion, people, falls]',
  },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      broker: { type: 'string', default: '127.0.0.1:9092' },
      rounds: { type: 'string', default: '2' },
      only: { type: 'string' },
      pace: { type: 'string', default: '20' },
      rooms: { type: 'string', default: '24' },
      'warm-up': { type: 'string', default: '10' },
      seconds: { type: 'string' },
    },
  });
  const lines = LINES.filter(({ name }) => values.only === undefined || values.only === name);
  const kafkajs = await loadKafka();
  const client = new kafkajs.Kafka({ brokers: [values.broker], logCreator: () => () => undefined });
  const admin = client.admin();
  await admin.connect();
  try {
    const setup: Setup = {
      client,
      admin,
      broker: values.broker,
      rooms: Number(values.rooms),
      stretch: await stretchOf(Number(values.rooms)),
      pace: Number(values.pace),
      warmUpSeconds: Number(values['warm-up']),
    };
    for (let round = 1; round <= Number(values.rounds); round++)
      for (const line of lines) {
        const figures = await measured(setup, { ...line, seconds: Number(values.seconds ?? line.seconds) });
        process.stdout.write(`${JSON.stringify({ line: line.name, round, ...figures })}\n`);
      }
  } finally {
    await admin.disconnect();
  }
}

/** Datagrams of {@link STRETCH_SECONDS} of all rooms, in order of time. */
async function stretchOf(rooms: number): Promise<readonly Datagram[]> {
  const simulated = Math.min(rooms, SIMULATED_ROOMS);
  const made = makeRooms(rooms, LINKS).map(({ id }) => id);
  const number = new Map(made.slice(0, simulated).map((id, index) => [id, index]));
  const datagrams = await datagramsOf(makeRooms(simulated, LINKS), STRETCH_SECONDS, RATE_HZ);
  return datagrams.flatMap((datagram) => {
    const first = number.get(datagram.room)!;
    return made.filter((_, index) => index % simulated === first).map((room) => ({ ...datagram, room }));
  });
}

async function newTopic(admin: Admin, name: string): Promise<string> {
  const topic = `${name}-${randomUUID().slice(0, 8)}`;
  const configEntries = [{ name: 'retention.ms', value: '-1' }];
  await admin.createTopics({
    waitForLeaders: false,
    topics: [{ topic, numPartitions: PARTITIONS, configEntries }],
  });
  // A busy broker does not know the topic yet, and kafkajs does not wait for it.
  for (let tries = 0; !(await isThere(admin, topic)); tries++) {
    if (tries === 100) throw new Error(`the broker has not made the topic ${topic}`);
    await delay(100);
  }
  return topic;
}

const isThere = (admin: Admin, topic: string): Promise<boolean> =>
  admin.fetchTopicMetadata({ topics: [topic] }).then(
    ({ topics }) => topics[0]!.partitions.length === PARTITIONS,
    () => false,
  );

interface Setup {
  readonly client: Kafka;
  readonly admin: Admin;
  readonly broker: string;
  readonly rooms: number;
  readonly stretch: readonly Datagram[];
  /** Event time per second of real time, seconds. */
  readonly pace: number;
  readonly warmUpSeconds: number;
}

const measured = ({ client, admin, broker, stretch, pace, ...setup }: Setup, line: Line): Promise<object> =>
  withFolder(async (folder) => {
    const rooms = makeRooms(setup.rooms, LINKS);
    const partitions = new Map(rooms.map(({ id }, index) => [id, index % PARTITIONS]));
    const [topic, results] = [await newTopic(admin, 'csi'), await newTopic(admin, 'results')];
    const group = `bench-${randomUUID().slice(0, 8)}`;
    const file = join(folder, 'rooms.yaml');
    writeFileSync(file, topology(line, writeRooms(rooms, folder), { broker, topic, group, results }));
    const args = [packageFile('dist/api/cli/csiflow.js'), 'run', file, '--no-api'];
    const worker = spawn(process.execPath, args, { stdio: 'ignore' });
    const stretches = repeated(stretch, STRETCH_SECONDS);
    const through = async (seconds: number): Promise<Moment> => {
      for (let sent = 0; sent < seconds; sent += STRETCH_SECONDS)
        await produce(client, topic, stretches.next().value as readonly Datagram[], pace, (room) =>
          partitions.get(room)!,
        );
      await Promise.race([drained(admin, group, topic, 600_000), ended(worker)]);
      return { at: performance.now(), frames: await countOf(admin, topic), ...(await usedBy(worker.pid!)) };
    };
    try {
      return figuresOf(setup.rooms, await through(setup.warmUpSeconds), await through(line.seconds));
    } finally {
      const gone = once(worker, 'exit');
      if (worker.exitCode === null && worker.kill('SIGTERM')) await gone;
    }
  });

async function ended(worker: ChildProcess): Promise<never> {
  const [code] = (await once(worker, 'exit')) as [number | null];
  throw new Error(`csiflow ended early with code ${code ?? 'none'}`);
}

const topology = (
  { operators, results }: Line,
  rooms: readonly string[],
  names: Readonly<Record<'broker' | 'topic' | 'group' | 'results', string>>,
): string =>
  [
    'id: rooms',
    `environments: [${rooms.join(', ')}]`,
    'sources:',
    `  radios: { type: kafka, brokers: ["${names.broker}"], topics: [${names.topic}], group: ${names.group}, origin: simulated }`,
    'operators:',
    ...operators.map((operator) => `  ${operator}`),
    'sinks:',
    `  results: { type: kafka, from: ${results}, brokers: ["${names.broker}"], topic: ${names.results} }`,
    'settings: { scale_out: true, checkpoint_interval_ms: 1000, state_folder: state }',
    '',
  ].join('\n');

async function countOf(admin: Admin, topic: string): Promise<number> {
  const ends = await admin.fetchTopicOffsets(topic);
  return ends.reduce((sum, { high }) => sum + Number(high), 0);
}

/** Resource use of a process at one moment. */
interface Moment {
  readonly at: number;
  readonly frames: number;
  /** Seconds of processor time: all threads, the one that runs JavaScript, and the busiest of the others. */
  readonly cpu: number;
  readonly main: number;
  readonly other: number;
  readonly residentMb: number;
  readonly highestMb: number;
}

async function usedBy(pid: number): Promise<Omit<Moment, 'at' | 'frames'>> {
  const threads = await readdir(`/proc/${pid}/task`);
  const others = threads.filter((thread) => Number(thread) !== pid);
  const seconds = await Promise.all(others.map((thread) => processorSeconds(`${pid}/task/${thread}`)));
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return {
    cpu: await processorSeconds(pid),
    main: await processorSeconds(`${pid}/task/${pid}`),
    other: Math.max(0, ...seconds),
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
    highestMb: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024,
  };
}

function figuresOf(rooms: number, first: Moment, last: Moment): object {
  const frames = last.frames - first.frames;
  const windows = (frames / (LINKS * RATE_HZ)) * WINDOWS_HZ;
  const each = (field: 'cpu' | 'main') => round((1e6 * (last[field] - first[field])) / frames);
  return {
    rooms,
    frames,
    frames_per_second: Math.round((1e3 * frames) / (last.at - first.at)),
    us_per_frame: each('cpu'),
    us_per_frame_main: each('main'),
    ms_per_window_busiest_other: round((1e3 * (last.other - first.other)) / windows),
    resident_mb: [first, last].map(({ residentMb }) => Math.round(residentMb)),
    highest_mb: Math.round(last.highestMb),
    load: round(loadavg()[0]!),
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

await main();
