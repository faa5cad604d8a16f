import type { Context, Position, State } from '../../component/index.js';
import type { CheckedNode } from '../../config/topology/topology.js';
import { encodeNode, type ShardState } from '../../state/index.js';
import type { NodeRun, Patience } from '../nodes/host.js';
import { killAt } from '../../base/kill.js';
import type { SourceSnapshot, SourceStage } from '../stages/source-stage.js';
import { errorText } from '../../base/error-text.js';

/** The last checkpoint, as a status shows it. */
export interface CheckpointFigures {
  readonly epoch: number;
  readonly at: number;
  readonly pauseMs: number;
}

export interface BarriersOptions {
  readonly runs: ReadonlyMap<string, NodeRun>;
  readonly sources: readonly SourceStage[];
  readonly state: ShardState;
  /** The epoch of the checkpoint that this run resumes from. */
  readonly committed: number;
  readonly clock: Context['clock'];
  readonly patience: Patience;
  /** Called when a barrier is injected; its result is written with the barrier's checkpoint. */
  readonly onInject: () => () => void;
  /** Called when a checkpoint is due or was written. */
  readonly wake: () => void;
  /** Called with a problem, and with null when it is over. */
  readonly onChange: () => void;
  readonly onCheckpoint: (figures: CheckpointFigures, seconds: number) => void;
  /** The checkpoint after all input was written. */
  readonly onEnd: () => void;
  readonly onFailure: (error: Error) => void;
}

interface Barrier {
  readonly epoch: number;
  readonly started: number;
  /** All input has ended before it. */
  readonly last: boolean;
  /** The pump's longest pause, milliseconds. */
  pause: number;
  readonly states: Map<string, State>;
  /** Written with the checkpoint. */
  readonly commits: (() => void)[];
  /** Called when it is safe. */
  readonly committed: (() => void)[];
}

/** One barrier at a time passes through all nodes; after the last one the checkpoint is written. */
export class Barriers {
  checkpoint: CheckpointFigures | null = null;
  /** Why checkpoints fail. */
  problem: string | null = null;
  readonly #options: BarriersOptions;
  #epoch: number;
  #barrier: Barrier | null = null;
  #asked = false;
  #complete = false;
  #isAbandoned = false;

  constructor(options: BarriersOptions) {
    this.#options = options;
    this.#epoch = options.committed + 1;
  }

  /** A barrier is due, and none is in progress. */
  get due(): boolean {
    return this.#asked && this.#barrier === null;
  }

  get underWay(): boolean {
    return this.#barrier !== null;
  }

  /** The epoch of a node, which depends on whether it has passed the current barrier. */
  epochOf(run: NodeRun): number {
    return this.#barrier?.states.has(run.id) ? this.#epoch + 1 : this.#epoch;
  }

  ask(): void {
    this.#asked = true;
  }

  /** No further checkpoint is begun, not even one that all nodes have passed: the store of this run is about to close. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Called every checkpoint interval. */
  tick(): void {
    const { clock, patience, runs, onChange, wake } = this.#options;
    const barrier = this.#barrier;
    if (barrier && clock.elapsed() - barrier.started > patience.barrierMs) {
      const missing = [...runs.keys()].filter((id) => !barrier.states.has(id));
      // All nodes have passed: the disk, or the broker of a scaled-out topology, has not stored it yet.
      const waitsFor = missing.length > 0 ? missing.join(', ') : 'the state to be stored';
      const seconds = Math.round((clock.elapsed() - barrier.started) / 1000);
      this.problem = `a checkpoint has been waiting for ${waitsFor} for ${seconds} s`;
      onChange();
    }
    if (this.#complete || this.#options.sources.some(({ isUnsure }) => isUnsure)) return;
    this.ask();
    wake();
  }

  /** Between two batches, into all sources, including idle and ended ones. */
  inject(): void {
    const { clock, sources, onInject } = this.#options;
    this.#asked = false;
    const last = sources.every(({ ended }) => ended);
    const started = clock.elapsed();
    const empty = { pause: 0, states: new Map<string, State>(), commits: [onInject()], committed: [] };
    const barrier: Barrier = { epoch: this.#epoch, started, last, ...empty };
    this.#barrier = barrier;
    for (const source of sources) source.barrier(barrier.epoch);
    barrier.pause = clock.elapsed() - started;
  }

  passed(run: NodeRun, epoch: number, state: State, commit?: () => void, committed?: () => void): void {
    const barrier = this.#barrier;
    if (barrier?.epoch !== epoch) return;
    barrier.states.set(run.id, state);
    if (commit) barrier.commits.push(commit);
    if (committed) barrier.committed.push(committed);
    if (barrier.states.size < this.#options.runs.size) return;
    this.#commit(barrier).catch((error: unknown) => {
      if (this.#isAbandoned) return;
      this.#options.onFailure(
        new Error(`the checkpoint could not be written: ${errorText(error)}`, { cause: error }),
      );
    });
  }

  async #commit(barrier: Barrier): Promise<void> {
    const { clock, state, onChange, onCheckpoint, onEnd, wake } = this.#options;
    const { epoch } = barrier;
    const nodes = await this.#encode(barrier);
    if (this.#isAbandoned) return;
    const at = clock.now();
    const began = clock.elapsed();
    const written = state.commit({ epoch, at, nodes, positions: this.#positions(barrier) }, barrier.commits);
    barrier.pause = Math.max(barrier.pause, clock.elapsed() - began);
    killAt('mid_checkpoint');
    await written;
    this.#epoch = epoch + 1;
    this.#barrier = null;
    for (const tell of barrier.committed) tell();
    this.checkpoint = { epoch, at, pauseMs: barrier.pause };
    onCheckpoint(this.checkpoint, (clock.elapsed() - barrier.started) / 1000);
    if (this.problem !== null) {
      this.problem = null;
      onChange();
    }
    if (barrier.last) {
      this.#complete = true;
      onEnd();
    }
    wake();
  }

  #positions({ states }: Barrier): ReadonlyMap<string, Position> {
    return new Map(
      this.#options.sources.map(({ run: { id } }) => [id, (states.get(id) as SourceSnapshot).position]),
    );
  }

  /** Node by node, so that the pump never pauses for all of them. */
  async #encode(barrier: Barrier): Promise<ReadonlyMap<string, Buffer>> {
    const { runs, clock } = this.#options;
    const nodes = new Map<string, Buffer>();
    for (const [id, state] of barrier.states) {
      if (state === undefined) continue;
      const { node } = runs.get(id)!;
      const began = clock.elapsed();
      nodes.set(id, encodeNode({ hash: stateHash(node), stateVersion: stateVersion(node), state }));
      barrier.pause = Math.max(barrier.pause, clock.elapsed() - began);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return nodes;
  }
}

export const stateHash = ({ stateHash, hash }: CheckedNode): string => stateHash ?? hash;

export const stateVersion = ({ component }: CheckedNode): number =>
  component.kind === 'operator' ? (component.stateVersion ?? 1) : 1;
