import { resolve } from 'node:path';
import { Type } from 'typebox';
import { defineOperator, inputFile, required } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, one, takenPorts } from '../shared/record-series.js';
import { expressionField, FieldSetter, portOfSet, setComplaints, SetField } from '../shared/set-fields.js';
import { readTable, type Table } from './table.js';

const ROW = { row: true } as const;

export const enrich = defineOperator({
  name: 'enrich',
  summary: 'Adds fields from a table to records.',
  description: `
Use it to add familiar names to records: the ward of an environment, the telephone number of its nurse, the address of a
flat. The table is a CSV file with a header line, or a JSON file with a list of objects; it is read at startup.

For each record of the kind whose fields \`set\` names, it looks up the value of \`by\` in \`column\`. The expressions of
\`set\` then read the record and \`row\`, the matching row: \`row.ward\`. Values of a CSV file are texts: \`double(row.limit)\`
converts one to a number. A record without a matching row passes unchanged and is counted as \`without_row\`. Records of other
ports pass. [Expressions](../../expressions.md) describes the language and the fields.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ set }) => [portOfSet(set)],
  stateFields: [],
  timeFields: [],
  config: Type.Object(
    {
      table: required(
        inputFile({
          minLength: 1,
          description:
            'CSV file with a header line, or JSON file with a list of objects; relative to the topology file.',
        }),
      ),
      column: required(
        Type.String({
          minLength: 1,
          description: 'Column in which rows are looked up; its values must be unique.',
        }),
      ),
      by: required(expressionField('The value to look up in `column`: an expression that returns a text.')),
      set: required(SetField),
    },
    { additionalProperties: false },
  ),
  check: ({ by, set }) => {
    const wrong = [...expressionComplaints([[['by'], by, 'text']]), ...setComplaints(set, ROW)];
    if (wrong.length > 0) return wrong;
    const [read] = portsRead([by]);
    return read === undefined || read === portOfSet(set)
      ? []
      : [{ path: ['by'], message: `reads \`${read}\`, but \`set\` has fields of \`${portOfSet(set)}\`` }];
  },
  examples: [
    {
      title: 'The ward of a room',
      config: {
        table: 'rooms.csv',
        column: 'environment',
        by: 'event.environment',
        set: { 'metadata.ward': 'row.ward' },
      },
    },
  ],
  create: ({ table: file, column, by, set }, context) => {
    const lookup = compileExpression(by, 'text');
    const setter = new FieldSetter(set, ROW);
    let table: Table = new Map();
    return {
      open: async () => {
        table = await readTable(resolve(context.folder, file), column);
      },
      process: (data) =>
        attempt(data, () => {
          if (data.port !== setter.port) return one(data);
          const row = table.get(lookup.evaluate(data));
          if (row) return one(setter.apply(data, { row }));
          context.metrics.count('without_row', 1);
          return one(data);
        }),
    };
  },
});
