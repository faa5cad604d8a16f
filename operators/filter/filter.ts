import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, concerns, none, one, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

export const filter = defineOperator({
  name: 'filter',
  summary: 'Passes on the records for which an expression is true.',
  description: `
Use it to send a sink only what it is there for: falls but no crowds, measures of one zone, people who lie.

The expression reads one kind of record, and decides about these alone; records of other ports pass. Those that are
filtered out are counted as \`filtered\`. [Expressions](../../expressions.md) has the language and the fields.

Gotchas: a field that a record does not have (\`event.location\`, a key of \`metadata\`) makes it a dead letter: ask
\`has(event.metadata.zone)\` first.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ where }) => portsRead([where]),
  stateFields: [],
  timeFields: [],
  config: Type.Object(
    { where: expressionField('Which records are passed on: an expression that is true or false.') },
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
          if (!concerns(expression, data) || expression.evaluate(data) === true) return one(data);
          context.metrics.count('filtered', 1);
          return none;
        }),
    };
  },
});
