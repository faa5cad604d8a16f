import { Type } from 'typebox';
import { choice, defineOperator, required } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, MAX_EXPRESSION, portsRead } from '../shared/expression.js';
import { attempt, concerns, none, takenPorts } from '../shared/record-series.js';

export const route = defineOperator({
  name: 'route',
  summary: 'Sends each record to the routes whose expression is true.',
  description: `
Use it to send records of one stream to different nodes. Read a route as \`node.route\`:

\`\`\`yaml
operators:
  by_hour: { type: route, from: falls, routes: { day: 'event.time.getHours("Europe/Berlin") in [8, 9, 10]' }, rest: night }
sinks:
  office: { type: webhook, from: by_hour.day, url: https://example.com/office }
  nurse: { type: webhook, from: by_hour.night, url: https://example.com/nurse }
\`\`\`

An expression applies to the kind of record that it reads. Records that match no route go to \`rest\`; without \`rest\` they are counted
as \`unrouted\`. A node that reads the whole operator (\`from: by_hour\`) receives the records of all routes;
with \`each: all\`, once for each matching route. If the node is disabled (\`enabled: false\`), every route receives every record.
[Expressions](../../expressions.md) describes the language and the fields.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ routes }) =>
    portsRead(Object.values(routes)).length === 1 ? portsRead(Object.values(routes)) : [],
  routes: ({ routes, rest }) => [...Object.keys(routes), ...(rest === undefined ? [] : [rest])],
  stateFields: [],
  timeFields: [],
  config: Type.Object(
    {
      routes: required(
        Type.Record(
          Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
          Type.String({ minLength: 1, maxLength: MAX_EXPRESSION }),
          {
            minProperties: 1,
            maxProperties: 32,
            description: 'Routes by name, in order, each with its expression.',
          },
        ),
      ),
      rest: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
          'x-expected': 'must be a letter, then at most 63 letters, digits, _ and -',
          description: 'Name of the route for records that match no other.',
        }),
      ),
      each: choice(
        {
          first: 'A record takes the first matching route.',
          all: 'A record takes all matching routes.',
        },
        { default: 'first', description: 'What to do if several routes match.' },
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ routes, rest }) => [
    ...expressionComplaints(
      Object.entries(routes).map(([name, text]) => [['routes', name], text, 'boolean'] as const),
    ),
    ...(rest !== undefined && Object.hasOwn(routes, rest)
      ? [{ path: ['rest'], message: `\`${rest}\` is already the name of a route` }]
      : []),
  ],
  examples: [
    {
      title: 'By severity',
      config: { routes: { urgent: 'event.severity in ["high", "critical"]' }, rest: 'later' },
    },
  ],
  create: ({ routes, rest, each }, context) => {
    const rules = Object.entries(routes).map(
      ([name, text]) => [name, compileExpression(text, 'boolean')] as const,
    );
    return {
      process: (data) =>
        attempt(data, () => {
          const fitting: string[] = [];
          for (const [name, rule] of rules) {
            if (!concerns(rule, data) || !rule.evaluate(data)) continue;
            fitting.push(name);
            if (each === 'first') break;
          }
          if (fitting.length === 0 && rest !== undefined) fitting.push(rest);
          if (fitting.length > 0) return { data: fitting.map(() => data), routes: fitting };
          context.metrics.count('unrouted', 1);
          return none;
        }),
    };
  },
});
