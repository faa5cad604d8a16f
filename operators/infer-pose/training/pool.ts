import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../../pipeline/base/paths.js';
import type { Pick } from './batches.js';
import type { Plan } from './generate.js';
import type { Samples } from './samples.js';

/** Chunks generated ahead of the requested one, while the trainer works. */
const AHEAD = 2;

/** Chunks of samples in order of their numbers, generated in worker threads while others are in use. */
export class ChunkSource {
  readonly #workers: readonly Worker[];
  readonly #ready = new Map<number, Samples>();
  readonly #waiting = new Map<number, Waiting>();
  #asked: number;
  #taken: number;
  #failure: Error | null = null;

  /** @param first number of the first chunk */
  constructor(plan: Plan, threads: number, first = 0) {
    this.#asked = this.#taken = first;
    this.#workers = Array.from({ length: threads }, () => {
      const worker = new Worker(compiledModule(import.meta.url, './generate.worker.js'), {
        workerData: plan,
      });
      worker.on('message', ({ chunk, samples }: { chunk: number; samples: Samples }) => {
        this.#arrived(chunk, samples);
      });
      worker.on('error', (error: Error) => {
        this.#failure = error;
        for (const waiting of this.#waiting.values()) waiting.reject(error);
      });
      return worker;
    });
  }

  /** The next chunk. Rejects if a worker failed. */
  async next(): Promise<Samples> {
    while (this.#asked < this.#taken + 1 + AHEAD * this.#workers.length) {
      this.#workers[this.#asked % this.#workers.length]!.postMessage(this.#asked);
      this.#asked++;
    }
    const chunk = this.#taken++;
    if (this.#failure) throw this.#failure;
    const ready = this.#ready.get(chunk);
    if (ready) {
      this.#ready.delete(chunk);
      return ready;
    }
    return new Promise((resolve, reject) => {
      this.#waiting.set(chunk, { resolve, reject });
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #arrived(chunk: number, samples: Samples): void {
    const waiting = this.#waiting.get(chunk);
    this.#waiting.delete(chunk);
    if (waiting) waiting.resolve(samples);
    else this.#ready.set(chunk, samples);
  }
}

interface Waiting {
  readonly resolve: (samples: Samples) => void;
  readonly reject: (error: Error) => void;
}

/** The newest chunks, as one numbered set of samples. */
export class SamplePool {
  readonly #chunks: Samples[] = [];
  readonly #capacity: number;
  #oldest = 0;

  /** @param capacity number of stored chunks; beyond it, a new one replaces the oldest. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(chunk: Samples): void {
    if (this.#chunks.length < this.#capacity) {
      this.#chunks.push(chunk);
      return;
    }
    this.#chunks[this.#oldest] = chunk;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
  }

  /** `count` random windows. */
  draw(count: number, random: () => number): Pick[] {
    return Array.from({ length: count }, () => {
      const samples = this.#chunks[Math.floor(random() * this.#chunks.length)]!;
      return { samples, index: Math.floor(random() * samples.count) };
    });
  }

  get first(): Samples {
    return this.#chunks[0]!;
  }
}
