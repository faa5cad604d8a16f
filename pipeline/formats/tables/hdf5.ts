import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../base/paths.js';
import { Allowance } from './allowance.js';
import type { Table } from './arrays.js';
import { hdf5Truncation } from './hdf5-superblock.js';

/** The library ends on no other sign if a damaged file sends it in circles. */
const LONGEST_MS = 120_000;

/** A file to read, and the memory for its arrays. */
export interface Hdf5Order {
  readonly path: string;
  readonly bytes: number;
}

export type Hdf5Answer = { readonly table: Table } | { readonly reason: string };

/** How long a thread waits for another file. */
const IDLE_MS = 2000;

/**
 * A thread that has read a file whole waits for another one: to load the library takes 0.3 s of processor time.
 * No thread gets a second file at the same time, nor any file after one that was damaged.
 */
let spare: { readonly worker: Worker; readonly end: NodeJS.Timeout } | null = null;

/**
 * All arrays of an HDF5 file, including MATLAB files of version 7.3, whose axes are given in MATLAB's order.
 * Arrays in groups are named by their path: `group/csi`. Files are read in threads: on some damaged files the
 * library aborts, and then reads no other file, or never returns.
 * @throws Error if it cannot be read; for a truncated file, with the byte at which it ends
 */
export async function readHdf5(path: string, allowance = new Allowance()): Promise<Table> {
  const truncation = await hdf5Truncation(path);
  if (truncation !== null) throw new Error(truncation);
  const worker = takeThread();
  let isWhole = false;
  try {
    const table = await tableFrom(worker, { path, bytes: allowance.left });
    isWhole = table.unread.length === 0;
    return table;
  } finally {
    if (isWhole) keepThread(worker);
    else await worker.terminate();
  }
}

async function tableFrom(worker: Worker, order: Hdf5Order): Promise<Table> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  worker.postMessage(order);
  try {
    const [answer] = (await once(worker, 'message', { signal })) as [Hdf5Answer];
    if ('table' in answer) return answer.table;
    throw new Error(answer.reason);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new Error(`it was not read within ${LONGEST_MS / 1000} s, so it is probably damaged`, {
      cause: error,
    });
  }
}

function takeThread(): Worker {
  if (spare === null) {
    // The library's last words: the error has them too.
    const worker = new Worker(compiledModule(import.meta.url, './hdf5.worker.js'), {
      ...{ stdout: true, stderr: true },
    });
    worker.stdout.resume();
    worker.stderr.resume();
    // An error between two files ends the thread, and the next file gets another one.
    worker.on('error', () => {
      forget(worker);
    });
    return worker;
  }
  const { worker } = spare;
  forget(worker);
  worker.ref();
  return worker;
}

function keepThread(worker: Worker): void {
  if (spare !== null) {
    void worker.terminate();
    return;
  }
  const end = setTimeout(() => {
    forget(worker);
    void worker.terminate();
  }, IDLE_MS);
  end.unref();
  worker.unref();
  spare = { worker, end };
}

function forget(worker: Worker): void {
  if (spare?.worker !== worker) return;
  clearTimeout(spare.end);
  spare = null;
}
