import { loadBackend, type BackendName, type LoadedBackend } from '../backends/backends.js';
import { estimate, estimateBy } from '../sights/estimate.js';
import { GROUPS, POINTS } from '../inputs/grid.js';
import { memoryNetwork, type MemoryNetwork, type Reading } from '../networks/memory-layers.js';
import { FusedNetwork } from '../networks/fused-network.js';
import { Network, weightTensors } from '../networks/network.js';
import { PaddedParts } from '../backends/padded-parts.js';
import { AwaitedTensorParts, type Parts } from '../networks/parts.js';
import { read } from '../sights/reading.js';
import { RemoteParts, type RemoteOptions } from '../backends/remote-parts.js';
import { featuresOf, type Request, type RequestLink } from '../windows/request.js';
import type { Seen, Sight } from '../sights/sight.js';
import { readMemory, readModel } from '../model/weights.js';

/** The result for one window. */
export interface Answered extends Sight {
  /** For the memory network; null if the model has none. */
  readonly reading: Reading | null;
}

export interface EngineOptions {
  readonly weights: string;
  /** SHA-256 of the required weights; default: any. */
  readonly sha256?: string;
  /** The same for the memory network. */
  readonly memory?: string | null;
  readonly backend: BackendName | 'auto' | 'remote';
  /** The server of the backend `remote`. */
  readonly server?: Omit<RemoteOptions, 'sha256'> | undefined;
}

/** What computes the pose network. */
interface Computer {
  readonly backend: LoadedBackend;
  /** Windows with the same number of links. */
  compute(requests: readonly Request[]): Promise<Seen[]>;
  /** @param most windows of a batch */
  warmUp(links: number, most: number): Promise<void>;
}

/** A network on a backend, ready to run. It computes in the calling thread, or on a server. */
export class Engine {
  readonly backend: LoadedBackend;
  readonly #computer: Computer;
  readonly #memory: MemoryNetwork | null;

  private constructor(computer: Computer, memory: MemoryNetwork | null) {
    this.backend = computer.backend;
    this.#computer = computer;
    this.#memory = memory;
  }

  /** @throws Error if the weights, the backend or the server are missing; the message says how to fix it. */
  static async load(options: EngineOptions): Promise<Engine> {
    const { weights, manifest } = readModel(options.weights, options.sha256);
    const remembers = readMemory(options.weights, manifest, options.memory);
    const memory = remembers && memoryNetwork(remembers);
    const { backend, server } = options;
    if (backend !== 'remote') return new Engine(await localComputer(weights, backend), memory);
    if (!server) throw new Error('The backend remote requires `url`, the address of the server.');
    return new Engine(await remoteComputer({ ...server, sha256: manifest.sha256 }), memory);
  }

  /**
   * Runs once for each number of links, and on a GPU once for each size of a batch, so that the first real
   * windows do not wait for the compilation of kernels.
   * @param most windows of a batch
   */
  async warmUp(linkCounts: Iterable<number>, most = 1): Promise<void> {
    for (const links of new Set(linkCounts)) {
      if (links > 0) await this.#computer.warmUp(links, most);
    }
  }

  /** One result per request, in order. Requests with the same number of links are computed together. */
  async infer(requests: readonly Request[]): Promise<Answered[]> {
    const results = new Array<Answered>(requests.length);
    for (const indices of byNumberOfLinks(requests)) {
      const seen = await this.#computer.compute(indices.map((index) => requests[index]!));
      seen.forEach(({ shown, ...sight }, i) => {
        results[indices[i]!] = { ...sight, reading: this.#memory && read(this.#memory, shown) };
      });
    }
    return results;
  }
}

async function localComputer(weights: Float32Array, wanted: BackendName | 'auto'): Promise<Computer> {
  const backend = await loadBackend(wanted);
  const network = new (backend.name === 'wasm' ? FusedNetwork : Network)(weightTensors(weights));
  const isCpu = backend.name === 'wasm' || backend.device === 'CPU';
  if (!isCpu) return paddedComputer(backend, new PaddedParts(new AwaitedTensorParts(network)));
  const compute = async (requests: readonly Request[]) => estimate(network, requests, featuresOf(requests));
  const warmUp = async (links: number) => {
    await compute([blankRequest(links)]);
  };
  return { backend, compute, warmUp };
}

const computing = (parts: Parts) => (requests: readonly Request[]) =>
  estimateBy(parts, requests, featuresOf(requests));

const paddedComputer = (backend: LoadedBackend, parts: PaddedParts): Computer => ({
  backend,
  compute: computing(parts),
  warmUp: (links, most) => parts.warmUp(links, most),
});

async function remoteComputer(options: RemoteOptions): Promise<Computer> {
  const parts = await RemoteParts.open(options);
  const compute = computing(parts);
  // Also finds out whether the server really has this network.
  await compute([blankRequest(1)]);
  const backend = {
    name: 'remote',
    device: options.url,
    version: parts.version,
    reason: 'configured',
  } as const;
  const warmUp = async (links: number) => {
    await compute([blankRequest(links)]);
  };
  return { backend, compute, warmUp };
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

/** A window of a room in which nothing moves. */
export function blankRequest(links: number): Request {
  const subcarriers = Int16Array.from({ length: GROUPS }, (_, k) => 4 * k - 24);
  const link: RequestLink = {
    transmitter: { x: 0, y: 0, z: 1 },
    receiver: { x: 3, y: 3, z: 1 },
    layout: { layout: 'lltf', rx: 1, tx: 1, subcarriers, centreMhz: 2437 },
    values: new Float32Array(POINTS * GROUPS * 2).fill(1),
    facts: { profile: null, gapShare: 0, frameRate: 1, centreMhz: 2437, reducedDb: 0 },
  };
  return { size: { x: 4, y: 4 }, links: Array.from({ length: links }, () => link) };
}
