import type { Context, Operator, Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import { anyFinite } from './finite.js';
import { withRows } from './frame-rows.js';
import { LinkStates, type LinkSnapshot } from './per-link.js';

/** A filter of consecutive frames of one link and layout. */
export interface FrameFilter<S> {
  /**
   * Filters the frame at `offset` of `input` to the same position in `output`: [rx, tx, subcarrier, (re,
   * im)].
   * @param time event time, microseconds @returns the number of replaced values, if it counts them
   */
  apply(input: Float32Array, output: Float32Array, offset: number, time: number): number;
  /** A copy of the state, as plain data. */
  snapshot(): S;
  restore(state: S): void;
}

/**
 * An operator that returns each frame with values filtered by the link's previous frames. Block boundaries do
 * not matter: frames are filtered one by one. Frames without a finite value are dropped as `not_finite`.
 * @param onReplaced called for each block in which filters replaced values, with their number
 */
export function filterFrames<S>(
  context: Context,
  make: (layout: CsiLayout) => FrameFilter<S>,
  onReplaced: (count: number) => void = () => undefined,
): Operator<'csi', 'csi'> {
  const filters = new LinkStates(context.links, make);
  return {
    process: (given): Output<CsiBlock> => {
      const block = withoutEmpty(given, context);
      if (!block) return { data: [] };
      const { layout, count, link, time, values } = block;
      const size = frameSize(layout);
      const output = new Float32Array(values.length);
      let replaced = 0;
      for (let frame = 0; frame < count; frame++)
        replaced += filters.of(link[frame]!, layout).apply(values, output, frame * size, time[frame]!);
      if (replaced > 0) onReplaced(replaced);
      return { data: [{ ...block, values: output }] };
    },
    snapshot: () => filters.snapshot((filter) => filter.snapshot()),
    restore: (state: readonly LinkSnapshot<S>[]) => {
      filters.restore(state, (layout, saved) => {
        const filter = make(layout);
        filter.restore(saved);
        return filter;
      });
    },
  };
}

/** The frames with a finite value; null if there are none. */
function withoutEmpty(block: CsiBlock, { metrics }: Context): CsiBlock | null {
  const { layout, count, values } = block;
  const size = frameSize(layout);
  let first = 0;
  while (first < count && anyFinite(values, first * size, size)) first++;
  if (first === count) return block;
  const usable = Array.from({ length: first }, (_, row) => row);
  for (let row = first + 1; row < count; row++) if (anyFinite(values, row * size, size)) usable.push(row);
  metrics.dropped('not_finite', count - usable.length);
  if (usable.length === 0) return null;
  const finite = new Float32Array(usable.length * size);
  usable.forEach((row, i) => {
    finite.set(values.subarray(row * size, (row + 1) * size), i * size);
  });
  return withRows(block, usable, undefined, layout, finite);
}
