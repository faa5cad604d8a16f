import type { Work } from './work.js';

/** Waiting records by environment. Environments take turns, so that none starves. */
export class Rooms {
  /** In the order of their turns; only those where something waits. */
  readonly #rooms = new Map<string, Work[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  put(room: string, work: Work): void {
    const waiting = this.#rooms.get(room);
    if (waiting) waiting.push(work);
    else this.#rooms.set(room, [work]);
    this.#size++;
  }

  /** The oldest record of a room; undefined where none waits. */
  oldest(room: string): Work | undefined {
    return this.#rooms.get(room)?.[0];
  }

  /** The room whose turn it is. */
  get next(): string | undefined {
    for (const room of this.#rooms.keys()) return room;
    return undefined;
  }

  /** Takes the oldest record of a room out. It keeps its turn unless `served`. */
  take(room: string, served: boolean): Work {
    const waiting = this.#rooms.get(room)!;
    const work = waiting.shift()!;
    this.#size--;
    if (waiting.length === 0 || served) this.#rooms.delete(room);
    if (waiting.length > 0 && served) this.#rooms.set(room, waiting);
    return work;
  }

  /** How many wait in a room. */
  count(room: string): number {
    return this.#rooms.get(room)?.length ?? 0;
  }
}
