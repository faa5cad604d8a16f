import { Type } from 'typebox';
import { defineOperator, required } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, concerns, none, one, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

export const filter = defineOperator({
  name: 'filter',
  summary: 'Passes the records for which an expression is true.',
  description: `
Use it to send a sink only the records it needs: falls but no crowds, measures of one zone, frames with people who lie.

The expression reads one kind of record and filters only these; records of other ports pass. Dropped records
are counted as \`filtered\`. [Expressions](../../expressions.md) describes the language and the fields.

Gotchas: reading a field that a record lacks (\`event.location\`, a key of \`metadata\`) turns it into a dead letter: test
\`has(event.metadata.zone)\` first.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ where }) => portsRead([where]),
  stateFields: [],
  timeFields: [],
  config: Type.Object(
    { where: required(expressionField('The records to pass: an expression that is true or false.')) },
    { additionalProperties: false },
  ),
  check: ({ where }) => expressionComplaints([[['where'], where, 'boolean']]),
  examples: [
    {
      title: 'Falls at night',
      config: {
        where:
          'event.type == "fall_detection" && (event.time.getHours("Europe/Berlin") >= 22 || event.time.getHours("Europe/Berlin") < 6)',
      },
    },
    { title: 'One zone', config: { where: 'measure.subject == "kitchen"' } },
    {
      title: 'Frames in which somebody lies',
      config: { where: 'pose.persons.exists(p, p.posture == "lying")' },
    },
  ],
  create: ({ where }, context) => {
    const expression = compileExpression(where, 'boolean');
    return {
      process: (data) =>
        attempt(data, () => {
          if (!concerns(expression, data) || expression.evaluate(data)) return one(data);
          context.metrics.count('filtered', 1);
          return none;
        }),
    };
  },
});
