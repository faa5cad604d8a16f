import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recoveryOf, type AnySink } from '../../pipeline/component/index.js';
import type { CheckedNode, CheckedTest, CheckedTopology } from '../../pipeline/config/index.js';
import { LinkTable, PORTS, plainRecords } from '../../pipeline/model/index.js';
import { createRunner, type Runner } from '../../pipeline/runtime/runner.js';
import { PATIENCE, type Patience } from '../../pipeline/runtime/host.js';
import type { LifecycleState, NodeStatus, TopologyStatus } from '../../pipeline/runtime/status.js';
import { Outbox, StateStore } from '../../pipeline/state/index.js';
import { createLogger } from '../../pipeline/telemetry/log.js';
import { createMetrics, type Metrics } from '../../pipeline/telemetry/metrics.js';
import { testSource } from './inputs.js';
import { Lab, type Busy } from './lab.js';
import { MockSink } from './mock-sink.js';

/** A record as a test sees it: plain, with when it happened and when it came, milliseconds after the start of the input. */
export type TestRecord = Readonly<Record<string, unknown>>;

/** All that a test can look at once it has run. */
export interface Outcome {
  /** By node, of those that a test asks for, and of all sinks. */
  readonly records: ReadonlyMap<string, readonly TestRecord[]>;
  readonly deadLetters: ReadonlyMap<string, readonly TestRecord[]>;
  readonly outbox: ReadonlyMap<string, readonly TestRecord[]>;
  readonly figures: ReadonlyMap<string, TestRecord>;
  /** At the end. */
  readonly state: string;
  readonly problem: string | null;
  readonly hasBeen: ReadonlySet<string>;
  /** When each person of a scene begins what they do: by source. Milliseconds after the start of the input. */
  readonly activities: ReadonlyMap<string, readonly Activity[]>;
  /** Event time of the input, milliseconds. */
  readonly inputMs: number;
  /** Warnings and errors of the topology. */
  readonly log: readonly string[];
}

export interface Activity {
  readonly person: number;
  readonly activity: string;
  readonly atMs: number;
}

/** Why a test could not be run to its end. */
export class TestError extends Error {}

/**
 * Runs a test: the topology's operators as they are, between sources that read the test's input and sinks
 * that only keep what they take.
 * @param limitMs real time that it may take
 * @throws TestError where the topology does not start, or its input does not end in time
 */
export async function runTest(
  topology: CheckedTopology,
  test: CheckedTest,
  limitMs: number,
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-test-'));
  try {
    return await new TestRun(topology, test, folder).outcome(limitMs);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Checkpoints are taken while it runs, as they would be; what comes out does not depend on when. */
const CHECKPOINT_MS = 500;
/** Between two looks at how far it is, milliseconds of real time. */
const LOOK_MS = 2;
const KEPT_LINES = 200;
/** Recoveries that a test waits for, and real time that one may take, milliseconds: by its clock pauses take none. */
const RECOVERIES = 5;
const RECOVERY_MS = 5_000;
/** Real time for a topology to end that could not be tested, milliseconds. */
const END_MS = 5_000;

/** By the clock of a test a barrier takes as long as the input read meanwhile; mocked sinks answer at once or never. */
const TEST_PATIENCE: Patience = { ...PATIENCE, barrierMs: 1e12, writeMs: 500 };

class TestRun {
  readonly #topology: CheckedTopology;
  readonly #test: CheckedTest;
  readonly #folder: string;
  readonly #links: LinkTable;
  readonly #lab: Lab;
  /** Nodes whose records an expectation looks at. */
  readonly #asked: ReadonlySet<string>;
  readonly #metrics: Metrics = createMetrics();
  readonly #sinks = new Map<string, MockSink>();
  readonly #probes = new Map<string, MockSink>();
  readonly #runner: Runner;
  readonly #hasBeen = new Set<string>();
  #state: LifecycleState = 'stopped';
  #problem: string | null = null;
  #recoveries = 0;
  #recoveringSince = 0;
  /** It is being stopped. */
  #ending = false;
  readonly #log: string[] = [];

  constructor(topology: CheckedTopology, test: CheckedTest, folder: string) {
    this.#topology = topology;
    this.#test = test;
    this.#folder = folder;
    this.#links = new LinkTable(topology.environments);
    this.#lab = new Lab(topology.nodes.filter(isSource).map(({ id }) => id));
    this.#asked = askedFor(test);
    const tested = this.#tested();
    this.#watch(tested);
    this.#runner = createRunner(tested, {
      clock: this.#lab.clock,
      metrics: this.#metrics,
      log: createLogger({
        level: 'warn',
        destination: {
          write: (line: string) => {
            if (this.#log.length < KEPT_LINES) this.#log.push(line.trimEnd());
          },
        },
      }),
      patience: TEST_PATIENCE,
    });
    this.#runner.onChange((status) => {
      this.#note(status);
    });
  }

  async outcome(limitMs: number): Promise<Outcome> {
    try {
      return await this.#run(performance.now() + limitMs);
    } catch (error) {
      this.#ending = true;
      await this.#until(this.#runner.stop({ force: true }), performance.now() + END_MS, 'it does not stop');
      throw error;
    }
  }

  async #run(deadline: number): Promise<Outcome> {
    try {
      await this.#runner.start();
    } catch (error) {
      throw new TestError(`the topology did not start: ${text(error)}`);
    }
    const finished = this.#runner.finished();
    await this.#until(finished, deadline, 'its input has not ended');
    const inputMs = this.#lab.readMs;
    await this.#drain(inputMs + this.#test.runOnMs, deadline);
    const { state, problem, nodes } = this.#look();
    const hasBeen = new Set(this.#hasBeen);
    await this.#until(this.#runner.stop(), deadline, 'it does not stop');
    return {
      records: this.#records(),
      deadLetters: await this.#deadLetters(),
      outbox: await this.#outboxes(),
      figures: new Map(nodes.map((node) => [node.id, figuresOf(node)])),
      state,
      problem,
      hasBeen,
      activities: this.#activities(),
      inputMs,
      log: this.#log,
    };
  }

  // ------------------------------------------------------------------ the topology

  /** Sources and sinks replaced, and a sink behind each other node that is asked for. */
  #tested(): CheckedTopology {
    const { nodes, settings } = this.#topology;
    const replaced = nodes.map((node): CheckedNode => {
      if (isSource(node)) return this.#source(node);
      return node.component.kind === 'sink' ? this.#sink(node, node.component) : node;
    });
    return {
      ...this.#topology,
      nodes: [...replaced, ...nodes.filter((node) => this.#isProbed(node)).map((node) => this.#probe(node))],
      settings: {
        ...settings,
        stateFolder: join(this.#folder, 'state'),
        checkpointIntervalMs: CHECKPOINT_MS,
        scaleOut: false,
      },
    };
  }

  #source(node: CheckedNode): CheckedNode {
    const meter = this.#metrics.node(this.#topology.id, node.id);
    const component = testSource(
      node,
      this.#test.input.get(node.id),
      this.#lab,
      meter,
      this.#truthFile(node.id),
    );
    return { ...node, component, config: {}, queue: { capacity: 1, policy: 'block', maxAgeMs: null } };
  }

  #sink(node: CheckedNode, component: AnySink): CheckedNode {
    const { name, inputs } = component;
    const recovery = recoveryOf(component, node.config);
    const faults = this.#test.faults.get(node.id) ?? null;
    const mock = new MockSink(
      this.#lab,
      this.#links,
      { name, inputs, recovery },
      faults,
      this.#asked.has(node.id),
    );
    this.#sinks.set(node.id, mock);
    return { ...node, component: mock.component, config: {} };
  }

  /** Of a source or operator that an expectation looks at. */
  #isProbed({ id, component }: CheckedNode): boolean {
    return component.kind !== 'sink' && this.#asked.has(id);
  }

  #probe(node: CheckedNode): CheckedNode {
    const mock = new MockSink(
      this.#lab,
      this.#links,
      { name: 'probe', inputs: PORTS, recovery: 'rewind' },
      null,
      true,
    );
    this.#probes.set(node.id, mock);
    const ports = node.component.kind === 'sink' ? [] : node.component.outputs;
    return {
      id: `${node.id} (test)`,
      component: mock.component,
      config: {},
      inputs: [{ from: node.id, ports }],
      queue: null,
      secrets: [],
      hash: `probe of ${node.id}`,
    };
  }

  #watch({ nodes, id: topology }: CheckedTopology): void {
    const busy = nodes.flatMap(({ id, component }): readonly Busy[] => {
      const meter = this.#metrics.node(topology, id);
      if (component.kind === 'operator') return component.asynchronous ? [{ meter, mock: null }] : [];
      const mock = this.#sinks.get(id) ?? this.#probes.get(id.replace(/ \(test\)$/, ''));
      return component.kind === 'sink' && mock ? [{ meter, mock }] : [];
    });
    this.#lab.watch(busy);
  }

  #truthFile(source: string): string | null {
    const input = this.#test.input.get(source);
    return input?.kind === 'source' && input.component.name === 'simulator'
      ? join(this.#folder, `${source}.truth.ndjson`)
      : null;
  }

  // ------------------------------------------------------------------ running

  #look(): TopologyStatus {
    const status = this.#runner.status();
    this.#note(status);
    return status;
  }

  #note({ state, problem }: TopologyStatus): void {
    if (state === 'restarting' && this.#state !== 'restarting') {
      this.#recoveries++;
      this.#recoveringSince = performance.now();
    }
    this.#state = state;
    this.#problem = problem ?? this.#problem;
    this.#hasBeen.add(state);
  }

  /** @throws TestError where it fails each time that it is recovered */
  #checkRecovery(): void {
    const tooLong = this.#state === 'restarting' && performance.now() - this.#recoveringSince > RECOVERY_MS;
    if (!tooLong && this.#recoveries <= RECOVERIES) return;
    throw new TestError(
      `the topology fails each time that it is recovered: ${this.#problem ?? 'nobody knows why'}`,
    );
  }

  /** Waits for `work`, or for the topology's end; meanwhile the clock goes on where the input does not move it. */
  async #until(work: Promise<void>, deadline: number, late: string): Promise<void> {
    const run: { done: boolean; failure?: unknown } = { done: false };
    const settled = work.then(
      () => {
        run.done = true;
      },
      (failure: unknown) => {
        run.done = true;
        run.failure = failure;
      },
    );
    while (!run.done) {
      if (performance.now() > deadline) {
        throw new TestError(
          `${late} in the time that a test may take; the topology is ${this.#look().state}`,
        );
      }
      await Promise.race([settled, sleep(LOOK_MS)]);
      if (this.#look().state === 'failed') return;
      if (!this.#ending) this.#checkRecovery();
      this.#lab.goOn();
    }
    if (run.failure !== undefined) throw new TestError(text(run.failure));
  }

  /** Lets failing sinks try again until they have taken or refused all, at most until `untilMs` of the clock. */
  async #drain(untilMs: number, deadline: number): Promise<void> {
    while (performance.now() < deadline && !(await this.#drained())) {
      const { next } = this.#lab.clock;
      if (next === undefined || next > untilMs || this.#look().state === 'failed') return;
      this.#lab.goOn();
      await sleep(LOOK_MS);
    }
  }

  async #drained(): Promise<boolean> {
    for (const [id, { faults, count }] of this.#sinks) {
      if (!faults) continue;
      const { receivedTotal } = this.#metrics.node(this.#topology.id, id);
      if (count >= receivedTotal) continue;
      const dead = await this.#runner.deadLetters({ node: id });
      if (count + dead.length < receivedTotal) return false;
    }
    return true;
  }

  // ------------------------------------------------------------------ what came of it

  #records(): ReadonlyMap<string, readonly TestRecord[]> {
    const start = this.#lab.start ?? 0;
    const seen = (mock: MockSink) =>
      mock.taken.flatMap(({ record, givenMs }) =>
        plainRecords(record, this.#links).map((plain) => ({
          ...plain,
          at_ms: round(Date.parse(plain.time) - start / 1000),
          given_ms: round(givenMs),
        })),
      );
    const kept = [...this.#sinks, ...this.#probes].filter(([id]) => this.#asked.has(id));
    return new Map(kept.map(([id, mock]) => [id, seen(mock)]));
  }

  async #deadLetters(): Promise<ReadonlyMap<string, readonly TestRecord[]>> {
    const letters = new Map<string, TestRecord[]>();
    for (const { node, stage, code, reason, record } of await this.#runner.deadLetters()) {
      const plain = plainLetter(record, this.#links);
      letters.set(node, [...(letters.get(node) ?? []), { stage, code, reason, record: plain }]);
    }
    return letters;
  }

  async #outboxes(): Promise<ReadonlyMap<string, readonly TestRecord[]>> {
    const store = new StateStore(join(this.#folder, 'state'), this.#topology.id);
    try {
      return new Map(
        [...this.#sinks.keys()].map((sink) => [sink, undelivered(new Outbox(store, sink), this.#links)]),
      );
    } finally {
      await store.close();
    }
  }

  #activities(): ReadonlyMap<string, readonly Activity[]> {
    const start = this.#lab.start ?? 0;
    const found = new Map<string, readonly Activity[]>();
    for (const source of this.#test.input.keys()) {
      const file = this.#truthFile(source);
      if (file !== null) found.set(source, beginnings(readFileSync(file, 'utf8'), start));
    }
    return found;
  }
}

const isSource = ({ component }: CheckedNode): boolean => component.kind === 'source';

const askedFor = ({ expect }: CheckedTest): ReadonlySet<string> =>
  new Set(
    expect.flatMap(({ subject, rule }) => [
      ...('node' in subject && subject.of === 'records' ? [subject.node] : []),
      ...(rule.rule === 'contains' && rule.within?.after.mark === 'record' ? [rule.within.after.node] : []),
    ]),
  );

const figuresOf = ({ received, sent, failed, dropped, status, details }: NodeStatus): TestRecord => ({
  received,
  sent,
  failed,
  dropped,
  status,
  details,
});

/** Records are shown plain; undecoded ones as hexadecimal digits. */
function plainLetter(record: unknown, links: LinkTable): unknown {
  if (record instanceof Uint8Array) return { hex: Buffer.from(record).toString('hex') };
  if (typeof record !== 'object' || record === null || !('port' in record)) return record;
  if (record.port === 'csi' || 'not_kept_bytes' in record) return { port: record.port };
  return plainRecords(record as never, links)[0];
}

function undelivered(outbox: Outbox, links: LinkTable): readonly TestRecord[] {
  const left: TestRecord[] = [];
  for (let entry = outbox.next(); entry; entry = outbox.next()) {
    for (const record of entry.records) left.push(...plainRecords(record, links));
    outbox.delivered(entry);
  }
  return left;
}

/** When each activity begins, from the lines of a scene's truth. */
function beginnings(lines: string, start: number): readonly Activity[] {
  const before = new Map<number, string>();
  const found: Activity[] = [];
  for (const line of lines.trim().split('\n')) {
    if (line === '') continue;
    const { time, person, activity } = JSON.parse(line) as { time: number; person: number; activity: string };
    if (before.get(person) !== activity) found.push({ person, activity, atMs: round((time - start) / 1000) });
    before.set(person, activity);
  }
  return found;
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
