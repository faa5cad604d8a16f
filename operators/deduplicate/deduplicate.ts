import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { concerns, passingBySeries, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

export const deduplicate = defineOperator({
  name: 'deduplicate',
  summary: 'Passes the first of several repeated records.',
  description: `
Use it if the same thing is reported repeatedly for as long as it lasts. A record is a repetition if the previous one of
its series came less than \`within_ms\` of event time earlier and, with \`value\`, had the same value. Repetitions
are dropped and counted as \`repeated\`. The first record of a series passes, then each change, and the first record after a
silence. \`throttle\` instead passes one record per interval, with or without silence.

A series is the poses of an environment, its events of one type about one person, or its measures of one name about one
subject. \`by\` defines other series: one for each value of the expression in each environment.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ by, value }) => portsRead([by, value]),
  stateFields: ['by', 'value'],
  timeFields: ['time'],
  config: Type.Object(
    {
      within_ms: Type.Number({
        minimum: 1,
        maximum: 2_678_400_000,
        default: 60_000,
        description: 'Silence after which a record counts as new, milliseconds of event time.',
      }),
      value: Type.Optional(
        expressionField("A record is new if this expression's value changes. Default: the value is ignored."),
      ),
      by: Type.Optional(expressionField('The series of a record: an expression.')),
    },
    { additionalProperties: false },
  ),
  check: ({ by, value }) =>
    expressionComplaints([
      [['by'], by, 'key'],
      [['value'], value, 'key'],
    ]),
  examples: [
    { title: 'Events of one type about one person', config: { within_ms: 300_000 } },
    { title: 'Changes of a value', config: { within_ms: 86_400_000, value: 'measure.value' } },
  ],
  create: ({ within_ms, value, by }, context) => {
    const compared = value === undefined ? undefined : compileExpression(value, 'key');
    return passingBySeries<Seen>(
      by,
      context,
      () => {
        context.metrics.count('repeated', 1);
      },
      (record, last) => {
        const now = compared && concerns(compared, record) ? compared.evaluate(record) : null;
        const repeats = last?.value === now && record.time - last.time < within_ms * 1000;
        return {
          passes: !repeats,
          next: { time: Math.max(last?.time ?? -Infinity, record.time), value: now },
        };
      },
    );
  },
});

interface Seen {
  readonly time: number;
  readonly value: string | number | boolean | null;
}
