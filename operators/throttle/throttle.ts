import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { expressionComplaints, portsRead } from '../shared/expression.js';
import { passingBySeries, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

export const throttle = defineOperator({
  name: 'throttle',
  summary: 'Passes on at most one record of a series in an interval.',
  description: `
Use it in front of whoever must not be disturbed too often: the first record passes at once, and none of the same series
until \`interval_ms\` of event time are over. \`sample\` gives the newest of each interval instead, at its end.

A series is the poses of an environment, its events of one type about one person, or its measures of one name about one
subject. \`by\` makes other series: one for each value of the expression in each environment. Records that are not passed on
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
      by: Type.Optional(expressionField('What makes a series: an expression.')),
    },
    { additionalProperties: false },
  ),
  check: ({ by }) => expressionComplaints([[['by'], by, 'key']]),
  examples: [
    { title: 'One alert of a kind in ten minutes', config: { interval_ms: 600_000 } },
    { title: 'One alert of whatever kind', config: { interval_ms: 600_000, by: 'event.environment' } },
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
