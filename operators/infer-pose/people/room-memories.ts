import type { Remembered } from './recall.js';
import { Newcomers, type NewcomersState } from '../memory/newcomers.js';

/** What a room's windows left in the memory, and whose it is. */
interface RoomMemory {
  /** SHA-256 of the memory network that wrote it. */
  readonly memory: string;
  /** Oldest first. */
  readonly remembered: readonly Remembered[];
}

/** The same, for checkpoints. */
interface StoredRoom extends NewcomersState {
  readonly environment: string;
  readonly size: Size;
  readonly remembered: readonly Remembered[];
  /** Absent in older checkpoints, in which all rooms have that of {@link StoredMemories}. */
  readonly memory?: string;
}

/** Memories of all rooms, for checkpoints. */
export interface StoredMemories {
  /** SHA-256 of the memory network that wrote all of them; only in older checkpoints. */
  readonly memory?: string | null;
  readonly rooms: readonly StoredRoom[];
}

interface Size {
  readonly x: number;
  readonly y: number;
}

/** Memories of all rooms. What another network wrote means nothing to the present one. */
export class RoomMemories {
  readonly #rooms = new Map<string, RoomMemory>();
  readonly newcomers = new Newcomers();

  /** Memories of a room's last windows, oldest first, for this network; those of another one are forgotten. */
  continued(environment: string, memory: string): readonly Remembered[] {
    const known = this.#rooms.get(environment);
    if (known?.memory === memory) return known.remembered;
    this.#rooms.delete(environment);
    this.newcomers.forget(environment);
    return [];
  }

  keep(environment: string, room: RoomMemory): void {
    this.#rooms.set(environment, room);
  }

  /** Each room with the SHA-256 of the memory network that wrote its memory. */
  get written(): readonly (readonly [environment: string, memory: string])[] {
    return Array.from(this.#rooms, ([environment, { memory }]) => [environment, memory] as const);
  }

  snapshot(sizeOf: (environment: string) => Size): StoredMemories {
    const rooms = Array.from(this.#rooms, ([environment, { memory, remembered }]) => ({
      ...{ environment, memory, remembered },
      ...this.newcomers.snapshot(environment),
      size: sizeOf(environment),
    }));
    return { rooms };
  }

  /**
   * @param sizeOf undefined: there is no such room any more
   * @param known SHA-256 of the memory networks in use
   * @returns the rooms that have changed, or whose memory another network wrote: it is dropped
   */
  restore(
    { memory: ofAll, rooms }: StoredMemories,
    sizeOf: (environment: string) => Size | undefined,
    known: readonly string[],
  ): string[] {
    return rooms.flatMap(({ environment, size, remembered, memory = ofAll, ...standings }) => {
      const now = sizeOf(environment);
      if (!memory || !known.includes(memory) || now?.x !== size.x || now.y !== size.y) return [environment];
      this.keep(environment, { memory, remembered });
      this.newcomers.restore(environment, standings);
      return [];
    });
  }
}
