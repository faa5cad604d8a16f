import type { Context, Operator, Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout } from '../../pipeline/model/index.js';
import { LinkStates, type LinkSnapshot } from './per-link.js';

/** A filter of the frames of one link and layout, one after the other. */
export interface FrameFilter<S> {
  /**
   * Filters the frame at `offset` of `input` to the same place of `output`: [rx, tx, subcarrier, (re, im)].
   * @param time event time, microseconds @returns how many values it replaced, where it counts them
   */
  apply(input: Float32Array, output: Float32Array, offset: number, time: number): number;
  /** A copy of the state, as plain data. */
  snapshot(): S;
  restore(state: S): void;
}

/**
 * An operator that gives each frame back, its values filtered by what the link sent before. What a block is does not
 * matter: frames are filtered one by one.
 * @param onReplaced hears of each block in which filters replaced values, and of how many
 */
export function filterFrames<S>(
  context: Context,
  make: (layout: CsiLayout) => FrameFilter<S>,
  onReplaced: (count: number) => void = () => undefined,
): Operator<'csi', 'csi'> {
  const filters = new LinkStates(context.links, make);
  return {
    process: (block): Output<CsiBlock> => {
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
    restore: (state) => {
      filters.restore(state as readonly LinkSnapshot<S>[], (layout, saved) => {
        const filter = make(layout);
        filter.restore(saved);
        return filter;
      });
    },
  };
}
