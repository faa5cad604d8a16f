import { loadBackend, type BackendName, type LoadedBackend } from './backends.js';
import { estimate } from './estimate.js';
import type { Sight } from './sight.js';
import { read } from './reading.js';
import type { Reading } from './memory-layers.js';
import { GROUPS, POINTS } from './features.js';
import { Network, weightTensors } from './network.js';
import { featuresOf, type Request, type RequestLink } from './request.js';
import { readMemory, readModel } from './weights.js';

/** The result for one window. */
export interface Answered extends Sight {
  /** For the memory network; null if the model has none. */
  readonly reading: Reading | null;
}

/** A network on a backend, ready to run. It computes in the calling thread. */
export class Engine {
  readonly backend: LoadedBackend;
  readonly #network: Network;
  readonly #memory: Float32Array | null;

  private constructor(backend: LoadedBackend, network: Network, memory: Float32Array | null) {
    this.backend = backend;
    this.#network = network;
    this.#memory = memory;
  }

  /**
   * @param options.sha256 of the required weights; default: any
   * @param options.memory the same for the memory network
   * @throws Error if the weights or the backend are missing; the message says how to fix it.
   */
  static async load(options: {
    readonly weights: string;
    readonly sha256?: string;
    readonly memory?: string | null;
    readonly backend: BackendName | 'auto';
  }): Promise<Engine> {
    const { weights, manifest } = readModel(options.weights, options.sha256);
    const memory = readMemory(options.weights, manifest, options.memory);
    const backend = await loadBackend(options.backend);
    return new Engine(backend, new Network(weightTensors(weights)), memory);
  }

  /** Runs once for each number of links, so that the first real window does not wait for kernel compilation. */
  warmUp(linkCounts: Iterable<number>): void {
    for (const links of new Set(linkCounts)) {
      if (links > 0) this.infer([blankRequest(links)]);
    }
  }

  /** One result per request, in order. Requests with the same number of links are computed together. */
  infer(requests: readonly Request[]): Answered[] {
    const results = new Array<Answered>(requests.length);
    for (const indices of byNumberOfLinks(requests)) {
      const group = indices.map((index) => requests[index]!);
      estimate(this.#network, group, featuresOf(group)).forEach(({ shown, ...sight }, i) => {
        results[indices[i]!] = { ...sight, reading: this.#memory && read(this.#memory, shown) };
      });
    }
    return results;
  }
}

/** Indices of the requests, grouped by number of links. */
function byNumberOfLinks(requests: readonly Request[]): Iterable<readonly number[]> {
  const groups = new Map<number, number[]>();
  requests.forEach(({ links }, index) => {
    const group = groups.get(links.length);
    if (group) group.push(index);
    else groups.set(links.length, [index]);
  });
  return groups.values();
}

function blankRequest(links: number): Request {
  const subcarriers = Int16Array.from({ length: GROUPS }, (_, k) => 4 * k - 24);
  const link: RequestLink = {
    transmitter: { x: 0, y: 0, z: 1 },
    receiver: { x: 3, y: 3, z: 1 },
    layout: { layout: 'lltf', rx: 1, tx: 1, subcarriers, centreMhz: 2437 },
    values: new Float32Array(POINTS * GROUPS * 2).fill(1),
    facts: { profile: null, gapShare: 0, frameRate: 1, centreMhz: 2437 },
  };
  return { size: { x: 4, y: 4 }, links: Array.from({ length: links }, () => link) };
}
