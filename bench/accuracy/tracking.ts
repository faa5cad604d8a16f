import { assign } from '../../operators/track-persons/assignment.js';
import { iou } from '../../operators/track-persons/outline.js';

/** An item with the number of its person. */
export interface Numbered {
  readonly id: number;
}

/** A box in pixels; x and y are its top left corner. */
export interface Box extends Numbered {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A place on the floor, metres. */
export interface Place extends Numbered {
  readonly x: number;
  readonly y: number;
}

/** The items of each frame in turn. */
export type Sequence<T extends Numbered = Box> = readonly (readonly T[])[];

/** Similarity of two items, 0 to 1; from one half on they match. */
export type Similarity<T> = (a: T, b: T) => number;

export interface TrackingScore {
  readonly truths: number;
  readonly falsePositives: number;
  readonly misses: number;
  /** How often a person's number changed. */
  readonly switches: number;
  /** How often a person was lost and found again. */
  readonly fragmentations: number;
  /** 1 - (false positives + misses + switches) / truths: Bernardin and Stiefelhagen, 2008. */
  readonly mota: number;
  /** Share with the right number, for the best assignment of numbers: Ristani et al., 2016. */
  readonly idf1: number;
  /** Geometric mean of detection and association, over 19 thresholds: Luiten et al., 2021. */
  readonly hota: number;
}

/** Two boxes that overlap by half match, as in MOTChallenge. */
export const overlap: Similarity<Box> = iou;

/** Two places within a metre match, as in TrackEval's bird's-eye benchmarks. */
export const nearness: Similarity<Place> = (a, b) => Math.max(0, 1 - Math.hypot(a.x - b.x, a.y - b.y) / 2);

/** Scores tracks against the truth. */
export function scoreTracking<T extends Numbered>(
  truth: Sequence<T>,
  tracks: Sequence<T>,
  alike: Similarity<T>,
): TrackingScore {
  const truths = count(truth);
  const clear = clearMot(truth, tracks, alike);
  const { falsePositives, misses, switches } = clear;
  const mota = 1 - (falsePositives + misses + switches) / truths;
  return { truths, ...clear, mota, idf1: identityF1(truth, tracks, alike), hota: hota(truth, tracks, alike) };
}

/** Items match from this similarity on. */
const SAME = 0.5;

interface Followed {
  /** Its number at the last match. */
  last: number;
  /** Its number in the previous frame; -1 if it was not matched. */
  before: number;
  segments: number;
}

function clearMot<T extends Numbered>(truth: Sequence<T>, tracks: Sequence<T>, alike: Similarity<T>) {
  const known = new Map<number, Followed>();
  let [matched, switches] = [0, 0];
  for (const [frame, people] of truth.entries()) {
    const found = tracks[frame] ?? [];
    // A matched person retains its number while both overlap; the rest is matched by overlap.
    const pairs = assign(
      people.map((person) =>
        found.map((one) => {
          const likeness = alike(person, one);
          if (likeness < SAME) return 0;
          return -likeness - (known.get(person.id)?.before === one.id ? 1000 : 0);
        }),
      ),
    );
    people.forEach((person, row) => {
      const one = found[pairs[row]!];
      const entry = known.get(person.id) ?? { last: -1, before: -1, segments: 0 };
      known.set(person.id, entry);
      if (!one || alike(person, one) < SAME) {
        entry.before = -1;
        return;
      }
      matched++;
      if (entry.last >= 0 && entry.last !== one.id) switches++;
      if (entry.before < 0) entry.segments++;
      entry.last = entry.before = one.id;
    });
    const present = new Set(people.map(({ id }) => id));
    for (const [id, entry] of known) if (!present.has(id)) entry.before = -1;
  }
  const fragmentations = [...known.values()].reduce(
    (sum, { segments }) => sum + Math.max(0, segments - 1),
    0,
  );
  return {
    falsePositives: count(tracks.slice(0, truth.length)) - matched,
    misses: count(truth) - matched,
    switches,
    fragmentations,
  };
}

function identityF1<T extends Numbered>(truth: Sequence<T>, tracks: Sequence<T>, alike: Similarity<T>) {
  const people = numbersOf(truth);
  const found = numbersOf(tracks);
  const together = matrix(people.length, found.length);
  for (const [frame, persons] of truth.entries())
    for (const person of persons)
      for (const one of tracks[frame] ?? [])
        if (alike(person, one) >= SAME) together[people.indexOf(person.id)]![found.indexOf(one.id)]!++;
  // One extra column per person for "no number": not every person has one.
  const costs = together.map((row) => [...row.map((both) => -both), ...people.map(() => 0)]);
  const right = assign(costs).reduce((sum, column, row) => sum - costs[row]![column]!, 0);
  return (2 * right) / (count(truth) + count(tracks));
}

/** Similarity thresholds for a match: 0.05 to 0.95. */
const ALPHAS = Array.from({ length: 19 }, (_, i) => (i + 1) / 20);

function hota<T extends Numbered>(truth: Sequence<T>, tracks: Sequence<T>, alike: Similarity<T>): number {
  const frames = truth.map((people, frame) => {
    const found = tracks[frame] ?? [];
    return { people, found, likeness: people.map((person) => found.map((one) => alike(person, one))) };
  });
  const [people, numbers] = [numbersOf(truth), numbersOf(tracks)];
  const [lengths, found] = [lengthsOf(truth, people), lengthsOf(tracks, numbers)];
  const row = new Map(people.map((id, index) => [id, index]));
  const column = new Map(numbers.map((id, index) => [id, index]));
  // How well two tracks match as a whole, before any assignment.
  const shared = matrix(people.length, numbers.length);
  for (const frame of frames) {
    const rows = frame.likeness.map((values) => sum(values));
    const columns = frame.found.map((_, j) => sum(frame.likeness.map((values) => values[j]!)));
    frame.people.forEach((person, i) => {
      frame.found.forEach((one, j) => {
        const likeness = frame.likeness[i]![j]!;
        const all = rows[i]! + columns[j]! - likeness;
        if (all > 0) shared[row.get(person.id)!]![column.get(one.id)!]! += likeness / all;
      });
    });
  }
  const fit = shared.map((values, i) => values.map((value, j) => value / (lengths[i]! + found[j]! - value)));
  const matches = ALPHAS.map(() => matrix(people.length, numbers.length));
  for (const frame of frames) {
    const cells = frame.people.map(({ id }) =>
      frame.found.map((one) => [row.get(id)!, column.get(one.id)!] as const),
    );
    const pairs = assign(
      cells.map((line, i) => line.map(([a, b], j) => -fit[a]![b]! * frame.likeness[i]![j]!)),
    );
    pairs.forEach((j, i) => {
      if (j < 0) return;
      const [a, b] = cells[i]![j]!;
      ALPHAS.forEach((alpha, level) => {
        if (frame.likeness[i]![j]! >= alpha - 1e-9) matches[level]![a]![b]!++;
      });
    });
  }
  const [all, told] = [count(truth), count(tracks.slice(0, truth.length))];
  return (
    sum(
      matches.map((pairs) => {
        const right = sum(pairs.flat());
        const associated = sum(
          pairs.flatMap((values, i) => values.map((n, j) => (n * n) / (lengths[i]! + found[j]! - n))),
        );
        return right === 0 ? 0 : Math.sqrt((right / (all + told - right)) * (associated / right));
      }),
    ) / ALPHAS.length
  );
}

/** Reads MOTChallenge's text: `frame, id, left, top, width, height, ...`, frames from 1. */
export function readMot(text: string): Sequence {
  const frames: Box[][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const [frame, id, x, y, width, height] = line.split(',').map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    while (frames.length < frame) frames.push([]);
    frames[frame - 1]!.push({ id, x, y, width, height });
  }
  return frames;
}

const count = <T extends Numbered>(sequence: Sequence<T>): number =>
  sequence.reduce((total, frame) => total + frame.length, 0);
const numbersOf = <T extends Numbered>(sequence: Sequence<T>): number[] => [
  ...new Set(sequence.flat().map(({ id }) => id)),
];
const lengthsOf = <T extends Numbered>(sequence: Sequence<T>, numbers: readonly number[]): number[] => {
  const lengths = new Map(numbers.map((id) => [id, 0]));
  for (const { id } of sequence.flat()) lengths.set(id, lengths.get(id)! + 1);
  return [...lengths.values()];
};
const matrix = (rows: number, columns: number): number[][] =>
  Array.from({ length: rows }, () => new Array<number>(columns).fill(0));
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
