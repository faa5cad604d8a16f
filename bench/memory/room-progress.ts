/** Least time between two lines, milliseconds. */
const EVERY_MS = 30_000;

interface RoomProgressOptions {
  readonly cache?: string | undefined;
  readonly print: (line: string) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** Reports how many of all rooms of a training are simulated, and the time left. */
export class RoomProgress {
  readonly #total: number;
  readonly #print: (line: string) => void;
  readonly #now: () => number;
  readonly #cached: boolean;
  #done = 0;
  /** Rooms that were not in the cache, and how long they took. */
  #simulated = 0;
  #took = 0;
  #written = -Infinity;

  /** @param rooms all that are simulated, not only the first ones */
  constructor(
    rooms: readonly { readonly count: number }[],
    { cache, print, now = () => performance.now() }: RoomProgressOptions,
  ) {
    this.#total = rooms.reduce((sum, { count }) => sum + count, 0);
    this.#print = print;
    this.#now = now;
    this.#cached = cache !== undefined;
    print(
      cache === undefined
        ? `simulating ${this.#total} rooms, which are lost if the training is interrupted: --cache FOLDER keeps them`
        : `simulating ${this.#total} rooms; each is kept in ${cache}`,
    );
  }

  /** Adds a room. @param cached null: it is not in the cache */
  room<T>(cached: T | null, simulate: () => T): T {
    const began = this.#now();
    const room = cached ?? simulate();
    this.#done++;
    if (cached === null) {
      this.#simulated++;
      this.#took += this.#now() - began;
    }
    const isDue = cached === null && this.#now() - this.#written >= EVERY_MS;
    if (isDue || this.#done === this.#total) this.#write();
    return room;
  }

  #write(): void {
    this.#written = this.#now();
    const kept =
      this.#cached && this.#simulated < this.#done ? `, ${this.#done - this.#simulated} from the cache` : '';
    const left = this.#total - this.#done;
    const minutes = ((this.#took / this.#simulated) * left) / 60_000;
    const time = left === 0 ? '' : `, about ${minutes < 1 ? '1' : minutes.toFixed(0)} min left`;
    this.#print(`${this.#done} of ${this.#total} rooms simulated${kept}${time}`);
  }
}
