import { Type } from 'typebox';
import { defineOperator, type Output } from '../../pipeline/component/index.js';
import { knownAt, RESULT_PORTS } from '../../pipeline/model/index.js';
import { expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, none, seriesBy, SeriesStates, type Result, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

interface SampleState {
  readonly end: number;
  readonly newest: readonly { readonly series: string; readonly record: Result }[];
}

export const sample = defineOperator({
  name: 'sample',
  summary: 'Outputs the newest record of each series once per interval.',
  description: `
Use it if records arrive more often than a store or a dashboard needs them. Intervals are multiples of \`interval_ms\`
since 1970; a pose belongs to that in which its window ends. At the end of each, the newest record of each series passes unchanged, with its own time; earlier ones of
that interval are counted as \`sampled_out\`. Series without a record in the interval output nothing. \`throttle\` instead passes the first
record of an interval, immediately; \`aggregate\` summarises all of them.

Nothing else waits for the end of an interval: sinks that write in order of time have samples among later records, and an
\`aggregate\` of samples over windows that are no multiples of \`interval_ms\` needs \`late_ms\`.

A series is the poses of an environment, its events of one type about one person, or its measures of one name about one
subject. \`by\` defines other series: one for each value of the expression in each environment.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ by }) => portsRead([by]),
  timeFields: [],
  config: Type.Object(
    {
      interval_ms: Type.Number({
        minimum: 1,
        maximum: 2_678_400_000,
        default: 1000,
        description: 'Length of an interval of event time, milliseconds.',
      }),
      by: Type.Optional(expressionField('The series of a record: an expression.')),
    },
    { additionalProperties: false },
  ),
  check: ({ by }) => expressionComplaints([[['by'], by, 'key']]),
  examples: [{ title: 'Once a minute', config: { interval_ms: 60_000 } }],
  create: ({ interval_ms, by }, context) => {
    const interval = interval_ms * 1000;
    const series = seriesBy(by);
    const newest = new SeriesStates<Result>(context);
    let end = 0;
    const close = (): Output<Result> => {
      const data = [...newest.values()].sort((a, b) => knownAt(a) - knownAt(b));
      newest.clear();
      return { data };
    };
    return {
      process: (data) =>
        attempt(data, () => {
          const name = series(data);
          const at = knownAt(data);
          // The record that ends an interval comes before the watermark that does.
          const ended = newest.size > 0 && at >= end ? close() : none;
          if (newest.size === 0) end = (Math.floor(at / interval) + 1) * interval;
          const before = newest.get(name);
          if (before) context.metrics.count('sampled_out', 1);
          if (!before || before.time <= data.time) newest.set(name, data);
          return ended;
        }),
      watermark: (time) => (newest.size > 0 && time >= end - 1 ? close() : none),
      reanchor: close,
      snapshot: (): SampleState => ({
        end,
        newest: Array.from(newest.entries(), ([name, record]) => ({ series: name, record })),
      }),
      restore: ({ end: restored, newest: records }: SampleState) => {
        end = restored;
        newest.clear();
        for (const { series: name, record } of records) newest.set(name, record);
      },
    };
  },
});
