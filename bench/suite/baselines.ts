import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import type { Answer, Case } from './task.js';

/** The answer that is certain of a class. */
export const sure = (label: number, classes: number): readonly number[] =>
  Array.from({ length: classes }, (_, one) => Number(one === label));

export const MAJORITY = 'always the most frequent class';
export const RANDOM = 'a random class';

const STREAM = 94;

/**
 * Adds the answers that need no CSI: the most frequent class of the other groups (of its own, where there is
 * only one), and a random one.
 */
export function withBaselines(cases: readonly Case[], classes: number, seed: number): readonly Case[] {
  const random = new Random(seed, STREAM);
  const majority = new Map<string, Answer>();
  for (const group of new Set(cases.map((one) => one.group))) {
    const others = cases.filter((one) => one.group !== group);
    majority.set(group, sure(mostFrequent(others.length > 0 ? others : cases, classes), classes));
  }
  return cases.map((one) => ({
    ...one,
    answers: {
      ...one.answers,
      [MAJORITY]: majority.get(one.group)!,
      [RANDOM]: sure(random.below(classes), classes),
    },
  }));
}

function mostFrequent(cases: readonly Case[], classes: number): number {
  const counts = Array.from(
    { length: classes },
    (_, label) => cases.filter(({ truth }) => truth[0] === label).length,
  );
  return counts.indexOf(Math.max(...counts));
}
