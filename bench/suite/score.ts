import { exact, over, type Figure } from '../accuracy/chain/bootstrap.js';
import type { Row, Table } from '../accuracy/chain/table.js';
import type { TaskName } from './contracts.js';
import { OWN, type Case, type Metric, type Task } from './task.js';

/** Builds a task's table from its cases: a row for each method, and for csiflow one per part too. */
export function scored(id: TaskName, task: Task, cases: readonly Case[], models: readonly string[]): Table {
  const groups = groupsOf(cases);
  const parts = [...new Set(cases.map(({ part }) => part))];
  const row = (name: string, method: string, of = groups): Row => ({
    name,
    baseline: task.baselines.includes(method),
    cells: {
      ...Object.fromEntries(task.metrics.map((metric) => [metric.id, figure(metric, method, of)])),
      cases: exact(of.flat().filter(({ answers }) => method in answers).length),
    },
  });
  const partRows =
    parts.length < 2
      ? []
      : parts.map((part) => row(`${OWN}, ${part}`, OWN, groupsOf(cases.filter((one) => one.part === part))));
  const rows = [
    row(OWN, OWN),
    ...partRows,
    ...models.map((model) => row(model, model)),
    ...task.baselines.map((baseline) => row(baseline, baseline)),
  ];
  return {
    id,
    title: task.title,
    method: task.method,
    columns: [
      ...task.metrics.map(({ id: column, title, unit }) => ({ id: column, title, unit })),
      { id: 'cases', title: 'cases', unit: 'count' },
    ],
    rows: rows.filter(({ cells }) => (cells['cases']?.value ?? 0) > 0),
  };
}

const groupsOf = (cases: readonly Case[]): readonly (readonly Case[])[] =>
  [...new Set(cases.map(({ group }) => group))].map((group) => cases.filter((one) => one.group === group));

/** With its interval over groups; without one if there is only one group. */
function figure(metric: Metric, method: string, groups: readonly (readonly Case[])[]): Figure {
  const judged = groups
    .map((cases) =>
      cases
        .filter(({ answers }) => method in answers)
        .map(({ truth, answers }) => ({ truth, answer: answers[method] ?? null })),
    )
    .filter((cases) => cases.length > 0);
  if (judged.length < 2) return exact(metric.of(judged.flat()));
  return over(judged, (drawn) => metric.of(drawn.flat()));
}
