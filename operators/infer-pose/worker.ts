import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { BackendName, LoadedBackend } from './backends.js';
import { Engine, type Answered } from './engine.js';
import type { Request } from './request.js';
import { errorText } from '../../pipeline/base/error-text.js';

/** The thread that runs the network. Windows that are waiting when a batch is done are computed together. */

export interface WorkerOptions {
  readonly weights: string;
  /** SHA-256 of the weights in the users' manifest: no others are accepted, also after a restart of the thread. */
  readonly sha256: string;
  /** The same for the memory network; null: the model has none. */
  readonly memory: string | null;
  readonly backend: BackendName | 'auto';
  /** Numbers of links to warm up for. */
  readonly links: readonly number[];
  /** Largest number of windows computed together. */
  readonly maxBatch: number;
}

/** A window under its number. */
interface Sent {
  readonly number: number;
  readonly request: Request;
}

export type ToWorker =
  | { readonly kind: 'infer'; readonly windows: readonly Sent[] }
  /** Rooms with other numbers of links have appeared. */
  | { readonly kind: 'warm'; readonly links: readonly number[] }
  /** Ends the thread as a crash would, or makes it hang: for tests. */
  | { readonly kind: 'crash' }
  | { readonly kind: 'hang' };

export type FromWorker =
  | { readonly kind: 'ready'; readonly backend: LoadedBackend }
  | { readonly kind: 'unable'; readonly reason: string }
  | {
      readonly kind: 'done';
      readonly numbers: readonly number[];
      readonly sights: readonly Answered[];
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly numbers: readonly number[]; readonly reason: string };

const options = workerData as WorkerOptions;
const port = parentPort!;
const say = (message: FromWorker) => {
  port.postMessage(message);
};

try {
  const engine = await Engine.load(options);
  engine.warmUp(options.links);
  port.on('message', (message: ToWorker) => {
    answerAll(engine, message);
  });
  say({ kind: 'ready', backend: engine.backend });
} catch (error) {
  say({ kind: 'unable', reason: errorText(error) });
}

/** Computes a message's windows, and those that arrive in the meantime. */
function answerAll(engine: Engine, first: ToWorker): void {
  const waiting = [...windowsOf(engine, first)];
  while (waiting.length > 0) {
    for (let next = arrived(); next; next = arrived()) waiting.push(...windowsOf(engine, next));
    answer(engine, waiting.splice(0, options.maxBatch));
  }
}

const arrived = () => receiveMessageOnPort(port)?.message as ToWorker | undefined;

function windowsOf(engine: Engine, message: ToWorker): readonly Sent[] {
  if (message.kind === 'crash') process.exit(70);
  while (message.kind === 'hang');
  if (message.kind === 'infer') return message.windows;
  engine.warmUp(message.links);
  return [];
}

/** If a batch fails, each half is tried separately: only windows that fail on their own are rejected. */
function answer(engine: Engine, windows: readonly Sent[]): void {
  const began = performance.now();
  const numbers = windows.map(({ number }) => number);
  try {
    const sights = engine.infer(windows.map(({ request }) => request));
    say({ kind: 'done', numbers, sights, milliseconds: performance.now() - began });
  } catch (error) {
    const half = windows.length >> 1;
    if (half > 0) {
      answer(engine, windows.slice(0, half));
      answer(engine, windows.slice(half));
      return;
    }
    say({ kind: 'failed', numbers, reason: errorText(error) });
  }
}
