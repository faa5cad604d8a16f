import { sliceRaw } from '../../../pipeline/component/index.js';
import type { Recording, RecordingBatch } from '../../../pipeline/sources/recording.js';

/**
 * The records of a recording from `start` to `end` (excluded); microseconds. A capture is not read from its
 * beginning.
 */
export async function* stretchOf(
  recording: Recording,
  start = -Infinity,
  end = Infinity,
): AsyncGenerator<RecordingBatch, void> {
  const from = start > -Infinity ? await recording.positionNear?.(start) : null;
  for await (const batch of recording.batches(256, from)) {
    const { time, count } = batch.raw;
    const first = time.findIndex((each) => each >= start);
    const after = time.findIndex((each) => each >= end);
    const last = after < 0 ? count : after;
    const raw = first < 0 ? sliceRaw(batch.raw, 0, 0) : sliceRaw(batch.raw, first, Math.max(first, last));
    yield { ...batch, raw };
    if (after >= 0) return;
  }
}
