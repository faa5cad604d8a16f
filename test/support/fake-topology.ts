import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  EventQuery,
  LiveFeed,
  PersonQuery,
  PoseQuery,
  Reader,
  TimeRange,
} from '../../pipeline/component/index.js';
import {
  LinkTable,
  type Data,
  type Environment,
  type Person,
  type PoseFrame,
  type Measure,
  type SensedEvent,
} from '../../pipeline/model/index.js';
import { components } from '../../api/components.js';
import type { CheckedNode, CheckedTopology } from '../../pipeline/config/topology/topology.js';
import type { LetterDesk, LetterSelection } from '../../pipeline/runtime/dead-letters/letter-desk.js';
import type { DeadLetter } from '../../pipeline/state/index.js';
import type { LifecycleState, Plan, RunningTopology, TopologyStatus } from '../../pipeline/runtime/status.js';
import { aggregatesOf } from './aggregates.js';
import { placesOf } from './places.js';
import { summariesOf } from './summaries.js';
import { testEnvironment } from './context.js';

/** Time of frame 0 of {@link poseFrame}: 2026-01-01T00:00:00Z, microseconds. */
export const FIRST_TIME = Date.UTC(2026, 0, 1) * 1000;

/** A person with a plausible upright skeleton around a floor point. */
export function person(id: number, x: number, y: number, overrides: Partial<Person> = {}): Person {
  return {
    confidence: 0.8,
    position: { x, y, z: 0 },
    positionError: 0.4,
    heading: 0.5,
    headingConfidence: 0.9,
    posture: 'upright',
    keypoints: Array.from({ length: 17 }, (_, index) => ({
      x: x + index / 100,
      y,
      z: 1.7 - index / 10.5,
      error: 0.1,
    })),
    articulated: true,
    track: { id, state: 'active', age: 12, since: FIRST_TIME, velocity: { x: 0.3, y: -0.1 } },
    ...overrides,
  };
}

/** Frame `index` of the test environment, a tenth of a second after the previous one. */
export const poseFrame = (index: number, persons: readonly Person[] = [person(1, 2, 2)]): PoseFrame => ({
  port: 'pose',
  frameId: index,
  environment: testEnvironment.id,
  time: FIRST_TIME + index * 100_000,
  windowEnd: FIRST_TIME + index * 100_000 + 500_000,
  processingMs: 3.5,
  persons,
  links: 2,
  signalQuality: 0.97,
  provenance: {
    origin: 'simulated',
    model: {
      name: 'pose-test',
      version: '1.0.0',
      trainedOn: 'simulated CSI',
      accuracy: 'docs/reports/pose.md',
    },
  },
});

export const fallEvent = (overrides: Partial<SensedEvent> = {}): SensedEvent => ({
  port: 'event',
  id: 'test-room/fall_detection/1',
  type: 'fall_detection',
  severity: 'high',
  environment: testEnvironment.id,
  time: FIRST_TIME,
  confidence: 0.9,
  person: 1,
  location: { x: 1, y: 2, z: 0 },
  metadata: {},
  source: 'csiflow',
  provenance: { origin: 'simulated' },
  ...overrides,
});

/** A sink that reads the poses of `people`. */
const sinkNode = (id: string, type: string, config: CheckedNode['config'] = {}): CheckedNode => ({
  id,
  component: components.get('sink', type)!,
  config,
  inputs: [{ from: 'people', ports: ['pose', 'event', 'measure'] }],
  queue: null,
  secrets: [],
  hash: id,
});

/** A topology without a runtime: the test controls its state, store and feed. */
export class FakeTopology implements RunningTopology {
  topology: RunningTopology['topology'];
  readonly links: LinkTable;
  readonly frames: PoseFrame[] = [];
  readonly events: SensedEvent[] = [];
  readonly measures: Measure[] = [];
  state: LifecycleState = 'running';
  problem: string | null = null;
  readonly #listeners = new Set<(status: TopologyStatus) => void>();
  readonly #live = new Set<(records: readonly Data[]) => void>();

  constructor(environment: Environment = testEnvironment) {
    this.links = new LinkTable([environment]);
    this.topology = {
      id: 'test',
      file: null,
      folder: '.',
      environments: [environment],
      nodes: [sinkNode('live', 'websocket'), sinkNode('history', 'duckdb', { path: 'fake.duckdb' })],
      settings: {
        checkpointIntervalMs: 1000,
        journal: true,
        degradedAfterFailures: 10,
        stopAfterFailures: null,
        stateFolder: '.',
        seed: 1,
      },
      hash: 'test',
    };
  }

  /** Stores records and sends them to listeners. */
  publish(...records: readonly Data[]): void {
    for (const record of records) {
      if (record.port === 'pose') this.frames.push(record);
      if (record.port === 'event') this.events.push(record);
      if (record.port === 'measure') this.measures.push(record);
    }
    for (const listener of this.#live) listener(records);
  }

  /** Reported details of its source. */
  details: Readonly<Record<string, unknown>> = { active_links: 2, rssi: -50 };

  /** Records waiting in an outbox. */
  undelivered = 0;

  /** How far its source is behind the clock. */
  lagMs: number | null = null;

  /** Records that its source has dropped because it could not keep up. */
  stale = 0;

  /** Records that its source could not process. */
  failed = 0;

  status(): TopologyStatus {
    return {
      id: this.topology.id,
      state: this.state,
      problem: this.problem,
      sessionId: 'session-1',
      startedAt: FIRST_TIME,
      steps: [{ step: 'model_loading', status: 'in_progress', progress: 0.5 }],
      nodes: [
        {
          id: 'routers',
          type: 'udp',
          kind: 'source',
          status: 'active',
          problem: null,
          received: 100,
          sent: 100,
          dropped: { kernel_buffer: 3, ...(this.stale > 0 && { stale: this.stale }) },
          missing: 5,
          failed: this.failed,
          queueDepth: 0,
          undelivered: this.undelivered,
          lastRecord: FIRST_TIME,
          lagMs: this.lagMs,
          details: this.details,
        },
      ],
      checkpoint: null,
      latencyMs: { p50: 4, p99: 9 },
    };
  }

  async start(): Promise<void> {
    this.#become('starting');
  }

  /** Arguments of the calls of `stop`. */
  readonly stops: Parameters<RunningTopology['stop']>[0][] = [];

  async stop(options?: Parameters<RunningTopology['stop']>[0]): Promise<void> {
    this.stops.push(options);
    this.#become('stopping');
  }

  async restart(): Promise<void> {
    this.#become('restarting');
  }

  plan(): Plan {
    return { hash: 'hash-1', changes: [] };
  }

  async apply(_next: CheckedTopology, hash: string): Promise<void> {
    if (hash !== 'hash-1') throw Object.assign(new Error('the plan is stale'), { code: 'plan.stale' });
  }

  get next(): CheckedTopology {
    return this.topology;
  }

  adjust(next: CheckedTopology): void {
    this.topology = next;
  }

  async finished(): Promise<void> {
    return new Promise(() => undefined);
  }

  async copyTo(folder: string): Promise<void> {
    writeFileSync(join(folder, 'state.mdb'), 'the state');
  }

  onChange(listener: (status: TopologyStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly feed: LiveFeed = {
    listen: (listener) => {
      this.#live.add(listener);
      return () => this.#live.delete(listener);
    },
    latest: (environment) => this.frames.filter((frame) => frame.environment === environment).at(-1),
  };

  readonly reader: Reader = {
    latestPose: async (environment, until) =>
      this.#upTo(until)
        .filter((frame) => frame.environment === environment)
        .at(-1),
    poses: async (query) => page(this.#matching(query), query),
    countPoses: async (query) => this.#matching(query).length,
    persons: async (query) => page(this.#persons(query), query),
    countPersons: async (query) => this.#persons(query).length,
    events: async (query) => page(this.#events(query), query),
    meanProcessingMs: async (query) => {
      const found = this.#matching(query).map(({ processingMs }) => processingMs);
      return found.length === 0 ? 0 : found.reduce((sum, time) => sum + time, 0) / found.length;
    },
    countEvents: async (query) => this.#events(query).length,
    measures: async (query) =>
      this.measures.filter(
        (measure) =>
          inRange(measure, query) &&
          (query.names?.includes(measure.name) ?? true) &&
          (query.subject === undefined || measure.subject === query.subject),
      ),
    aggregates: async (query) => aggregatesOf(this.measures, query),
    summaries: async (query) => summariesOf(this.frames, query),
    places: async (query) => placesOf(this.frames, query),
    range: async (_environment, until) => {
      const frames = this.#upTo(until);
      const [first] = frames;
      return first && { start: first.time, end: frames.at(-1)!.time };
    },
    ping: async () => 0.1,
    until: () => this.reader,
  };

  #events(query: EventQuery): readonly SensedEvent[] {
    return this.events.filter(
      (event) =>
        inRange(event, query) &&
        (query.types?.includes(event.type) ?? true) &&
        (query.severities?.includes(event.severity) ?? true),
    );
  }

  /** For a topology with scale-out. */
  whereIs: NonNullable<RunningTopology['whereIs']> = async () => ({ at: 'here' });
  deadLetters: DeadLetter[] = [];
  readonly letters: LetterDesk = {
    list: async ({ node, offset = 0, limit = Infinity } = {}) => {
      const found = this.deadLetters.filter((letter) => node === undefined || letter.node === node);
      return { letters: found.slice(offset, offset + limit), total: found.length };
    },
    show: async (id) => this.deadLetters.find((letter) => letter.id === id),
    replay: async (selection) => ({
      replayed: this.#selected(selection).map(({ id }) => id),
      refused: [],
    }),
    drop: async (selection) => {
      const dropped = this.#selected(selection);
      this.deadLetters = this.deadLetters.filter((letter) => !dropped.includes(letter));
      return dropped.length;
    },
  };

  #selected({ ids, node }: LetterSelection): readonly DeadLetter[] {
    return this.deadLetters.filter((letter) =>
      ids ? ids.includes(letter.id) : node === undefined || letter.node === node,
    );
  }

  readonly readers = new Map([['history', this.reader]]);

  openReaders() {
    return Promise.resolve(this.readers);
  }
  readonly feeds = new Map([['live', this.feed]]);

  #become(state: LifecycleState): void {
    this.state = state;
    for (const listener of this.#listeners) listener(this.status());
  }

  #upTo(until = Infinity): readonly PoseFrame[] {
    return this.frames.filter(({ time }) => time <= until);
  }

  #matching(query: PoseQuery): PoseFrame[] {
    return this.frames.filter(
      (frame) =>
        inRange(frame, query) &&
        (query.after === undefined || frame.time > query.after.time) &&
        (query.person === undefined || frame.persons.some(({ track }) => track?.id === query.person)),
    );
  }

  #persons(query: PersonQuery) {
    return this.frames
      .filter((frame) => inRange(frame, query))
      .flatMap(({ time, frameId, environment, persons }) =>
        persons
          .filter((one) => one.confidence >= (query.minConfidence ?? 0))
          .filter(({ track }) => query.person === undefined || track?.id === query.person)
          .map((one) => ({ time, frameId, environment, person: one })),
      );
  }
}

const inRange = (
  frame: { readonly environment: string; readonly time: number },
  { environment, start = -Infinity, end = Infinity }: TimeRange,
): boolean => frame.environment === environment && frame.time >= start && frame.time < end;

const page = <T>(
  rows: readonly T[],
  { offset = 0, limit = Infinity }: { offset?: number; limit?: number },
): T[] => rows.slice(offset, offset + limit);
