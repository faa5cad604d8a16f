import { rocAuc } from '../accuracy/statistics.js';
import type { Answer, Judged, Metric } from './task.js';
import { mean } from '../../operators/shared/mean.js';

/** The class of an answer: its highest value. */
export const chosen = (answer: readonly number[]): number => answer.indexOf(Math.max(...answer));

const right = ({ truth, answer }: Judged): boolean => answer !== null && chosen(answer) === truth[0];
const answered = (judged: readonly Judged[]): readonly (Judged & { readonly answer: readonly number[] })[] =>
  judged.filter((one): one is Judged & { answer: readonly number[] } => one.answer !== null);
const share = <T>(all: readonly T[], is: (one: T) => boolean): number =>
  mean(all.map((one) => Number(is(one))));

const recall = (judged: readonly Judged[], of: number): number =>
  share(
    judged.filter(({ truth }) => truth[0] === of),
    right,
  );

export const abstained: Metric = {
  id: 'abstained',
  title: 'no answer',
  unit: 'share',
  of: (judged) => share(judged, ({ answer }) => answer === null),
};

/** A missing answer counts as wrong. */
export const accuracy: Metric = {
  id: 'accuracy',
  title: 'accuracy',
  unit: 'share',
  of: (judged) => share(judged, right),
};

/** Mean of the classes' recalls, so that frequent classes do not dominate. */
export const balanced: Metric = {
  id: 'balanced',
  title: 'balanced accuracy',
  unit: 'share',
  of: (judged) => mean([...new Set(judged.map(({ truth }) => truth[0]!))].map((one) => recall(judged, one))),
};

/** F1 of class 1 of two; seconds without an answer count as class 0. */
export const f1: Metric = {
  id: 'f1',
  title: 'F1',
  unit: 'score',
  of: (judged) => {
    const told = (one: Judged) => one.answer !== null && chosen(one.answer) === 1;
    const count = (is: (one: Judged) => boolean) => judged.filter(is).length;
    const positives = count(({ truth }) => truth[0] === 1);
    return positives === 0
      ? NaN
      : (2 * count((one) => told(one) && one.truth[0] === 1)) / (positives + count(told));
  },
};

/** Mean of sensitivity and specificity of class 1 of two; a missing answer counts as class 0. */
export const balancedOfTwo: Metric = {
  id: 'balanced',
  title: 'balanced accuracy',
  unit: 'share',
  of: (judged) => (sensitivity.of(judged) + 1 - falsePositives.of(judged)) / 2,
};

/** Share of class 0 that is called class 1. */
export const falsePositives: Metric = {
  id: 'falsePositives',
  title: 'false positives',
  unit: 'share',
  of: (judged) =>
    share(
      judged.filter(({ truth }) => truth[0] === 0),
      ({ answer }) => answer !== null && chosen(answer) === 1,
    ),
};

/** Share of class 1 that is called class 1. */
export const sensitivity: Metric = {
  id: 'sensitivity',
  title: 'found',
  unit: 'share',
  of: (judged) => recall(judged, 1),
};

/** Area under the ROC curve of the scores of class 1; a missing answer is the lowest score. */
export const auc: Metric = {
  id: 'auc',
  title: 'ROC AUC',
  unit: 'score',
  of: (judged) => {
    const scores = (of: number) =>
      judged.filter(({ truth }) => truth[0] === of).map(({ answer }) => scoreOf(answer));
    return rocAuc(scores(1), scores(0));
  },
};

const scoreOf = (answer: Answer): number => answer?.[1] ?? -Infinity;

/** Mean of an error over the answers given. */
export const meanError = (
  id: string,
  title: string,
  unit: Metric['unit'],
  error: (answer: readonly number[], truth: readonly number[]) => number,
): Metric => ({
  id,
  title,
  unit,
  of: (judged) =>
    mean(
      answered(judged)
        .map(({ answer, truth }) => error(answer, truth))
        .filter((value) => !Number.isNaN(value)),
    ),
});

/** Share of the answers given that satisfy a condition. */
export const shareOfAnswers = (
  id: string,
  title: string,
  of: (answer: readonly number[], truth: readonly number[]) => number,
): Metric => ({
  id,
  title,
  unit: 'share',
  of: (judged) => mean(answered(judged).map(({ answer, truth }) => of(answer, truth))),
});
