import type { PoseSummary } from '../../pipeline/component/index.js';

/** Pose frames of a bucket with people, as a database counts them. */
export interface CountedPoseFrames {
  readonly start: number;
  /** Pose frames with a person that counts, and the number of such persons in them. */
  readonly peopled: number;
  readonly rows: number;
  /** Those of them with the requested number of persons. */
  readonly frames: number;
  readonly persons: number;
  readonly confidence: number;
  readonly most: number;
}

/**
 * Combines both counts of each bucket: pose frames without a person have no rows of persons.
 * @param all pose frames of each bucket, with or without persons; none if pose frames without a person are excluded
 */
export function summariesOf(
  counted: readonly CountedPoseFrames[],
  all: readonly { readonly start: number; readonly frames: number }[],
): PoseSummary[] {
  const peopled = new Map(counted.map((bucket) => [bucket.start, bucket]));
  const total = new Map(all.map(({ start, frames }) => [start, frames]));
  const starts = [...new Set([...peopled.keys(), ...total.keys()])].sort((a, b) => a - b);
  return starts.flatMap((start) => {
    const found = peopled.get(start) ?? NOBODY;
    const rows = total.get(start) ?? 0;
    const frames = found.frames + Math.max(0, rows - found.peopled);
    const { persons, confidence, most } = found;
    return frames > 0 ? [{ start, frames, persons, confidence, most, rows: found.rows + rows }] : [];
  });
}

const NOBODY = { peopled: 0, rows: 0, frames: 0, persons: 0, confidence: 0, most: 0 };
