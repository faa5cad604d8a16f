import { assign } from './assignment.js';

/** What the search for the likeliest explanation of a frame asks. Costs are negative log-likelihoods. */
export interface Explanation {
  /** Tracks to be explained. */
  readonly tracks: number;
  /** Persons that are told. */
  readonly persons: number;
  /** Of a person who is told for these tracks together; Infinity where it cannot be. */
  cost(group: readonly number[], person: number): number;
  /** Of nothing being told for these tracks. */
  missed(group: readonly number[]): number;
  /** Probability that two tracks are told as one. */
  merged(a: number, b: number): number;
}

/** Two of a lower probability are never taken for one. */
const LEAST = 0.02;
/** Of more tracks none are told as one: the ways of grouping them would be too many (203 of six). */
const MOST_GROUPED = 6;

/** The person of each track, -1 where it has none; tracks that are told as one have the same. */
export function explain(scene: Explanation): number[] {
  let best: { cost: number; matches: number[] } = { cost: Infinity, matches: [] };
  for (const groups of groupings(scene)) {
    const { cost, matches } = explainGroups(scene, groups);
    if (cost < best.cost) best = { cost, matches };
  }
  return best.matches;
}

/** All partitions of the tracks into groups of those that may be told as one. */
function groupings(scene: Explanation): number[][][] {
  const tracks = Array.from({ length: scene.tracks }, (_, track) => track);
  if (tracks.length > MOST_GROUPED) return [tracks.map((track) => [track])];
  const fits = (group: readonly number[], track: number) =>
    group.every((other) => scene.merged(other, track) >= LEAST);
  return tracks.reduce<number[][][]>(
    (ways, track) =>
      ways.flatMap((groups) => [
        [...groups, [track]],
        ...groups.flatMap((group, at) => (fits(group, track) ? [groups.with(at, [...group, track])] : [])),
      ]),
    [[]],
  );
}

function explainGroups(scene: Explanation, groups: readonly (readonly number[])[]) {
  const { persons } = scene;
  // A column of its own for each group of whom nothing is told.
  const costs = groups.map((group, row) => [
    ...Array.from({ length: persons }, (_, person) => Math.min(scene.cost(group, person), NEVER)),
    ...groups.map((_, column) => (column === row ? scene.missed(group) : NEVER)),
  ]);
  const pairs = assign(costs);
  const matches = new Array<number>(scene.tracks).fill(-1);
  let cost = meetings(scene, groups);
  groups.forEach((group, row) => {
    const column = pairs[row]!;
    cost += costs[row]![column]!;
    if (column < persons && costs[row]![column]! < NEVER) for (const track of group) matches[track] = column;
  });
  return { cost, matches };
}

/** Of these tracks being told as one, and those not. */
function meetings(scene: Explanation, groups: readonly (readonly number[])[]): number {
  if (scene.tracks > MOST_GROUPED) return 0;
  let cost = 0;
  groups.forEach((group, at) => {
    for (const a of group) {
      for (const b of group) if (a < b) cost -= Math.log(scene.merged(a, b));
      for (const b of groups.slice(at + 1).flat()) cost -= Math.log(Math.max(1e-6, 1 - scene.merged(a, b)));
    }
  });
  return cost;
}

/** Cost of what cannot be: more than any explanation that can. */
const NEVER = 1e6;
