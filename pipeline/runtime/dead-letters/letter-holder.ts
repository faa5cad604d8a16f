import type { NotReplayed } from './letter-desk.js';
import type { DeadLetters } from '../../state/index.js';

/** A run that may have the state folder open. */
export interface LetterHolder {
  /** Undefined if it has not. */
  deadLetters(): DeadLetters | undefined;
  /** Replays the marked dead letters to their nodes; reports those that cannot be. */
  replayAsked(): readonly NotReplayed[];
}
