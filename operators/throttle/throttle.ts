import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { expressionComplaints, portsRead } from '../shared/expression.js';
import { passingBySeries, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

export const throttle = defineOperator({
  name: 'throttle',
  summary: 'Passes at most one record of a series per interval.',
  description: `
Use it to limit how often people are notified: the first record passes immediately, and none of the same series
until \`interval_ms\` of event time have passed. \`sample\` instead passes the newest of each interval, at its end.

A series is the poses of an environment, its events of one type about one person, or its measures of one name about one
subject. \`by\` defines other series: one for each value of the expression in each environment. Dropped records
are counted as \`throttled\`.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ by }) => portsRead([by]),
  stateFields: ['by'],
  timeFields: ['time'],
  config: Type.Object(
    {
      interval_ms: Type.Number({
        minimum: 1,
        maximum: 2_678_400_000,
        default: 60_000,
        description: 'Event time between two records of a series, milliseconds.',
      }),
      by: Type.Optional(expressionField('The series of a record: an expression.')),
    },
    { additionalProperties: false },
  ),
  check: ({ by }) => expressionComplaints([[['by'], by, 'key']]),
  examples: [
    { title: 'One alert of each type in ten minutes', config: { interval_ms: 600_000 } },
    { title: 'One alert of any type', config: { interval_ms: 600_000, by: 'event.environment' } },
  ],
  create: ({ interval_ms, by }, context) =>
    passingBySeries<{ readonly time: number }>(
      by,
      context,
      () => {
        context.metrics.count('throttled', 1);
      },
      ({ time }, last) =>
        last && time - last.time < interval_ms * 1000
          ? { passes: false, next: last }
          : { passes: true, next: { time } },
    ),
});
