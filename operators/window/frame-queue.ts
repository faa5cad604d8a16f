import { storedBlock, type CsiBlock, type LinkTable, type StoredBlock } from '../../pipeline/model/index.js';
import { layoutSnapshot } from '../shared/per-link.js';

/** Frames of a block from `next` on. */
interface Waiting {
  readonly block: CsiBlock;
  next: number;
}

export type WaitingState = Omit<StoredBlock, 'count' | 'link'> & { readonly links: readonly string[] };

/**
 * Blocks until event time has passed them. A decoder gives one block per layout and batch, so blocks of one
 * batch overlap in time: here their frames come back into one order, whatever the batches were. Frames of a
 * layout stay in their own order. Empty between batches, because time has then reached every frame.
 */
export class FrameQueue {
  #waiting: Waiting[] = [];

  add(block: CsiBlock): void {
    if (block.count > 0) this.#waiting.push({ block, next: 0 });
  }

  /** Passes on the frames up to `time`, earliest first; for equal times, in the order of arrival of their blocks. */
  drain(time: number, take: (block: CsiBlock, frame: number) => void): void {
    for (;;) {
      const first = this.#earliest();
      if (!first || first.block.time[first.next]! > time) break;
      const { block } = first;
      const alone = this.#waiting.length === 1;
      // Almost always there is only one block.
      do take(block, first.next++);
      while (alone && first.next < block.count && !(block.time[first.next]! > time));
      if (first.next === block.count) this.#waiting.splice(this.#waiting.indexOf(first), 1);
    }
  }

  snapshot(links: LinkTable): readonly WaitingState[] {
    return this.#waiting.map(({ block, next }) => {
      const rest = Array.from({ length: block.count - next }, (_, i) => next + i);
      const { layout, link, ...columns } = storedBlock(block, rest);
      return {
        ...columns,
        layout: layoutSnapshot(layout),
        links: Array.from(link, (index) => links.at(index).link.id),
      };
    });
  }

  /** Frames of links that the topology no longer has are dropped. */
  restore(state: readonly WaitingState[], links: LinkTable): void {
    this.#waiting = [];
    for (const { links: ids, ...saved } of state) {
      const known = ids.flatMap((id, i) => (links.byId(id) ? [i] : []));
      const block = storedBlock({ ...saved, count: ids.length }, known);
      for (const [to, from] of known.entries()) block.link[to] = links.byId(ids[from]!)!.index;
      this.add(block);
    }
  }

  #earliest(): Waiting | undefined {
    let first = this.#waiting[0];
    for (const other of this.#waiting)
      // A time that is not a number passes immediately, to be rejected.
      if (!(other.block.time[other.next]! >= first!.block.time[first!.next]!)) first = other;
    return first;
  }
}
