import { Type } from 'typebox';
import { defineOperator, type Output, required } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, concerns, none, one, type Result, takenPorts } from '../shared/record-series.js';
import { expressionField } from '../shared/set-fields.js';

/** Limit of held records; beyond it, the record that is due first is released early and counted. */
const MAX_HELD = 10_000;

interface Held {
  readonly until: number;
  readonly record: Result;
}

interface DelayState {
  readonly held: readonly Held[];
}

export const delayUntil = defineOperator({
  name: 'delay-until',
  summary: 'Holds records until a time, unless another record cancels them.',
  description: `
Use it to wait before reporting: somebody who is up again within a minute needs no nurse; events of the night are reported in
the morning. Each record of the kind that \`until\` reads is held until event time has reached the value of that expression. If
a record of the same environment arrives in the meantime for which \`unless\` is true, all held records of this environment are
dropped and counted as \`cancelled\`. \`where\` selects the records to hold; all others pass immediately.

A held record is released unchanged, with its own time: operators behind it see a late record.
[Expressions](../../expressions.md) describes the language and the fields.

Gotchas: without input, event time stands still and nothing is released; live sources advance it. At the
end of the input all held records are released. At most 10,000 records are held; beyond that, the one due first is released early and
counted as \`released_early\`.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: takenPorts,
  requires: ({ until, where }) => portsRead([until, where]),
  stateFields: ['until', 'where'],
  timeFields: ['until', 'time', 'windowEnd', 'since'],
  config: Type.Object(
    {
      until: required(expressionField('When to release a record: an expression that returns a time.')),
      where: Type.Optional(expressionField('Which records to hold: an expression that is true or false.')),
      unless: Type.Optional(
        expressionField(
          'A record for which this expression is true drops the held records of its environment.',
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ until, where, unless }) => {
    const wrong = expressionComplaints([
      [['until'], until, 'time'],
      [['where'], where, 'boolean'],
      [['unless'], unless, 'boolean'],
    ]);
    if (wrong.length > 0) return wrong;
    return portsRead([until, where]).length === 1
      ? []
      : [
          {
            path: ['until'],
            message: 'must read a record of the kind that `where` reads: `event`, `measure` or `pose`',
          },
        ];
  },
  examples: [
    {
      title: 'Falls after which nobody gets up within a minute',
      config: {
        where: 'event.type == "fall_detection"',
        until: 'event.time + duration("60s")',
        unless: 'event.type == "activity_changed" && event.metadata.activity == "walking"',
      },
    },
  ],
  create: ({ until, where, unless }, context) => {
    const due = compileExpression(until, 'time');
    const isHeld = where === undefined ? undefined : compileExpression(where, 'boolean');
    const cancels = unless === undefined ? undefined : compileExpression(unless, 'boolean');
    // Some expressions read no record: `until: 'timestamp(...)'`.
    const [read] = portsRead([until, where]);
    let held: Held[] = [];
    const hold = (record: Result): Output<Result> => {
      const time = due.evaluate(record).getTime() * 1000;
      // Behind those due at the same time, so that records stay in order.
      const at = held.findIndex((other) => other.until > time);
      held.splice(at < 0 ? held.length : at, 0, { until: time, record });
      if (held.length <= MAX_HELD) return none;
      context.metrics.count('released_early', 1);
      return one(held.shift()!.record);
    };
    const cancel = (record: Result): void => {
      const before = held.length;
      held = held.filter((other) => other.record.environment !== record.environment);
      if (held.length < before) context.metrics.count('cancelled', before - held.length);
    };
    return {
      process: (data) =>
        attempt(data, () => {
          if (cancels && concerns(cancels, data) && cancels.evaluate(data)) cancel(data);
          const waits = data.port === read && (isHeld === undefined || isHeld.evaluate(data));
          return waits ? hold(data) : one(data);
        }),
      watermark: (time) => {
        let ready = 0;
        while (ready < held.length && held[ready]!.until <= time) ready++;
        return ready === 0 ? none : { data: held.splice(0, ready).map(({ record }) => record) };
      },
      snapshot: (): DelayState => ({ held: [...held] }),
      restore: (state: DelayState) => {
        held = [...state.held];
      },
    };
  },
});
