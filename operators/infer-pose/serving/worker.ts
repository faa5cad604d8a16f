import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { LoadedBackend } from '../backends/backends.js';
import { blankRequest, Engine, type Answered, type EngineOptions } from './engine.js';
import type { Request } from '../windows/request.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/** The thread that runs the network. Windows that are waiting when a batch is done are computed together. */

export interface WorkerOptions extends Required<Omit<EngineOptions, 'server'>> {
  /** SHA-256 of the weights in the users' manifest: no others are accepted, also after a restart of the thread. */
  readonly sha256: string;
  readonly server?: EngineOptions['server'];
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
  | { readonly kind: 'hang' }
  /** Makes the backend fail from now on: for tests. */
  | { readonly kind: 'lose' };

export type FromWorker =
  | { readonly kind: 'ready'; readonly backend: LoadedBackend }
  | { readonly kind: 'unable'; readonly reason: string }
  | {
      readonly kind: 'done';
      readonly numbers: readonly number[];
      readonly sights: readonly Answered[];
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly numbers: readonly number[]; readonly reason: string }
  /** The backend computes nothing any more: a GPU was lost, or a server is offline. */
  | { readonly kind: 'lost'; readonly reason: string };

const options = workerData as WorkerOptions;
const port = parentPort!;
const say = (message: FromWorker) => {
  port.postMessage(message);
};

/** Windows that wait; those of one message are computed together with all that have arrived meanwhile. */
const waiting: Sent[] = [];
let isBusy = false;
/** For tests: the backend fails from now on. */
let isLost = false;

try {
  const engine = await Engine.load(options);
  await engine.warmUp(options.links, options.maxBatch);
  port.on('message', (message: ToWorker) => {
    accept(message);
    if (!isBusy) void answerAll(engine);
  });
  say({ kind: 'ready', backend: engine.backend });
} catch (error) {
  say({ kind: 'unable', reason: errorText(error) });
}

const warm = new Set<number>();

function accept(message: ToWorker): void {
  if (message.kind === 'crash') process.exit(70);
  while (message.kind === 'hang');
  if (message.kind === 'warm') message.links.forEach((links) => warm.add(links));
  if (message.kind === 'lose') isLost = true;
  if (message.kind === 'infer') waiting.push(...message.windows);
}

/** Computes all windows that wait, and those that arrive in the meantime. */
async function answerAll(engine: Engine): Promise<void> {
  isBusy = true;
  while (waiting.length > 0 || warm.size > 0) {
    for (let next = arrived(); next; next = arrived()) accept(next);
    const cold = [...warm];
    warm.clear();
    if (cold.length > 0) await answerTo(() => engine.warmUp(cold, options.maxBatch));
    if (waiting.length > 0) await answer(engine, waiting.splice(0, options.maxBatch));
  }
  isBusy = false;
}

const arrived = () => receiveMessageOnPort(port)?.message as ToWorker | undefined;

/** A backend that fails without a window of a user is lost. */
async function answerTo(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    say({ kind: 'lost', reason: errorText(error) });
    return false;
  }
}

/** If a batch fails, each half is tried separately: only windows that fail on their own are rejected. */
async function answer(engine: Engine, windows: readonly Sent[]): Promise<void> {
  const began = performance.now();
  const numbers = windows.map(({ number }) => number);
  try {
    if (isLost) throw new Error('the backend was made to fail');
    const sights = await engine.infer(windows.map(({ request }) => request));
    say({ kind: 'done', numbers, sights, milliseconds: performance.now() - began });
  } catch (error) {
    const half = windows.length >> 1;
    // A window of nothing tells a bad window from a backend that has failed.
    const works = await answerTo(() => {
      if (isLost) throw error;
      return engine.infer([blankRequest(1)]);
    });
    if (!works) return;
    if (half > 0) {
      await answer(engine, windows.slice(0, half));
      await answer(engine, windows.slice(half));
      return;
    }
    say({ kind: 'failed', numbers, reason: errorText(error) });
  }
}
