import type { Estimate, Sight } from '../sights/sight.js';
import type { Memory, Recall } from '../memory/memory.js';
import { nextMemory, NOTHING_YET, type MemoryAfter } from '../memory/memory-after.js';
import { BEAT_S, MIN_PROBABILITY, type Reading } from '../networks/memory-layers.js';
import { softmax } from '../networks/softmax.js';
import { mean } from '../../shared/mean.js';
import { expectedError, likeliest } from './person.js';
import { likeliestPlaces, type FloorPlace } from '../sights/places.js';
import type { Scene } from '../inputs/scene.js';
import type { ErrorCalibration, Scale } from '../model/weights.js';

/** A room's memory after one of its recent windows. An earlier version wrote its `state` only. */
export interface Remembered extends Pick<MemoryAfter, 'state'>, Partial<Omit<MemoryAfter, 'state'>> {
  /** Event time of the window, microseconds. */
  readonly time: number;
  /** Probabilities of the postures of a person who is alone; absent if an earlier version wrote it. */
  readonly postures?: readonly number[];
}

const BEAT_US = BEAT_S * 1e6;
/** Windows arrive slightly early or late. */
const TOLERANCE_US = 50_000;
/** Older memories are dropped: people may be anywhere by then. */
const MAX_AGE_US = 10_000_000;

/** The output after a window, and the new memory. */
export interface Recalled {
  readonly recall: Recall;
  readonly remembered: readonly Remembered[];
}

/**
 * Adds one more window. It continues from the memory of the window one beat before, as in training,
 * regardless of the windows' spacing: with more overlap, every second or third window forms a separate
 * sequence. Two sequences can contradict each other about a posture for minutes, so all within a beat judge it
 * together. A late window gets a result but does not update the memory; one far in the past, as after a clock
 * change, restarts it.
 * @param remembered memories of the last windows, oldest first
 * @returns null if the window has numbers that are not finite: it does not update the memory
 */
export function recall(
  memory: Memory,
  remembered: readonly Remembered[],
  { reading, time, size }: { readonly reading: Reading; readonly time: number; readonly size: Scene['size'] },
): Recalled | null {
  const last = remembered.at(-1)?.time ?? -Infinity;
  const known = last - time > MAX_AGE_US ? [] : remembered;
  const beat = known.findLastIndex((one) => one.time <= time - BEAT_US + TOLERANCE_US);
  const from = known[beat];
  const continued = from && time - from.time <= MAX_AGE_US ? from : null;
  const before = continued ? { ...NOTHING_YET, ...continued } : NOTHING_YET;
  const seconds = continued ? (time - continued.time) / 1e6 : BEAT_S;
  const { recall: said, after } = nextMemory(memory, before, { reading, size }, seconds);
  const { cells, room } = after.state;
  if (!cells.every(Number.isFinite) || !room.every(Number.isFinite)) return null;
  const isLate = known.length > 0 && time <= last;
  const { postures } = said.alone;
  const others = known.slice(beat + 1).filter((one) => one.time < time && time - one.time < BEAT_US);
  const all = pooled([postures, ...others.flatMap((one) => (one.postures ? [one.postures] : []))]);
  return {
    recall: { ...said, alone: { ...said.alone, postures: all } },
    remembered: isLate ? known : [...known.slice(Math.max(0, beat)), { time, ...after, postures }],
  };
}

/** Probabilities by the geometric mean of each: a sequence that is certain weighs more. */
function pooled(each: readonly (readonly number[])[]): readonly number[] {
  if (each.length === 1) return each[0]!;
  const logs = each[0]!.map((_, i) => mean(each.map((one) => Math.log(Math.max(MIN_PROBABILITY, one[i]!)))));
  return softmax(logs);
}

/** A reported person. */
export interface PersonEstimate {
  readonly estimate: Estimate;
  /** Expected distance to the true position, metres. */
  readonly error: number;
  /** Whether the joints belong to this person in this posture. */
  readonly drawn: boolean;
}

type Scales = Pick<ErrorCalibration, 'position' | 'several'>;

/** The persons reported from one window alone. */
export function ofOneWindow({ counts, alone, several }: Sight, scales: Scales): PersonEstimate[] {
  const many = countOf(counts) > 1 && several.length > 1;
  const [people, scale] = many ? [several, scales.several] : [[alone], scales.position];
  return people.map((estimate) => ({
    estimate,
    error: expectedError(estimate.scale, scale),
    drawn: true,
  }));
}

/** The persons reported with the memory, each with the pose that the window shows nearest by. */
export function inView(
  sight: Sight,
  recalled: Recall,
  size: Scene['size'],
  scales: Scales,
): PersonEstimate[] {
  const { counts, alone } = recalled;
  if (countOf(counts) > 1) return severalOf(sight, recalled, size, scales.several);
  return [{ estimate: alone, error: expectedError(alone.scale, scales.position), drawn: true }];
}

/** Each at one of the most probable positions of the floor. A pose of the window is used for at most one person. */
function severalOf(
  { alone, several }: Sight,
  { cells, counts, alone: { scale } }: Recall,
  size: Scene['size'],
  law: Scale,
): PersonEstimate[] {
  const posed = several.length > 0 ? several : [alone];
  const free = new Set(posed);
  return likeliestPlaces(cells, size, countOf(counts)).map((place) => {
    const near = nearest([...free], place);
    if (near) free.delete(near);
    const estimate = { ...(near ?? nearest(posed, place)!), root: [place.x, place.y] as const };
    const error = expectedError(Math.hypot(scale, place.spread), law);
    return { estimate, error, drawn: near !== undefined };
  });
}

const countOf = (counts: readonly number[]): number => likeliest(counts.slice(1)) + 1;

/** Undefined if there are none. */
function nearest(posed: readonly Estimate[], { x, y }: FloorPlace): Estimate | undefined {
  const away = ({ root }: Estimate) => Math.hypot(root[0] - x, root[1] - y);
  return [...posed].sort((a, b) => away(a) - away(b))[0];
}
