import { randomUUID } from 'node:crypto';
import type { Context, LiveFeed, Output, Reader, Whereabouts } from '../component/index.js';
import type { CheckedTopology } from '../config/topology/topology.js';
import type { Data, LinkTable } from '../model/index.js';
import type { DeadLetter, LetterQuery } from '../state/index.js';
import { systemClock } from '../base/clock.js';
import { createLogger, type Log } from '../telemetry/log.js';
import { createMetrics, type Metrics, type TopologyFigures } from '../telemetry/metrics.js';
import type { Tracer } from '../telemetry/traces/index.js';
import { pause } from '../base/backoff.js';
import { PATIENCE, type Patience } from './nodes/host.js';
import { Configuration } from './configuration.js';
import { LatencyWindow } from './latency.js';
import type { LetterDesk } from './dead-letters/letter-desk.js';
import { letterDesk } from './dead-letters/state-letter-desk.js';
import { copyStopped } from './checkpoints/copies.js';
import { redact } from '../base/secrets.js';
import type { NodesOptions } from './nodes/nodes.js';
import { planChanges } from './plan.js';
import { liveNodes } from './nodes/live-nodes.js';
import { degradedBy, nodeStatus } from './node-status.js';
import { adjustablePart } from './take-over.js';
import { seededRandom } from '../base/random.js';
import { Recovery, type Recoverable } from './recovery.js';
import { SessionStart } from './session-start.js';
import type { Run } from './shard/run.js';
import { ShardGroup } from './scale-out/shard-group.js';
import { Shard, logFailedAtStop } from './shard/shard.js';
import type { LifecycleState, NodeStatus, Plan, RunningTopology, TopologyStatus } from './status.js';
import { Steps } from './steps.js';
import { errorText, codedError } from '../base/error-text.js';
import { StoppedStores } from './stopped-stores.js';

export interface RunnerOptions {
  /** Default: the system's. */
  readonly clock?: Context['clock'];
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** Receives the spans of sampled frames. Default: no tracing. */
  readonly tracer?: Tracer | null;
  /** Time limits; omitted ones have defaults. */
  readonly patience?: Partial<Patience>;
}

/** A {@link RunningTopology} with access to its dead letters. */
export interface Runner extends RunningTopology {
  /** Oldest first. Opens the state store if the topology is stopped. */
  deadLetters(query?: LetterQuery): Promise<readonly DeadLetter[]>;
}

/** Creates a topology that can be started. Opens nothing before `start`. */
export const createRunner = (topology: CheckedTopology, options: RunnerOptions = {}): Runner =>
  new TopologyRunner(topology, options);

const START_STEPS = ['hardware_initialization', 'model_loading', 'data_pipeline_start'];
const STOP_STEPS = ['data_pipeline_stop', 'model_unloading'];

class TopologyRunner implements Runner {
  readonly letters: LetterDesk = letterDesk(
    () => this.topology,
    () => this.#shard,
  );
  readonly #stopped = new StoppedStores(() => this.#nodesOptions());
  readonly #clock: Context['clock'];
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #tracer: Tracer | null;
  readonly #latency: LatencyWindow;
  readonly #listeners = new Set<(status: TopologyStatus) => void>();
  readonly #configuration: Configuration;
  readonly #recovery: Recovery;
  readonly #patience: Patience;
  readonly #steps = new Steps();
  #shard: Run | undefined;
  /** Becomes the shard once it has started. */
  #starting: Run | undefined;
  #state: LifecycleState = 'stopped';
  #problem: string | null = null;
  #sessionId = '';
  #startedAt: SessionStart | null = null;
  #recovering: Promise<void> = Promise.resolve();
  #launching: Promise<void> = Promise.resolve();
  /** The requested stop, while it is in progress. */
  #stopping: Promise<void> | null = null;
  /** Aborted by a forced stop. */
  #forced = new AbortController();
  /** Being stopped: its errors are logged, and start no recovery. */
  #ending: Run | undefined;
  #finished = deferred();

  constructor(topology: CheckedTopology, options: RunnerOptions) {
    this.#configuration = new Configuration(topology);
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? createLogger();
    this.#metrics = options.metrics ?? createMetrics();
    this.#tracer = options.tracer ?? null;
    this.#patience = { ...PATIENCE, ...options.patience };
    this.#latency = new LatencyWindow(() => this.#clock.elapsed());
    this.#metrics.topology(topology.id, () => this.#figures());
    const random = seededRandom(topology.settings.seed, `${topology.id}/recovery`);
    this.#recovery = new Recovery(this.#recoverable(), this.#clock, random);
  }

  get topology(): CheckedTopology {
    return this.#configuration.current;
  }

  get next(): CheckedTopology {
    return this.#configuration.waiting ?? this.topology;
  }

  get links(): LinkTable {
    return this.#configuration.links;
  }

  get readers(): ReadonlyMap<string, Reader> {
    return this.#shard?.readers ?? new Map<string, Reader>();
  }

  openReaders(): Promise<ReadonlyMap<string, Reader>> {
    return this.#isDown ? this.#stopped.readers() : Promise.resolve(this.readers);
  }

  get feeds(): ReadonlyMap<string, LiveFeed> {
    return this.#shard?.feeds ?? new Map<string, LiveFeed>();
  }

  get state(): LifecycleState {
    return this.#state === 'running' && degradedBy(this.#shard) !== null ? 'degraded' : this.#state;
  }

  status(): TopologyStatus {
    const degraded = this.#state === 'running' ? degradedBy(this.#shard) : null;
    const problem = degraded ?? this.#problem;
    return {
      id: this.topology.id,
      state: this.state,
      problem: problem === null ? null : redact(problem),
      sessionId: this.#sessionId,
      startedAt: this.#startedAt?.time ?? null,
      steps: this.#steps.list,
      nodes: this.#nodeStatuses(),
      checkpoint: this.#shard?.checkpoint ?? null,
      latencyMs: this.#latency.quantiles(),
    };
  }

  async start(): Promise<void> {
    this.#require(this.#isDown, 'it can only be started while it is stopped');
    this.#becomeNext();
    this.#beginSession();
    this.#recovery.reset();
    this.#finished = deferred();
    this.#begin('starting', START_STEPS);
    await this.#launch();
  }

  stop(options: { readonly force?: boolean; readonly saveState?: boolean } = {}): Promise<void> {
    if (this.#state === 'stopped') return this.#stopped.close();
    this.#stopping ??= this.#stop(options.saveState !== false && options.force !== true).finally(() => {
      this.#stopping = null;
      this.#forced = new AbortController();
    });
    if (options.force === true) this.#hurry();
    return this.#stopping;
  }

  async #stop(save: boolean): Promise<void> {
    this.#recovery.abort();
    this.#ending = this.#shard;
    this.#begin('stopping', STOP_STEPS);
    await this.#settledOrForced();
    await this.#end(save);
    this.#set('stopped', null);
  }

  #hurry(): void {
    this.#forced.abort();
    // The caller of stop() reports this error.
    this.#ending?.stop(false, true).catch(() => undefined);
  }

  /** Waits for a start or recovery in progress; if the stop is forced, a hanging one is abandoned. */
  async #settledOrForced(): Promise<void> {
    const settled = new AbortController();
    const overdue = new Promise<void>((resolve) => {
      this.#forced.signal.addEventListener('abort', () => {
        void pause(this.#patience.forcedStopMs, settled.signal, this.#clock).then(resolve);
      });
    });
    await Promise.race([this.#settled(), overdue]);
    settled.abort();
    this.#launching = this.#recovering = Promise.resolve();
  }

  async restart(): Promise<void> {
    if (this.#isDown) return this.start();
    this.#require(this.#state === 'running', 'it can only be restarted while it is running');
    this.#recovery.reset();
    this.#ending = this.#shard;
    this.#beginSession();
    this.#begin('restarting', [...STOP_STEPS, ...START_STEPS]);
    await this.#settled();
    await this.#end(true);
    // It may have been stopped in the meantime.
    if (this.#state !== 'restarting') return;
    this.#becomeNext();
    await this.#launch();
  }

  get #isDown(): boolean {
    return this.#state === 'stopped' || this.#state === 'failed';
  }

  #beginSession(): void {
    this.#sessionId = randomUUID();
    this.#startedAt = new SessionStart(this.#clock);
  }

  #require(fits: boolean, rule: string): void {
    if (!fits) throw codedError('lifecycle.conflict', `${this.topology.id} is ${this.#state}: ${rule}`);
  }

  adjust(next: CheckedTopology): void {
    this.#configuration.requireSame(next);
    if (this.#isDown) this.#become(next);
    else {
      this.#configuration.wait(next);
      this.#configuration.takeOver(this.#shard);
    }
    this.#changed();
  }

  plan(next: CheckedTopology): Plan {
    return planChanges(this.topology, next);
  }

  async apply(next: CheckedTopology, hash: string): Promise<void> {
    this.#configuration.requireSame(next);
    if (this.plan(next).hash !== hash) {
      throw Object.assign(
        new Error(
          `the plan ${hash} does not match the running topology and this file: something has changed since; plan again`,
        ),
        { code: 'plan.stale' },
      );
    }
    // Running nodes take over what they can: no record is lost, and state and stores stay.
    if (this.#state === 'running' && adjustablePart(this.topology, next).hash === next.hash) {
      this.adjust(next);
      return;
    }
    // A stop in progress takes precedence.
    const wasRunning = !this.#isDown && this.#state !== 'stopping';
    if (!this.#isDown) await this.stop();
    const before = this.topology;
    const { waiting } = this.#configuration;
    const { changes } = this.plan(next);
    this.#become(next);
    try {
      if (wasRunning) await this.start();
      for (const { node, change } of changes) if (change === 'removed') this.#metrics.remove(next.id, node);
    } catch (error) {
      this.#become(before);
      await this.start();
      this.#configuration.wait(waiting);
      throw Object.assign(
        new Error(`the new topology could not be started, the old one runs again: ${errorText(error)}`, {
          cause: error,
        }),
        { code: 'plan.start' },
      );
    }
  }

  #becomeNext(): void {
    const { waiting } = this.#configuration;
    if (waiting) this.#become(waiting);
  }

  #become(topology: CheckedTopology): void {
    this.#configuration.become(topology);
    // The previous run's stores are no longer read.
    void this.#stopped.close().catch(() => undefined);
  }

  finished(): Promise<void> {
    return this.#finished.promise;
  }

  async ask(id: string, data: Data): Promise<Output<Data>> {
    const node = this.topology.nodes.find((one) => one.id === id);
    const input = node?.inputs.find(({ ports }) => ports.includes(data.port));
    if (node?.component.kind !== 'operator' || node.component.asynchronous === undefined || !input)
      throw new Error(`${id} is not an operator that can process a ${data.port} record beside the stream`);
    const operator = this.#shard?.operator(id);
    if (!operator)
      throw new Error(`${id} is not running: the topology ${this.topology.id} is ${this.#state}`);
    return operator.process(data, input.from);
  }

  async whereIs(environment: string): Promise<Whereabouts> {
    return (await this.#shard?.whereIs?.(environment)) ?? { at: 'here' };
  }

  async copyTo(folder: string): Promise<void> {
    if (this.#shard) await this.#shard.copyTo(folder);
    else await this.#stopped.whileClosed(() => copyStopped(this.#nodesOptions(), folder));
  }

  onChange(listener: (status: TopologyStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async deadLetters(query: LetterQuery = {}): Promise<readonly DeadLetter[]> {
    return (await this.letters.list(query)).letters;
  }

  // ------------------------------------------------------------------ runs

  #nodesOptions(): NodesOptions & { readonly metrics: Metrics } {
    return {
      topology: this.topology,
      links: this.links,
      clock: this.#clock,
      log: this.#log,
      metrics: this.#metrics,
      tracer: this.#tracer,
    };
  }

  async #launch(): Promise<void> {
    const launching = this.#run();
    this.#launching = launching;
    try {
      await launching;
    } catch (error) {
      if (this.#launching === launching && this.#state !== 'stopping') this.#set('failed', errorText(error));
      throw error;
    }
  }

  /** Waits until no start or recovery is in progress. */
  async #settled(): Promise<void> {
    await this.#recovering;
    await Promise.allSettled([this.#launching]);
  }

  async #run(): Promise<void> {
    await this.#stopped.close();
    const Kind = this.topology.settings.scaleOut === true ? ShardGroup : Shard;
    // A failure before the run counts as running is reported by its start, or deferred until then.
    const early: (() => void)[] = [];
    const shard: Run = new Kind({
      ...this.#nodesOptions(),
      patience: this.#patience,
      onFailure: (error, final) => {
        const fail = () => {
          if (this.#ending === shard) this.#failedAtStop(error);
          else this.#failed(error, final);
        };
        if (this.#shard === shard) fail();
        else early.push(fail);
      },
      onStep: (step, progress) => {
        this.#steps.advance(step, progress);
        this.#changed();
      },
      onLatency: (milliseconds) => {
        this.#latency.add(milliseconds);
      },
      onChange: () => {
        this.#changed();
      },
    });
    this.#starting = shard;
    try {
      await shard.start();
    } finally {
      if (this.#starting === shard) this.#starting = undefined;
    }
    if (this.#ending === shard) throw new Error('it was stopped during its start');
    this.#shard = shard;
    void shard.finished.then(this.#finished.resolve);
    this.#recovery.began();
    if (this.#state !== 'stopping') this.#set('running', null);
    this.#configuration.takeOver(this.#shard);
    for (const fail of early) fail();
  }

  /** A stop that cannot finish counts as a failure: a topology in `stopping` forever could not be started again. */
  async #end(save: boolean): Promise<void> {
    const shard = this.#shard ?? this.#starting;
    if (!shard) return;
    this.#ending = shard;
    try {
      await shard.stop(save, this.#forced.signal.aborted);
    } catch (error) {
      this.#set('failed', `it could not be stopped cleanly: ${errorText(error)}`);
      throw error;
    } finally {
      if (this.#shard === shard) this.#shard = undefined;
      if (this.#starting === shard) this.#starting = undefined;
    }
  }

  /** A failed run is recovered, unless the failure is final. */
  #failed(error: Error, final: boolean): void {
    if (this.#state === 'stopping' || this.#state === 'stopped') {
      this.#failedAtStop(error);
      return;
    }
    this.#log.error('the topology failed', {
      topology: this.topology.id,
      error: error.message,
      recovers: !final,
    });
    this.#begin(final ? 'stopping' : 'restarting', final ? STOP_STEPS : START_STEPS, error.message);
    this.#recovering = (final ? this.#giveUp(error) : this.#recovery.recover()).catch((reason: unknown) => {
      this.#set('failed', errorText(reason));
    });
  }

  #failedAtStop(error: Error): void {
    logFailedAtStop(this.#log, this.topology.id, error);
  }

  async #giveUp(error: Error): Promise<void> {
    await this.#end(false);
    this.#set('failed', error.message);
  }

  #recoverable(): Recoverable {
    return {
      recovering: () => this.#state === 'restarting',
      end: () => this.#end(false),
      run: () => this.#run(),
      onFailure: (error, attempt) => {
        this.#problem = errorText(error);
        this.#log.error('the topology could not be recovered', {
          topology: this.topology.id,
          error: errorText(error),
          attempt,
        });
        this.#changed();
      },
    };
  }

  // ------------------------------------------------------------------ status

  #figures(): TopologyFigures {
    const checkpoint = this.#shard?.checkpoint;
    const age = checkpoint ? (this.#clock.now() - checkpoint.at) / 1e6 : null;
    const nodes = this.topology.nodes.map(({ id, component: { kind, name: type }, inputs }) => {
      return { id, kind, type, reads: inputs.map(({ from }) => from) };
    });
    return { state: this.state, checkpointAgeSeconds: age, nodes };
  }

  #nodeStatuses(): readonly NodeStatus[] {
    const [run, { id, nodes }] = [this.#shard, this.topology];
    const runs = run?.runs;
    const live = liveNodes(nodes, (source) => runs?.get(source)?.context.provenance.origin ?? 'live');
    return nodes.map((node) =>
      nodeStatus(node, run, this.#metrics.node(id, node.id), this.#state, live.has(node.id)),
    );
  }

  #begin(state: LifecycleState, steps: readonly string[], problem: string | null = null): void {
    this.#steps.begin(steps);
    this.#set(state, problem);
  }

  #set(state: LifecycleState, problem: string | null): void {
    this.#state = state;
    this.#problem = problem;
    if (state === 'failed') this.#steps.fail();
    // A failed topology had nothing left to stop.
    if (state === 'stopped') this.#steps.complete();
    this.#log.info(`the topology is ${state}`, {
      topology: this.topology.id,
      ...(problem === null ? {} : { problem }),
    });
    this.#changed();
  }

  #changed(): void {
    if (this.#listeners.size === 0) return;
    const status = this.status();
    for (const listener of this.#listeners) listener(status);
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
