import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckedTest, CheckedTopology } from '../config/index.js';
import { LinkTable, plainRecords } from '../model/index.js';
import { createRunner, type Runner } from '../runtime/runner.js';
import { PATIENCE, type Patience } from '../runtime/nodes/host.js';
import type { LifecycleState, TopologyStatus } from '../runtime/status.js';
import { createLogger } from '../telemetry/log.js';
import { createMetrics, type Metrics } from '../telemetry/metrics.js';
import { Lab } from './lab.js';
import type { MockSink } from './mock-sink.js';
import {
  beginnings,
  figuresOf,
  milliseconds,
  plainLetter,
  type Outcome,
  type TestRecord,
} from './outcome.js';
import { outboxesOf } from './outboxes.js';
import { Stand } from './stand.js';
import { errorText } from '../base/error-text.js';
import { withTemporaryFolder } from '../base/temporary-folders.js';

/** Why a test could not finish. */
export class TestError extends Error {}

/**
 * Runs a test: the topology's own operators, between sources that read the test's input and sinks that only
 * collect.
 * @param limitMs limit of real time
 * @param watched nodes whose records are passed on as they arrive
 * @param onRead called often with how much input was read so far, milliseconds of event time
 * @throws TestError if the topology does not start, or its input does not end in time
 */
export async function runTest(
  topology: CheckedTopology,
  test: CheckedTest,
  limitMs: number,
  watched: ReadonlySet<string> = new Set(),
  onRead: (ms: number) => void = () => undefined,
): Promise<Outcome> {
  return withTemporaryFolder('csiflow-test-', (folder) =>
    new TestRun(topology, test, folder, watched, onRead).outcome(limitMs),
  );
}

/** Interval of progress checks, milliseconds of real time. */
const LOOK_MS = 2;
const LOG_LINES = 200;
/** Limits of recoveries in a test, and of real time for one, milliseconds: pauses take none by the test's clock. */
const RECOVERIES = 5;
const RECOVERY_MS = 5_000;
/**
 * Real time after which a sink that has not announced a retry counts as busy: it is trying, or waits for a
 * write that hangs.
 */
const UNTIMED_MS = 1_000;
/** Real time for a topology that could not be tested to stop, milliseconds. */
const END_MS = 5_000;

/** By a test's clock, a barrier takes as long as the input read meanwhile; mocked sinks answer immediately or never. */
const TEST_PATIENCE: Patience = { ...PATIENCE, barrierMs: 1e12, writeMs: 500 };

class TestRun {
  readonly #topology: CheckedTopology;
  readonly #test: CheckedTest;
  readonly #onRead: (ms: number) => void;
  readonly #links: LinkTable;
  readonly #lab: Lab;
  readonly #metrics: Metrics = createMetrics();
  readonly #stand: Stand;
  readonly #runner: Runner;
  readonly #hasBeen = new Set<string>();
  #state: LifecycleState = 'stopped';
  #problem: string | null = null;
  #recoveries = 0;
  #recoveringSince = 0;
  /** It is being stopped. */
  #ending = false;
  readonly #log: string[] = [];

  constructor(
    topology: CheckedTopology,
    test: CheckedTest,
    folder: string,
    watched: ReadonlySet<string>,
    onRead: (ms: number) => void,
  ) {
    this.#topology = topology;
    this.#test = test;
    this.#onRead = onRead;
    this.#links = new LinkTable(topology.environments);
    this.#lab = new Lab(
      topology.nodes.filter(({ component }) => component.kind === 'source').map(({ id }) => id),
      () => this.#glance(),
    );
    this.#stand = new Stand({
      topology,
      test,
      links: this.#links,
      lab: this.#lab,
      metrics: this.#metrics,
      folder,
      watched,
    });
    this.#runner = createRunner(this.#stand.topology, {
      clock: this.#lab.clock,
      metrics: this.#metrics,
      log: createLogger({
        level: 'warn',
        destination: {
          write: (line: string) => {
            if (this.#log.length < LOG_LINES) this.#log.push(line.trimEnd());
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
      throw new TestError(`the topology did not start: ${errorText(error)}`);
    }
    const finished = this.#runner.finished();
    await this.#until(finished, deadline, 'its input has not ended');
    const inputMs = this.#lab.readMs;
    await this.#drain(inputMs + this.#test.runOnMs, deadline);
    const { state, problem, nodes } = this.#look();
    const hasBeen = new Set(this.#hasBeen);
    await this.#until(this.#runner.stop(), deadline, 'it does not stop');
    const start = this.#lab.start ?? 0;
    const truth = this.#truth();
    return {
      records: this.#records(),
      taken: new Map(this.#stand.watched.map(([id, mock]) => [id, mock.taken])),
      deadLetters: await this.#deadLetters(),
      outbox: await outboxesOf(this.#stand, this.#topology.id, this.#links),
      figures: new Map(nodes.map((node) => [node.id, figuresOf(node)])),
      state,
      problem,
      hasBeen,
      activities: new Map([...truth].map(([source, lines]) => [source, beginnings(lines, start)])),
      truth,
      start,
      inputMs,
      log: this.#log,
    };
  }

  // ------------------------------------------------------------------ running

  #look(): TopologyStatus {
    const status = this.#runner.status();
    this.#note(status);
    return status;
  }

  /** Looks closer only if the state has changed: every batch asks for it, and the figures of all nodes cost time. */
  #glance(): LifecycleState {
    if (this.#runner.state !== this.#state) this.#look();
    return this.#state;
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

  /** @throws TestError if it fails after each recovery */
  #checkRecovery(): void {
    const tooLong = this.#state === 'restarting' && performance.now() - this.#recoveringSince > RECOVERY_MS;
    if (!tooLong && this.#recoveries <= RECOVERIES) return;
    throw new TestError(
      `the topology fails after each recovery: ${this.#problem ?? 'for an unknown reason'}`,
    );
  }

  /** Waits for `work`, or for the topology's end; meanwhile the clock advances when the input does not move it. */
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
        throw new TestError(`${late} within the time limit of the test; the topology is ${this.#glance()}`);
      }
      await Promise.race([settled, sleep(LOOK_MS)]);
      this.#onRead(this.#lab.readMs);
      if (this.#glance() === 'failed') return;
      if (!this.#ending) this.#checkRecovery();
      this.#lab.goOn();
    }
    if (run.failure !== undefined) throw new TestError(errorText(run.failure));
  }

  /** Lets failing sinks retry until they have accepted or rejected everything, at most until `untilMs` of the clock. */
  async #drain(untilMs: number, deadline: number): Promise<void> {
    let timed = performance.now();
    while (performance.now() < deadline && !(await this.#drained())) {
      const { next } = this.#lab.clock;
      if (this.#glance() === 'failed' || (next ?? 0) > untilMs) return;
      if (next !== undefined) timed = performance.now();
      else if (performance.now() - timed > UNTIMED_MS) return;
      this.#lab.goOn();
      await sleep(LOOK_MS);
    }
  }

  async #drained(): Promise<boolean> {
    for (const [id, { faults, count }] of this.#stand.sinks) {
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
          at_ms: milliseconds(Date.parse(plain.time) - start / 1000),
          given_ms: milliseconds(givenMs),
        })),
      );
    return new Map(this.#stand.looked.map(([id, mock]) => [id, seen(mock)]));
  }

  async #deadLetters(): Promise<ReadonlyMap<string, readonly TestRecord[]>> {
    const letters = new Map<string, TestRecord[]>();
    for (const { node, stage, code, reason, record } of await this.#runner.deadLetters()) {
      const plain = plainLetter(record, this.#links);
      letters.set(node, [...(letters.get(node) ?? []), { stage, code, reason, record: plain }]);
    }
    return letters;
  }

  #truth(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const source of this.#test.input.keys()) {
      const file = this.#stand.truthFile(source);
      if (file !== null) found.set(source, readFileSync(file, 'utf8'));
    }
    return found;
  }
}
