import type { Context } from '../../component/index.js';
import type { Gate } from '../nodes/gate.js';
import type { NodeRun } from '../nodes/host.js';
import type { SourceStage } from './source-stage.js';

/** The barriers of checkpoints, for the pump. */
export interface PumpBarriers {
  /** A barrier is due, and none is in progress. */
  readonly due: boolean;
  inject(): void;
  /** A checkpoint is wanted as soon as possible. */
  ask(): void;
}

/** The pump yields to the event loop after this time. */
const SLICE_MS = 5;
/** The pump reads input for at most this long before it continues. */
const READING_MS = 50;

/**
 * Takes batches from the sources one by one and pushes them through the chain while the gate is open; injects
 * barriers between batches.
 */
export class Pump {
  readonly #sources: readonly SourceStage[];
  readonly #runs: ReadonlyMap<string, NodeRun>;
  readonly #gate: Gate;
  readonly #clock: Context['clock'];
  readonly #barriers: PumpBarriers;
  readonly #jumped: () => void;
  #wake: (() => void) | undefined;
  #ends = false;
  #turn = 0;
  #lastYield = 0;

  constructor(
    sources: readonly SourceStage[],
    runs: ReadonlyMap<string, NodeRun>,
    barriers: PumpBarriers,
    gate: Gate,
    clock: Context['clock'],
    jumped: () => void,
  ) {
    this.#jumped = jumped;
    this.#sources = sources;
    this.#runs = runs;
    this.#barriers = barriers;
    this.#gate = gate;
    this.#clock = clock;
  }

  /** Resolves after `end`. */
  async run(): Promise<void> {
    while (!this.#ends) {
      if (this.#barriers.due) {
        this.#barriers.inject();
        // A node that fails on it ends the pump: a batch after that would belong to no checkpoint.
        continue;
      }
      const jump = this.#gate.open ? this.#jump() : null;
      if (jump !== null) {
        for (const one of this.#sources) one.reanchor(jump);
        this.#jumped();
      }
      const source = this.#gate.open ? this.#next() : undefined;
      if (source) {
        source.pump();
        if (source.ended && this.#sources.every(({ ended }) => ended)) this.#barriers.ask();
      } else await this.#idle();
      if (this.#clock.elapsed() - this.#lastYield >= SLICE_MS) await this.#giveWay();
    }
  }

  /** There may be something to do. */
  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  end(): void {
    this.#ends = true;
    this.wake();
  }

  /** Yields to the event loop: one turn, or more while sources have more to read. */
  async #giveWay(): Promise<void> {
    const began = this.#clock.elapsed();
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#unread() && this.#clock.elapsed() - began < READING_MS);
    this.#lastYield = this.#clock.elapsed();
  }

  #unread(): boolean {
    return this.#sources.filter((source) => source.takeUnread()).length > 0;
  }

  /** The event time jump that is due now: all live sources have reached the mark. */
  #jump(): number | null {
    const first = this.#sources.find(({ anchor }) => anchor !== null);
    if (!first) return null;
    const live = this.#sources.filter(({ followsClock, ended }) => followsClock && !ended);
    return live.every(({ anchor }) => anchor !== null) ? first.anchor!.by : null;
  }

  /**
   * Sources take turns. While a node holds many records of one, the source that is furthest behind goes
   * first, or is waited for.
   */
  #next(): SourceStage | undefined {
    const count = this.#sources.length;
    const jumps = this.#sources.some(({ anchor }) => anchor !== null);
    if (count > 1 && !jumps && this.#crowded()) {
      const open = this.#sources.filter(({ ended }) => !ended);
      const last = open.reduce<SourceStage | undefined>(
        (a, b) => (a && a.run.watermark <= b.run.watermark ? a : b),
        undefined,
      );
      return last?.waiting ? last : undefined;
    }
    for (let step = 0; step < count; step++) {
      const source = this.#sources[(this.#turn + step) % count]!;
      if (!source.waiting || source.anchor !== null) continue;
      this.#turn = (this.#turn + step + 1) % count;
      return source;
    }
    return undefined;
  }

  #crowded(): boolean {
    for (const run of this.#runs.values()) if (run.crowded) return true;
    return false;
  }

  /** A node that fails on a barrier ends the pump before it is idle. */
  async #idle(): Promise<void> {
    if (this.#ends) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
