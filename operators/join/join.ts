import { Type } from 'typebox';
import { defineOperator, required } from '../../pipeline/component/index.js';
import { RESULT_PORTS } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import {
  attempt,
  concerns,
  none,
  one,
  SeriesStates,
  type Result,
  takenPorts,
} from '../shared/record-series.js';
import { expressionField, FieldSetter, portOfSet, setComplaints, SetField } from '../shared/set-fields.js';

interface JoinState {
  readonly latest: readonly { readonly environment: string; readonly record: Result }[];
}

export const join = defineOperator({
  name: 'join',
  summary: 'Adds fields from the latest record of another stream to each record.',
  description: `
Use it to add context to an alert: the breathing rate before a fall, the number of people, the motion in the room.

For each environment it remembers the latest record for which \`where\` is true. Records of the kind that \`where\` reads are
consumed, unless \`set\` changes records of the same kind: then those for which \`where\` is false pass. Each record of
the kind whose fields \`set\` names gets these fields, from expressions that read the record itself and \`latest\`. A record
that arrives before any remembered one, or more than \`max_age_ms\` of event time after it, passes unchanged and is
counted as \`unmatched\`. Records of other ports pass. [Expressions](../../expressions.md) describes the language and the fields.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: ({ where, set }, taken) => {
    const ports = takenPorts(null, taken);
    const [remembered] = portsRead([where]);
    return remembered === portOfSet(set) ? ports : ports.filter((port) => port !== remembered);
  },
  requires: ({ where, set }) => [...new Set([...portsRead([where]), portOfSet(set)])],
  stateFields: ['where'],
  timeFields: ['time', 'windowEnd', 'since'],
  config: Type.Object(
    {
      where: required(expressionField('The records to remember: an expression that is true or false.')),
      set: required(SetField),
      max_age_ms: Type.Number({
        minimum: 1,
        maximum: 2_678_400_000,
        default: 60_000,
        description: 'Largest age of the remembered record, milliseconds of event time.',
      }),
    },
    { additionalProperties: false },
  ),
  check: ({ where, set }) => {
    const wrong = expressionComplaints([[['where'], where, 'boolean']]);
    if (wrong.length > 0) return wrong;
    const [latest] = portsRead([where]);
    if (!latest) return [{ path: ['where'], message: 'must read a record: `event`, `measure` or `pose`' }];
    return setComplaints(set, { latest });
  },
  examples: [
    {
      title: 'The breathing rate of a person who fell',
      config: {
        where: 'measure.name == "breathing_rate_bpm"',
        set: { 'metadata.breathing_rate_bpm': 'latest.value' },
        max_age_ms: 120_000,
      },
    },
  ],
  create: ({ where, set, max_age_ms }, context) => {
    const remembered = compileExpression(where, 'boolean');
    const setter = new FieldSetter(set, { latest: remembered.port! });
    const latest = new SeriesStates<Result>(context);
    return {
      process: (data) =>
        attempt(data, () => {
          if (concerns(remembered, data)) {
            if (remembered.evaluate(data)) {
              const before = latest.get(data.environment);
              // A late record is older than the remembered one.
              if (!before || before.time <= data.time) latest.set(data.environment, data);
              return none;
            }
            if (data.port !== setter.port) return none;
          }
          if (data.port !== setter.port) return one(data);
          const known = latest.get(data.environment);
          if (known && data.time - known.time <= max_age_ms * 1000)
            return one(setter.apply(data, { latest: known }));
          context.metrics.count('unmatched', 1);
          return one(data);
        }),
      snapshot: (): JoinState => ({
        latest: Array.from(latest.entries(), ([environment, record]) => ({ environment, record })),
      }),
      restore: (state: JoinState) => {
        latest.clear();
        for (const { environment, record } of state.latest) latest.set(environment, record);
      },
    };
  },
});
