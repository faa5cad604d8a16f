import {
  allocateBlock,
  csiLayout,
  frameSize,
  sliceBlock,
  type CsiBlock,
  type LinkTable,
} from '../../pipeline/model/index.js';
import { layoutSnapshot, type LayoutSnapshot } from '../shared/per-link.js';

/** Frames of a block from `next` on. */
interface Waiting {
  readonly block: CsiBlock;
  next: number;
}

export interface WaitingState {
  readonly layout: LayoutSnapshot;
  readonly links: readonly string[];
  readonly time: Float64Array;
  readonly sequence: Uint32Array;
  readonly rssi: Float32Array;
  readonly noise: Float32Array;
  readonly values: Float32Array;
}

/**
 * Blocks until event time has passed them. A decoder gives one block per layout and batch, so blocks of one batch
 * overlap in time: here their frames come back into one order, whatever the batches were. Frames of a layout stay in
 * their own order. Empty between batches, as time then has reached all that came.
 */
export class FrameQueue {
  #waiting: Waiting[] = [];

  add(block: CsiBlock): void {
    if (block.count > 0) this.#waiting.push({ block, next: 0 });
  }

  /** Hands over the frames up to `time`, the earliest first; of equal ones that of the block that came first. */
  drain(time: number, take: (block: CsiBlock, frame: number) => void): void {
    for (;;) {
      const first = this.#earliest();
      if (!first || first.block.time[first.next]! > time) break;
      const { block } = first;
      const alone = this.#waiting.length === 1;
      // Nearly always there is one block alone.
      do take(block, first.next++);
      while (alone && first.next < block.count && !(block.time[first.next]! > time));
      if (first.next === block.count) this.#waiting.splice(this.#waiting.indexOf(first), 1);
    }
  }

  snapshot(links: LinkTable): readonly WaitingState[] {
    return this.#waiting.map(({ block, next }) => {
      const { layout, link, time, sequence, rssi, noise, values } = sliceBlock(block, next, block.count);
      return {
        layout: layoutSnapshot(layout),
        links: Array.from(link, (index) => links.at(index).link.id),
        time: time.slice(),
        sequence: sequence.slice(),
        rssi: rssi.slice(),
        noise: noise.slice(),
        values: values.slice(),
      };
    });
  }

  /** Frames of links that the topology no longer has are left out. */
  restore(state: readonly WaitingState[], links: LinkTable): void {
    this.#waiting = [];
    for (const saved of state) {
      const kept = saved.links.flatMap((id, i) => (links.byId(id) ? [i] : []));
      const layout = csiLayout(saved.layout);
      const size = frameSize(layout);
      const block = allocateBlock(layout, kept.length);
      kept.forEach((from, to) => {
        block.time[to] = saved.time[from]!;
        block.link[to] = links.byId(saved.links[from]!)!.index;
        block.sequence[to] = saved.sequence[from]!;
        block.rssi[to] = saved.rssi[from]!;
        block.noise[to] = saved.noise[from]!;
        block.values.set(saved.values.subarray(from * size, (from + 1) * size), to * size);
      });
      this.add(block);
    }
  }

  #earliest(): Waiting | undefined {
    let first = this.#waiting[0];
    for (const other of this.#waiting)
      // A time that is not a number goes at once, to be refused.
      if (!(other.block.time[other.next]! >= first!.block.time[first!.next]!)) first = other;
    return first;
  }
}
