import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { BackendName, LoadedBackend } from './backends.js';
import { Engine, type Answered } from './engine.js';
import type { Request } from './request.js';
import { errorText } from '../../pipeline/base/error-text.js';

/** The thread that the network runs in. Windows that are there when it is done with others are computed together. */

export interface WorkerOptions {
  readonly weights: string;
  /** Of the weights that the users' manifest describes: no others are taken, also when the thread starts again. */
  readonly sha256: string;
  /** The same of the network that remembers; null: the model has none. */
  readonly memory: string | null;
  readonly backend: BackendName | 'auto';
  /** Numbers of links to warm up for. */
  readonly links: readonly number[];
  /** Windows that are computed together at most. */
  readonly maxBatch: number;
}

/** A window under its number. */
interface Sent {
  readonly number: number;
  readonly request: Request;
}

export type ToWorker =
  | { readonly kind: 'infer'; readonly windows: readonly Sent[] }
  /** Rooms with other numbers of links have come. */
  | { readonly kind: 'warm'; readonly links: readonly number[] }
  /** Ends the thread as a crash would, or lets it compute for ever: for tests. */
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

/** Answers a message's windows, and those that arrive meanwhile. */
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

/** Of a batch that fails each half is tried alone: only windows that fail by themselves are refused. */
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
