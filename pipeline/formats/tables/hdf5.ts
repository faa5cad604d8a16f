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

/**
 * All arrays of an HDF5 file, including MATLAB files of version 7.3, whose axes are given in MATLAB's order.
 * Arrays in groups are named by their path: `group/csi`. Each file has a thread of its own: on some damaged
 * files the library aborts, and then reads no other file, or never returns.
 * @throws Error if it cannot be read; for a truncated file, with the byte at which it ends
 */
export async function readHdf5(path: string, allowance = new Allowance()): Promise<Table> {
  const truncation = await hdf5Truncation(path);
  if (truncation !== null) throw new Error(truncation);
  const order: Hdf5Order = { path, bytes: allowance.left };
  // The library's last words: the error has them too.
  const worker = new Worker(compiledModule(import.meta.url, './hdf5.worker.js'), {
    ...{ workerData: order, stdout: true, stderr: true },
  });
  try {
    const signal = AbortSignal.timeout(LONGEST_MS);
    const [answer] = (await once(worker, 'message', { signal })) as [Hdf5Answer];
    if ('table' in answer) return answer.table;
    throw new Error(answer.reason);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    throw new Error(`it was not read within ${LONGEST_MS / 1000} s, so it is probably damaged`, {
      cause: error,
    });
  } finally {
    await worker.terminate();
  }
}
