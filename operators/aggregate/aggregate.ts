import { Type } from 'typebox';
import { choice, defineOperator, type Output, required } from '../../pipeline/component/index.js';
import { RESULT_PORTS, type Measure } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, none } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';
import { STATISTICS } from './statistics.js';
import { Windows, type WindowsState } from './windows.js';

export const aggregate = defineOperator({
  name: 'aggregate',
  summary: 'Counts and summarises records over windows of event time.',
  description: `
Use it for figures over time: the occupancy of each zone in five minutes, falls per hour, the median breathing rate of a night.
Windows are \`window_ms\` long and end at multiples of \`hop_ms\` since 1970; without \`hop_ms\` they are adjacent, with a
shorter one they overlap. At the end of each window in which a series has records it outputs one measure for each of
\`give\`, named \`NAME_STATISTIC\` (\`occupancy_mean\`), at the time of the window's end, with the series of \`by\` as its subject.

\`value\` and \`by\` are expressions over the records for which \`where\` is true, and read the same kind of record; without \`value\`
only \`count\` is available. A pose counts in the window in which its own ends. Records that arrive later than \`late_ms\` after their window has ended are dropped as \`late\`.
With \`late_ms\`, the figures come that much later, still with the window's end as their time. Nothing else waits for them: sinks that
write in order of time have them among later records, and an \`aggregate\` of these figures needs a \`late_ms\` of its own, at least as long.
[Expressions](../../expressions.md) describes the language and the fields.

Gotchas: a window without records outputs nothing, not a count of 0. Windows follow UTC: a day begins at midnight there.
Quantiles hold the values of a window in memory, at most 10,000 per hop and series and 1,000,000 in all; further values
are missing from the quantiles and counted as \`values_left_out\`.
`,
  inputs: RESULT_PORTS,
  outputs: ['measure'],
  requires: ({ where, value, by }) => portsRead([value, where, by]),
  stateFields: ['window_ms', 'hop_ms', 'by', 'value', 'where', 'give'],
  timeFields: [],
  config: Type.Object(
    {
      name: required(
        Type.String({
          pattern: '^[a-z][a-z0-9_]{0,47}$',
          'x-expected': 'must be a small letter, then at most 47 small letters, digits and _',
          description: "Prefix of the measures' names: small letters, digits, `_`.",
        }),
      ),
      window_ms: Type.Integer({
        minimum: 1,
        maximum: 2_678_400_000,
        default: 60_000,
        description: 'Length of a window, milliseconds: a multiple of `hop_ms`.',
      }),
      hop_ms: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 2_678_400_000,
          description: 'Time between the ends of two windows, milliseconds. Default: `window_ms`.',
        }),
      ),
      late_ms: Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        default: 0,
        description:
          'How long after its end a window waits for records that arrive late, milliseconds; this delays its figures by as much. Figures of a minute have the time of its start, so they need 60,000 or more.',
      }),
      value: Type.Optional(expressionField('The value to summarise: an expression that returns a number.')),
      where: Type.Optional(expressionField('The records to summarise: an expression that is true or false.')),
      by: Type.Optional(
        expressionField(
          'The series that a record belongs to, and the subject of its measures: an expression that returns a text.',
        ),
      ),
      give: Type.Array(choice(STATISTICS, { description: 'A statistic.' }), {
        minItems: 1,
        maxItems: 12,
        uniqueItems: true,
        default: ['count'],
        description: 'The statistics to output.',
      }),
    },
    { additionalProperties: false },
  ),
  check: ({ window_ms, hop_ms, value, where, by, give }) => {
    const expressions = expressionComplaints([
      [['value'], value, 'number'],
      [['where'], where, 'boolean'],
      [['by'], by, 'subject'],
    ]);
    if (expressions.length > 0) return expressions;
    if (portsRead([value, where, by]).length !== 1)
      return [
        {
          path: [],
          message: '`value`, `where` and `by` must read one kind of record: `event`, `measure` or `pose`',
        },
      ];
    if (value === undefined && give.some((statistic) => statistic !== 'count'))
      return [{ path: ['give'], message: 'without `value` only `count` can be given' }];
    const hop = hop_ms ?? window_ms;
    if (window_ms % hop !== 0 || window_ms / hop > 1000)
      return [{ path: ['window_ms'], message: 'must be a multiple of `hop_ms`, and at most 1000 times it' }];
    return [];
  },
  examples: [
    {
      title: 'People in each zone, every five minutes',
      config: {
        name: 'zone_occupancy',
        where: 'measure.name == "occupancy_mean" && measure.subject != null',
        by: 'measure.subject',
        value: 'measure.value',
        window_ms: 300_000,
        late_ms: 120_000,
        give: ['mean'],
      },
    },
    {
      title: 'Falls per hour',
      config: { name: 'falls', where: 'event.type == "fall_detection"', window_ms: 3_600_000 },
    },
  ],
  create: ({ name, window_ms, hop_ms, late_ms, value, where, by, give }, context) => {
    const compiled = {
      value: value === undefined ? undefined : compileExpression(value, 'number'),
      where: where === undefined ? undefined : compileExpression(where, 'boolean'),
      by: by === undefined ? undefined : compileExpression(by, 'subject'),
    };
    // Some expressions read no record: `value: '1.0'`.
    const [read] = portsRead([value, where, by]);
    const windows = new Windows(1000 * window_ms, 1000 * (hop_ms ?? window_ms), give, context);
    const close = (time: number): Output<Measure> => {
      const data = windows.close(time, name);
      return data.length > 0 ? { data } : none;
    };
    return {
      process: (data) =>
        attempt(data, () => {
          if (data.port !== read || compiled.where?.evaluate(data) === false) return none;
          const amount = compiled.value ? compiled.value.evaluate(data) : 1;
          windows.add(data, amount, compiled.by ? compiled.by.evaluate(data) : null);
          return none;
        }),
      watermark: (time) => close(time - 1000 * late_ms),
      reanchor: () => {
        const closed = close(Infinity);
        windows.reset();
        return closed;
      },
      snapshot: () => windows.snapshot(),
      restore: (state: WindowsState) => {
        windows.restore(state);
      },
    };
  },
});
