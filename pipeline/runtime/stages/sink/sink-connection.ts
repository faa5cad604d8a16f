import { isAway, recoveryOf, type AnySink, type Sink, type State } from '../../../component/index.js';
import { backoff, pause } from '../../../base/backoff.js';
import type { Host, NodeRun } from '../../nodes/host.js';
import { errorText } from '../../../base/error-text.js';
import { settles } from '../../../base/waiting.js';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;

/** A sink's part of a checkpoint. */
export interface SinkSnapshot {
  /** It has been open with this configuration, so an error on opening is not a configuration mistake. */
  readonly opened: boolean;
  /** Rows of later epochs are deleted when it opens; null if that is done. */
  readonly rewindTo: number | null;
  /** The sink's own mark of its store. */
  readonly mark?: State;
  /** Records waiting for their turn, if the sink requires order. */
  readonly held?: unknown;
}

/** Error codes of a damaged store, and of a damaged file that a sink stores beside the state. */
const DAMAGED: ReadonlySet<unknown> = new Set(['store.damaged', 'state.corrupt']);

const isDamaged = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DAMAGED.has(error.code);

export interface SinkConnectionOptions {
  readonly run: NodeRun;
  readonly host: Host;
  /** The current instance. */
  readonly sink: Sink;
  /** Creates a replacement. */
  readonly renew: () => Sink;
  /** Epoch of the checkpoint that this run resumes from. */
  readonly committed: number;
  readonly snapshot: SinkSnapshot | undefined;
  readonly onOpen: (sink: Sink) => void;
}

/**
 * Keeps a sink's store open. It retries an offline store with growing pauses, each time with a new instance,
 * so that nothing of a broken one remains; a store that rewinds does so before it counts as open.
 */
export class SinkConnection {
  readonly #options: SinkConnectionOptions;
  readonly #ended = new AbortController();
  #sink: Sink;
  #isOpen = false;
  #known: boolean;
  #rewindTo: number | null;
  #mark: State;
  #opened: () => void = () => undefined;
  #trying: Promise<void> = Promise.resolve();

  constructor(options: SinkConnectionOptions) {
    const { run, sink, committed, snapshot } = options;
    this.#options = options;
    this.#sink = sink;
    this.#known = snapshot?.opened ?? false;
    this.#mark = snapshot?.mark;
    const rewinds = recoveryOf(run.node.component as AnySink, run.node.config) === 'rewind';
    this.#rewindTo = rewinds ? (snapshot?.rewindTo ?? committed) : null;
  }

  /** The open sink; undefined while its store is offline. */
  get sink(): Sink | undefined {
    return this.#isOpen ? this.#sink : undefined;
  }

  /** Clients listen to it live. */
  get feeds(): boolean {
    return this.#sink.feed !== undefined;
  }

  /** For a checkpoint, after a flush. */
  snapshot(): SinkSnapshot {
    if (this.#isOpen) this.#mark = this.#sink.mark?.();
    const mark = this.#mark;
    return { opened: this.#known, rewindTo: this.#rewindTo, ...(mark !== undefined && { mark }) };
  }

  /** Called each time that it opens, after `open` has returned. */
  onOpen(listener: () => void): void {
    this.#opened = listener;
  }

  /** Resolves when the store is open, or offline and being retried. Rejects if its configuration is wrong. */
  async open(): Promise<void> {
    const { run, host } = this.#options;
    const opening = this.#open();
    try {
      if (await settles(opening, host.patience.openMs)) return;
      this.#away(`it has not answered for ${host.patience.openMs} ms`);
      this.#trying = this.#retry(opening);
    } catch (error) {
      // A retry cannot repair damage, and a run without the store would hide it.
      if (isDamaged(error) || (!this.#known && !isAway(error))) throw error;
      this.#away(errorText(error));
      this.#trying = this.#retry(undefined);
    }
    run.context.log.warn('running without an offline store', { problem: run.problem });
  }

  /** Abandons the instance and opens another one, which deletes rows of epochs later than `rewindTo`. */
  again(rewindTo: number, reason: string): void {
    if (this.#hasEnded() || !this.#isOpen) return;
    this.#isOpen = false;
    this.#rewindTo = rewindTo;
    this.#away(reason);
    this.#trying = this.#retry(undefined);
  }

  /** Stops retrying. The owner of the instance closes it. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#trying;
  }

  async #open(): Promise<void> {
    const sink = this.#sink;
    try {
      await sink.open();
      if (this.#rewindTo !== null) await this.#rewind(sink, this.#rewindTo);
    } finally {
      // No other caller closes it, or it was closed before it was open.
      if (this.#isAbandoned(sink)) await this.#close(sink);
    }
    if (this.#isAbandoned(sink)) return;
    this.#rewindTo = null;
    this.#isOpen = true;
    this.#known = true;
    this.#options.run.problem = null;
    this.#options.onOpen(sink);
    this.#opened();
  }

  async #rewind(sink: Sink, epoch: number): Promise<void> {
    if (!sink.rewind)
      throw new Error(`its recovery is rewind, but ${this.#options.run.node.component.name} has no rewind`);
    await sink.rewind(epoch, this.#mark);
  }

  #isAbandoned(sink: Sink): boolean {
    return sink !== this.#sink || this.#hasEnded();
  }

  /** @param opening a first attempt in progress */
  async #retry(opening: Promise<void> | undefined): Promise<void> {
    const { run, host, renew } = this.#options;
    const { signal } = this.#ended;
    let trying = opening;
    for (let attempt = 1; !this.#hasEnded(); attempt++) {
      if (trying) {
        try {
          if (await settles(trying, host.patience.writeMs, signal)) return;
          if (this.#hasEnded()) return;
          this.#away(`it has not answered for ${host.patience.writeMs} ms`);
        } catch (error) {
          this.#away(errorText(error));
          run.context.log.warn('a store cannot be opened', { attempt, error: errorText(error) });
        }
      }
      await pause(backoff(attempt, FIRST_RETRY_MS, MAX_RETRY_MS, run.context.random), signal, host.clock);
      if (this.#hasEnded()) return;
      await settles(this.#close(this.#sink), host.patience.stopMs, signal);
      if (this.#hasEnded()) return;
      this.#sink = renew();
      trying = this.#open();
    }
  }

  #hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  #away(reason: string): void {
    this.#options.run.problem = `its store is offline: ${reason}`;
    this.#options.run.meter.count('store_errors_total', 1);
  }

  async #close(sink: Sink): Promise<void> {
    try {
      await sink.close();
    } catch (error) {
      this.#options.run.context.log.warn('an abandoned instance did not close', {
        error: errorText(error),
      });
    }
  }
}
