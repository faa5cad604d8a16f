import type { Logger } from '../../component/index.js';
import type { Anchor } from '../../state/index.js';
import type { ArrivalClock } from './arrival-clock.js';
import type { SourceStage } from '../stages/source-stage.js';

export interface ClockJumpsOptions {
  readonly arrival: ArrivalClock;
  readonly sources: readonly SourceStage[];
  readonly log: Logger;
  /** Requests a checkpoint. */
  readonly secure: () => void;
  /** The epoch of a source's records at the moment. */
  readonly epochOf: (source: SourceStage) => number;
  readonly onChange: () => void;
}

/**
 * Re-anchors event time when the system's clock was set. All live sources and their journals get a mark; when
 * every source has reached its mark, event time jumps in all together. The sources are degraded until a
 * checkpoint includes the jump.
 */
export class ClockJumps {
  readonly #options: ClockJumpsOptions;
  readonly #live: readonly SourceStage[];
  #lastId = 0;
  /** Epoch whose checkpoint includes all jumps so far; null if none is in progress. */
  #until: number | null = null;

  constructor(options: ClockJumpsOptions) {
    this.#options = options;
    this.#live = options.sources.filter(({ followsClock }) => followsClock);
  }

  /** Call before the sources are opened: no arrival time is before one that an earlier run has used. */
  begin(): void {
    this.#completeMarks();
    const { arrival } = this.#options;
    arrival.continueAfter(Math.max(-Infinity, ...this.#live.map(({ newestTime }) => newestTime)));
    this.check();
  }

  /** Call it a few times per second. */
  check(): void {
    if (this.#live.length === 0) return;
    const { arrival, log, onChange } = this.#options;
    const by = arrival.follow();
    if (by === 0) return;
    for (const source of this.#live) source.beforeJump(by);
    arrival.jump(by);
    const seconds = by / 1e6;
    const text = `the system's clock was set ${seconds < 0 ? 'back' : 'forward'} by ${Math.abs(seconds).toFixed(1)} s: event time follows it`;
    const anchor = { id: ++this.#lastId, by, at: arrival.now() };
    for (const source of this.#live) {
      source.mark(anchor);
      source.run.problems.set('clock', text);
      source.run.meter.count('clock_jumps_total', 1);
    }
    this.#until = Infinity;
    log.warn(text, { seconds });
    onChange();
  }

  /** Event time has jumped in all sources. */
  jumped(): void {
    if (!this.#live.every(({ anchor }) => anchor === null)) return;
    const { epochOf, secure } = this.#options;
    this.#until = Math.max(...this.#live.map(epochOf));
    secure();
  }

  /** @param epoch of a safe checkpoint */
  committed(epoch: number): void {
    if (this.#until === null || epoch < this.#until) return;
    this.#until = null;
    for (const { run } of this.#live) run.problems.set('clock', null);
    this.#options.log.info('event time follows the corrected clock');
    this.#options.onChange();
  }

  /** The process may have been killed between two journals: each source gets the marks of the others. */
  #completeMarks(): void {
    const pending = this.#live.map((source) => source.pendingAnchors());
    const all = new Map<number, Anchor>(pending.flat().map((anchor) => [anchor.id, anchor]));
    for (const id of all.keys()) this.#lastId = Math.max(this.#lastId, id);
    this.#live.forEach((source, index) => {
      const own = new Set(pending[index]!.map(({ id }) => id));
      for (const anchor of all.values()) if (!own.has(anchor.id)) source.mark(anchor);
    });
  }
}
