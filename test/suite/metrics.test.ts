import { expect, it } from 'vitest';
import { sure, withBaselines, MAJORITY, RANDOM } from '../../bench/suite/baselines.js';
import {
  abstained,
  accuracy,
  auc,
  balanced,
  balancedOfTwo,
  f1,
  falsePositives,
} from '../../bench/suite/metrics.js';
import { scored } from '../../bench/suite/score.js';
import { cell } from '../../bench/accuracy/chain/table.js';
import type { Case, Judged } from '../../bench/suite/task.js';
import { TASKS } from '../../bench/suite/tasks/suite.js';

/** Two classes: 3 of 4 found, 1 of 2 false, and one of each class without an answer. */
const judged: Judged[] = [
  ...[1, 1, 1].map(() => ({ truth: [1], answer: sure(1, 2) })),
  { truth: [1], answer: null },
  { truth: [0], answer: sure(1, 2) },
  { truth: [0], answer: null },
];

it('counts missing answers as the task says, and shows their share', () => {
  expect(abstained.of(judged)).toBeCloseTo(2 / 6);
  expect(accuracy.of(judged)).toBeCloseTo(3 / 6);
  expect(balanced.of(judged)).toBeCloseTo((3 / 4 + 0) / 2);
  expect(falsePositives.of(judged)).toBeCloseTo(1 / 2);
  expect(balancedOfTwo.of(judged)).toBeCloseTo((3 / 4 + 1 / 2) / 2);
  expect(f1.of(judged)).toBeCloseTo((2 * 3) / (4 + 4));
});

it('computes the ROC curve from scores, whatever was decided', () => {
  const scores = [0.9, 0.4, 0.6, 0.1];
  const clips = scores.map((score, index) => ({ truth: [Number(index < 2)], answer: [Infinity, score] }));
  expect(auc.of(clips)).toBeCloseTo(3 / 4);
});

const caseOf = (group: string, label: number, answer: number | null): Case => ({
  group,
  part: '',
  truth: [label],
  answers: { csiflow: answer === null ? null : sure(answer, 2) },
});

it('uses the most frequent class of the other groups alone', () => {
  const cases = withBaselines([caseOf('a', 0, 0), caseOf('a', 0, 0), caseOf('b', 1, 1)], 2, 1);
  expect(cases.map(({ answers }) => answers[MAJORITY])).toEqual([sure(1, 2), sure(1, 2), sure(0, 2)]);
  expect(cases.every(({ answers }) => answers[RANDOM]?.length === 2)).toBe(true);
});

it('has an interval over groups, and none for a single one', () => {
  const several = [caseOf('a', 0, 0), caseOf('b', 0, 1), caseOf('c', 1, 1)];
  const task = TASKS['activity-rpi4'];
  const wide = cell(scored('activity-rpi4', task, several, []), 'csiflow', 'accuracy');
  expect([wide.low, wide.high, wide.rooms]).toEqual([0, 1, 3]);
  const one = cell(
    scored('activity-rpi4', task, [caseOf('a', 0, 0), caseOf('a', 1, 0)], []),
    'csiflow',
    'accuracy',
  );
  expect([one.value, one.low, one.high]).toEqual([0.5, 0.5, 0.5]);
});

it('omits the row of a method that was not called', () => {
  const table = scored('activity-rpi4', TASKS['activity-rpi4'], [caseOf('a', 0, 0)], ['never asked']);
  expect(table.rows.map(({ name }) => name)).toEqual(['csiflow']);
});
