import type { Environment, Window } from '../../../pipeline/model/index.js';
import { RoomBands } from '../windows/band.js';
import type { ServedModel } from './served-model.js';

/** The model for rooms at 5 or 6 GHz, until it is needed. */
export interface HighModel {
  /** SHA-256 of its memory network; null: it has none, or it cannot be read. */
  readonly memory: string | null;
  /**
   * Reads the model.
   * @throws InputError if it is damaged
   */
  readonly create: () => ServedModel;
  /** Starts it. */
  readonly start: (model: ServedModel) => Promise<void>;
  /** It cannot be read or started, so the usual model takes its place; null: it has started. */
  readonly failed: (error: unknown) => void;
}

/** Pause before a model that could not be started is tried again, milliseconds. */
const RETRY_MS = 30_000;

/**
 * The models of a node: the usual one and, with `weights: auto`, one for rooms at 5 or 6 GHz. That one is started by
 * the first window of such a room: most installations have none.
 */
export class ServedModels {
  readonly usual: ServedModel;
  readonly #high: HighModel | null;
  readonly #bands: RoomBands;
  #starting: Promise<ServedModel> | null = null;
  #opening: ServedModel | null = null;
  #started: ServedModel | null = null;
  /** Monotonic milliseconds: when it can be tried again. */
  #retryAt = 0;
  #isEnded = false;

  /** @param high null: the usual model computes everything */
  constructor(usual: ServedModel, high: HighModel | null, environments: readonly Environment[]) {
    this.usual = usual;
    this.#high = high;
    this.#bands = new RoomBands(environments);
  }

  /** Those that compute. */
  get serving(): readonly ServedModel[] {
    return this.#started ? [this.usual, this.#started] : [this.usual];
  }

  /** SHA-256 of the memory networks of all, started or not. */
  get memories(): readonly string[] {
    return [this.usual.manifest.memory?.sha256, this.#high?.memory].filter((sha) => typeof sha === 'string');
  }

  /** The problem of a backend; null: all work. */
  get problem(): string | null {
    return this.serving.find(({ problem }) => problem !== null)?.problem ?? null;
  }

  /** The model for a window. Waits only while it is started. */
  of(window: Window): ServedModel | Promise<ServedModel> {
    if (!this.#high) return this.usual;
    this.#bands.hear(window);
    return this.#bands.isHigh(window.environment) ? this.#highModel() : this.usual;
  }

  /** The model whose results a room has now. */
  now(environment: string): ServedModel {
    return (this.#bands.isHigh(environment) ? this.#started : null) ?? this.usual;
  }

  /** A room of a checkpoint, and the memory network that wrote its memory: starts the model that it needs. */
  restore(environment: string, memory: string): void {
    if (memory !== this.#high?.memory) return;
    this.#bands.restore(environment);
    void this.#highModel();
  }

  setTimeout(ms: number): void {
    for (const { inference } of this.#loaded) inference.setTimeout(ms);
  }

  /** Rejects unfinished windows. */
  async close(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#loaded.map(({ inference }) => inference.close()));
    await this.#starting;
  }

  /** Ends them once their windows have their results, also those that wait for a model which is being started. */
  async retire(): Promise<void> {
    await this.#starting;
    this.#isEnded = true;
    await Promise.all(this.serving.map((model) => model.retire()));
  }

  /** Those that compute, and the one that is being started. */
  get #loaded(): readonly ServedModel[] {
    return this.#opening ? [...this.serving, this.#opening] : this.serving;
  }

  #highModel(): ServedModel | Promise<ServedModel> {
    if (this.#started) return this.#started;
    if (!this.#high || this.#isEnded || performance.now() < this.#retryAt) return this.usual;
    return (this.#starting ??= this.#start(this.#high).finally(() => (this.#starting = null)));
  }

  async #start({ create, start, failed }: HighModel): Promise<ServedModel> {
    try {
      this.#opening = create();
      await start(this.#opening);
      this.#started = this.#opening;
      failed(null);
      return this.#started;
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      if (!this.#isEnded) failed(error);
      return this.usual;
    } finally {
      this.#opening = null;
    }
  }
}
