import { parentPort } from 'node:worker_threads';
import { errorText } from '../../base/error-text.js';
import { Allowance } from './allowance.js';
import type { Hdf5Answer, Hdf5Order } from './hdf5.js';
import { readArraysOfHdf5 } from './hdf5-arrays.js';

/** Reads the files of its orders, one at a time. */
parentPort!.on('message', ({ path, bytes }: Hdf5Order) => {
  void answerTo(path, bytes);
});

async function answerTo(path: string, bytes: number): Promise<void> {
  const answer: Hdf5Answer = await readArraysOfHdf5(path, new Allowance(bytes)).then(
    (table) => ({ table }),
    (error: unknown) => ({ reason: errorText(error) }),
  );
  const buffers =
    'table' in answer ? answer.table.arrays.flatMap(({ re, im }) => (im ? [re, im] : [re])) : [];
  parentPort!.postMessage(
    answer,
    buffers.map(({ buffer }) => buffer as ArrayBuffer),
  );
}
