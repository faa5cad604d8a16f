import { parentPort, workerData } from 'node:worker_threads';
import type { BackendName, LoadedBackend } from './backends.js';
import { Engine } from './engine.js';
import type { Estimate } from './estimate.js';
import type { Request } from './request.js';

/** The thread that the network runs in. It answers batches one after another. */

export interface WorkerOptions {
  readonly weights: string;
  readonly backend: BackendName | 'auto';
  /** Numbers of links to warm up for. */
  readonly links: readonly number[];
}

export type ToWorker =
  | { readonly kind: 'infer'; readonly batch: number; readonly requests: readonly Request[] }
  /** Ends the thread as a crash would: for tests. */
  | { readonly kind: 'crash' };

export type FromWorker =
  | { readonly kind: 'ready'; readonly backend: LoadedBackend }
  | { readonly kind: 'unable'; readonly reason: string }
  | {
      readonly kind: 'done';
      readonly batch: number;
      readonly estimates: readonly Estimate[];
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly batch: number; readonly reason: string };

const options = workerData as WorkerOptions;
const port = parentPort!;
const say = (message: FromWorker) => {
  port.postMessage(message);
};
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

try {
  const engine = await Engine.load(options);
  engine.warmUp(options.links);
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'crash') process.exit(70);
    answer(engine, message.batch, message.requests);
  });
  say({ kind: 'ready', backend: engine.backend });
} catch (error) {
  say({ kind: 'unable', reason: reasonOf(error) });
}

function answer(engine: Engine, batch: number, requests: readonly Request[]): void {
  const began = performance.now();
  try {
    const estimates = engine.infer(requests);
    say({ kind: 'done', batch, estimates, milliseconds: performance.now() - began });
  } catch (error) {
    say({ kind: 'failed', batch, reason: reasonOf(error) });
  }
}
