import type { Environment } from '../../../pipeline/model/index.js';
import { Inference, type InferenceEvents, type InferenceOptions } from './inference.js';
import { memoryNetwork } from '../networks/memory-layers.js';
import { Memory } from '../memory/memory.js';
import { modelFolder, readManifest, readMemory, type Manifest } from '../model/weights.js';

/** A model in use: both of its networks, and the threads that compute the first. */
export class ServedModel {
  readonly manifest: Manifest;
  /** Null if the model has none. */
  readonly memory: Memory | null;
  readonly inference: Inference;
  /** Problem of its backend; null: none. */
  problem: string | null = null;
  /** Windows in progress. */
  readonly #pending = new Set<Promise<unknown>>();

  /**
   * Reads the model; `inference.open` starts it.
   * @param options.weights the name of a shipped model, or a path, which starts in `folder` if it is relative
   * @throws InputError if there is no such model, or it is damaged
   */
  constructor(
    { weights, ...options }: Omit<InferenceOptions, 'sha256' | 'memory' | 'links'>,
    environments: readonly Environment[],
    { folder, mostLinks }: { readonly folder: string; readonly mostLinks: number },
    events: InferenceEvents,
  ) {
    const path = modelFolder(weights, folder);
    this.manifest = readManifest(path);
    const memory = readMemory(path, this.manifest);
    this.memory = memory && new Memory(memoryNetwork(memory));
    const { sha256, memory: remembers } = this.manifest;
    this.inference = new Inference(
      {
        ...options,
        ...{ weights: path, sha256, memory: remembers?.sha256 ?? null },
        links: environments.map((environment) => Math.min(mostLinks, environment.links.length)),
      },
      events,
    );
  }

  /** Follows a window until it has its result: {@link retire} waits for it. */
  follow<T>(window: Promise<T>): Promise<T> {
    this.#pending.add(window);
    const forget = () => this.#pending.delete(window);
    window.then(forget, forget);
    return window;
  }

  /** Ends it once its windows have their results. */
  async retire(): Promise<void> {
    await Promise.allSettled([...this.#pending]);
    await this.inference.close();
  }
}
