import type { DeadLetter, LetterQuery } from '../../state/dead-letter.js';

/** Why a letter cannot be replayed. */
export interface NotReplayed {
  readonly id: number;
  readonly reason: string;
}

/** Selects letters: by these ids, otherwise of a node, otherwise all. */
export interface LetterSelection {
  readonly ids?: readonly number[];
  readonly node?: string;
}

export interface ReplayResult {
  /** Letters marked for replay: immediately if the topology runs, otherwise at its next start. */
  readonly replayed: readonly number[];
  readonly refused: readonly NotReplayed[];
}

/** The dead letters of a topology, running or not. */
export interface LetterDesk {
  /** Oldest first. `total` ignores `limit` and `offset`. */
  list(query?: LetterQuery): Promise<{ readonly letters: readonly DeadLetter[]; readonly total: number }>;
  show(id: number): Promise<DeadLetter | undefined>;
  /** Replays records to their nodes. One that fails again stays, with its new reason. */
  replay(selection: LetterSelection): Promise<ReplayResult>;
  /** Deletes letters and returns their number. */
  drop(selection: LetterSelection): Promise<number>;
}
