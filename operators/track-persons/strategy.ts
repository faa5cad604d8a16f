import type { Person, Track } from '../../pipeline/model/index.js';
import { assign } from './assignment.js';

/** Somebody who is followed. `Body` is what a strategy keeps of them. */
export interface Followed<Body> {
  readonly id: number;
  readonly state: Track['state'];
  /** Pose frames since birth. */
  readonly age: number;
  /** Event time of birth, microseconds. */
  readonly since: number;
  /** Event time at which it was last seen. */
  readonly seen: number;
  /** As it was last seen. */
  readonly person: Person;
  readonly body: Body;
}

export type Standing<Body> = Pick<Followed<Body>, 'state' | 'body'>;

/** A pose frame as a strategy sees it. */
export interface Moment {
  /** Event time, microseconds. */
  readonly time: number;
  /** Since the frame before, seconds. */
  readonly elapsed: number;
  /** Pose frames so far, this one included. */
  readonly frame: number;
}

/** One way of following people: a motion model, a cost with its gate, and a rule for births and deaths. */
export interface Strategy<Body> {
  /** Somebody new; null where it is nobody to follow. */
  begin(person: Person, moment: Moment): Standing<Body> | null;
  /** Where the motion model expects the body now. */
  predict(track: Followed<Body>, moment: Moment): Body;
  /** The person of each track, -1 where it has none. */
  match(tracks: readonly Followed<Body>[], persons: readonly Person[], moment: Moment): readonly number[];
  see(track: Followed<Body>, person: Person, moment: Moment): Standing<Body>;
  /** Null: it is forgotten without a word. */
  miss(track: Followed<Body>, moment: Moment): Standing<Body> | null;
  /** A last look at all tracks of a frame together: which of them are one, which are told. */
  settle(tracks: readonly Followed<Body>[]): readonly Followed<Body>[];
  /** What is told of it; null: nothing. */
  show(track: Followed<Body>, moment: Moment): Person | null;
}

/** Cost of a pair that may not be: more than any number of pairs that may. */
export const REFUSED = 1e6;

/** Pairs `rows` and `columns` at the least total cost; -1 where a row has none that is not refused. */
export function pair<A, B>(
  rows: readonly A[],
  columns: readonly B[],
  cost: (row: A, column: B) => number,
): number[] {
  const costs = rows.map((row) => columns.map((column) => cost(row, column)));
  return assign(costs).map((column, row) => (column >= 0 && costs[row]![column]! < REFUSED ? column : -1));
}

/** Millimetres, mm/s: what is stored must not hang on last bits. Never -0. */
export const thousandths = (value: number): number => Math.round(value * 1000) / 1000 + 0;
