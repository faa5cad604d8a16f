import type { RawBatch } from '../../pipeline/component/index.js';
import { Journal, StateStore } from '../../pipeline/state/index.js';
import { BLOCK, median, withFolder } from './bench-line.js';

export interface JournalSpeed {
  /** From the first append to the last commit. */
  readonly recordsPerSecond: number;
  /** Wall time of the calling thread in `append`, microseconds per record. */
  readonly threadMicrosecondsPerRecord: number;
  readonly rounds: number;
}

/** Appends entries of 64 records of `bytes` bytes, yielding to the event loop as the pump does; medians over the rounds. */
export async function journalSpeed(rounds = 7, entries = 4000, bytes = 148): Promise<JournalSpeed> {
  const batch = batchOf(bytes);
  const rates: number[] = [];
  const thread: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { seconds, inThread } = await withFolder((folder) => write(folder, batch, entries));
    if (round === 0) continue;
    rates.push((entries * BLOCK) / seconds);
    thread.push((inThread * 1000) / (entries * BLOCK));
  }
  return { recordsPerSecond: median(rates), threadMicrosecondsPerRecord: median(thread), rounds };
}

/** Seconds in total, and milliseconds within `append`. */
async function write(folder: string, batch: RawBatch, entries: number) {
  const store = new StateStore(folder, 'bench');
  let failure: Error | undefined;
  const journal = new Journal(store, 'in', (error) => {
    failure = error;
  });
  const started = performance.now();
  let inThread = 0;
  for (let entry = 0; entry < entries; entry++) {
    const before = performance.now();
    journal.append(batch, entry);
    inThread += performance.now() - before;
    if (entry % 64 === 63) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await journal.durable();
  const seconds = (performance.now() - started) / 1000;
  await store.close();
  if (failure) throw failure;
  return { seconds, inThread };
}

const batchOf = (bytes: number): RawBatch => ({
  count: BLOCK,
  time: Float64Array.from({ length: BLOCK }, (_, index) => 1_700_000_000_000_000 + index),
  offsets: Uint32Array.from({ length: BLOCK + 1 }, (_, index) => index * bytes),
  bytes: Uint8Array.from({ length: BLOCK * bytes }, (_, index) => index % 251),
  sender: new Uint16Array(BLOCK),
  senders: ['127.0.0.1:5005'],
  origin: 'live',
});
