import type { Person, Track } from '../../pipeline/model/index.js';
import { assign } from './assignment.js';

/** A tracked person. `Body` is the strategy's state. */
export interface Followed<Body> {
  readonly id: number;
  readonly state: Track['state'];
  /** Pose frames since birth. */
  readonly age: number;
  /** Event time of birth, microseconds. */
  readonly since: number;
  /** Event time when it was last seen. */
  readonly seen: number;
  /** As last seen. */
  readonly person: Person;
  readonly body: Body;
}

export type Standing<Body> = Pick<Followed<Body>, 'state' | 'body'>;

/** A pose frame in the form that strategies use. */
export interface Moment {
  /** Event time, microseconds. */
  readonly time: number;
  /** Since the previous pose frame, seconds. */
  readonly elapsed: number;
  /** Pose frames so far, including this one. */
  readonly poseFrame: number;
}

/** A tracking method: a motion model, a cost with its gate, and a rule for births and deaths. */
export interface Strategy<Body> {
  /** A new person; null if it should not be tracked. */
  begin(person: Person, moment: Moment): Standing<Body> | null;
  /** Position of the body now, according to the motion model. */
  predict(track: Followed<Body>, moment: Moment): Body;
  /** The person of each track, -1 if it has none. */
  match(tracks: readonly Followed<Body>[], persons: readonly Person[], moment: Moment): readonly number[];
  see(track: Followed<Body>, person: Person, moment: Moment): Standing<Body>;
  /** Null: it is removed silently. */
  miss(track: Followed<Body>, moment: Moment): Standing<Body> | null;
  /** Final step on all tracks of a pose frame together: merges duplicates, selects the reported ones. */
  settle(tracks: readonly Followed<Body>[]): readonly Followed<Body>[];
  /** Its output; null: none. */
  show(track: Followed<Body>, moment: Moment): Person | null;
}

/** Cost of a forbidden pair: more than any number of permitted pairs. */
export const REFUSED = 1e6;

/** Pairs `rows` and `columns` at the lowest total cost; -1 if a row has no permitted pair. */
export function pair<A, B>(
  rows: readonly A[],
  columns: readonly B[],
  cost: (row: A, column: B) => number,
): number[] {
  const costs = rows.map((row) => columns.map((column) => cost(row, column)));
  return assign(costs).map((column, row) => (column >= 0 && costs[row]![column]! < REFUSED ? column : -1));
}

/** Millimetres, mm/s: stored values must not depend on the last bits. Never -0. */
export const thousandths = (value: number): number => Math.round(value * 1000) / 1000 + 0;
