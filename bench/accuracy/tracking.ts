import { assign } from '../../operators/track-persons/assignment.js';

/** A box with the number of whose it is; pixels, from its top left corner. */
export interface Box {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Boxes of each frame in turn. */
export type Sequence = readonly (readonly Box[])[];

export interface TrackingScore {
  readonly truths: number;
  readonly falsePositives: number;
  readonly misses: number;
  /** Times that a person's number changed. */
  readonly switches: number;
  /** Times that a person was lost and found again. */
  readonly fragmentations: number;
  /** 1 - (false positives + misses + switches) / truths: Bernardin and Stiefelhagen, 2008. */
  readonly mota: number;
  /** Share of boxes with the right number, for the best assignment of numbers: Ristani et al., 2016. */
  readonly idf1: number;
}

/** Boxes that overlap by at least half are of the same person, as in MOTChallenge. */
const OVERLAP = 0.5;

/** Scores tracks against the truth. */
export function scoreTracking(truth: Sequence, tracks: Sequence): TrackingScore {
  const truths = count(truth);
  const clear = clearMot(truth, tracks);
  const { falsePositives, misses, switches } = clear;
  const mota = 1 - (falsePositives + misses + switches) / truths;
  return { truths, ...clear, mota, idf1: identityF1(truth, tracks) };
}

interface Followed {
  /** Number that it was last found as. */
  last: number;
  /** Number in the frame before; -1 where it was not found. */
  before: number;
  segments: number;
}

function clearMot(truth: Sequence, tracks: Sequence) {
  const known = new Map<number, Followed>();
  let [matched, switches] = [0, 0];
  for (const [frame, people] of truth.entries()) {
    const found = tracks[frame] ?? [];
    // Whoever was found as a number stays it as long as the boxes overlap; the rest by most overlap.
    const pairs = assign(
      people.map((person) =>
        found.map((box) => {
          const overlap = iou(person, box);
          if (overlap < OVERLAP) return 0;
          return -overlap - (known.get(person.id)?.before === box.id ? 1000 : 0);
        }),
      ),
    );
    people.forEach((person, row) => {
      const box = found[pairs[row]!];
      const entry = known.get(person.id) ?? { last: -1, before: -1, segments: 0 };
      known.set(person.id, entry);
      if (!box || iou(person, box) < OVERLAP) {
        entry.before = -1;
        return;
      }
      matched++;
      if (entry.last >= 0 && entry.last !== box.id) switches++;
      if (entry.before < 0) entry.segments++;
      entry.last = entry.before = box.id;
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

function identityF1(truth: Sequence, tracks: Sequence): number {
  const people = numbersOf(truth);
  const found = numbersOf(tracks);
  const overlaps = people.map(() => found.map(() => 0));
  for (const [frame, boxes] of truth.entries())
    for (const person of boxes)
      for (const box of tracks[frame] ?? [])
        if (iou(person, box) >= OVERLAP) overlaps[people.indexOf(person.id)]![found.indexOf(box.id)]!++;
  // As many columns for nobody as there are people: not every person has a number.
  const costs = overlaps.map((row) => [...row.map((both) => -both), ...people.map(() => 0)]);
  const right = assign(costs).reduce((sum, column, row) => sum - costs[row]![column]!, 0);
  return (2 * right) / (count(truth) + count(tracks));
}

/** Area that two boxes share over the area that they cover. */
export function iou(a: Omit<Box, 'id'>, b: Omit<Box, 'id'>): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (!(width > 0 && height > 0)) return 0;
  const shared = width * height;
  return shared / (a.width * a.height + b.width * b.height - shared);
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

const count = (sequence: Sequence): number => sequence.reduce((sum, boxes) => sum + boxes.length, 0);
const numbersOf = (sequence: Sequence): number[] => [...new Set(sequence.flat().map(({ id }) => id))];
