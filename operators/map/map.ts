import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import { RESULT_PORTS, type Measure } from '../../pipeline/model/index.js';
import { compileExpression, expressionComplaints, portsRead } from '../shared/expression.js';
import { attempt, one, type Result, takenPorts } from '../shared/record-series.js';
import { expressionField, FieldSetter, portOfSet, setComplaints, SetField } from '../shared/set-fields.js';

/** How far the time of measures is behind event time, microseconds. */
interface MapState {
  readonly behind: number;
}

/** Until a pose shows its own: half a window of 2 s. */
const USUAL_BEHIND_US = 1_000_000;

export const map = defineOperator({
  name: 'map',
  summary: 'Sets fields of records, or turns records into measures, by expressions.',
  description: `
It does one of two things:

- \`set\` gives each event, or each measure, new values for some fields. Everything else stays, including id and time.
- \`measure\` replaces each record of the kind that its \`value\` reads with a measure: the number of people in a pose
  frame, the confidence of an event. It has the record's time, environment and origin. The time of a pose is the middle of its window, so event time is held back by half a window behind such a node.

Records of other ports pass. [Expressions](../../expressions.md) describes the language and the fields.

Gotchas: stores identify a measure by environment, name, subject and time: two measures with the same values of these become one.
`,
  inputs: RESULT_PORTS,
  outputs: RESULT_PORTS,
  gives: ({ measure }, taken) => {
    const ports = takenPorts(null, taken);
    if (!measure) return ports;
    const [read] = portsRead([measure.value, measure.subject]);
    return [...new Set([...ports.filter((port) => port !== read), 'measure' as const])];
  },
  requires: ({ set, measure }) =>
    measure ? portsRead([measure.value, measure.subject]) : set ? [portOfSet(set)] : [],
  stateFields: [],
  timeFields: [],
  config: Type.Object(
    {
      set: Type.Optional(SetField),
      measure: Type.Optional(
        Type.Object(
          {
            name: Type.String({
              pattern: '^[a-z][a-z0-9_]{0,63}$',
              description:
                'Name of the measure, including its unit if it has one: small letters, digits, `_`.',
            }),
            value: expressionField('Its value: an expression that returns a number.'),
            subject: Type.Optional(
              expressionField('What it is about, within the environment. Default: the whole environment.'),
            ),
          },
          { additionalProperties: false, description: 'A measure that replaces each record.' },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  check: ({ set, measure }) => {
    if ((set === undefined) === (measure === undefined))
      return [{ path: [], message: 'set either `set` or `measure`' }];
    if (set) return setComplaints(set);
    const wrong = expressionComplaints([
      [['measure', 'value'], measure?.value, 'number'],
      [['measure', 'subject'], measure?.subject, 'subject'],
    ]);
    if (wrong.length > 0 || portsRead([measure?.value, measure?.subject]).length === 1) return wrong;
    const message = '`value` and `subject` must read one kind of record: `event`, `measure` or `pose`';
    return [{ path: ['measure'], message }];
  },
  examples: [
    { title: 'Falls in the bathroom are critical', config: { set: { severity: '"critical"' } } },
    {
      title: 'Number of people',
      config: { measure: { name: 'people', value: 'size(pose.persons)' } },
    },
    { title: 'Another unit', config: { set: { value: 'measure.value * 60', name: '"walking_minutes"' } } },
  ],
  create: ({ set, measure }) => {
    if (set) {
      const setter = new FieldSetter(set);
      return {
        process: (data) => attempt(data, () => one(data.port === setter.port ? setter.apply(data) : data)),
      };
    }
    const value = compileExpression(measure!.value, 'number');
    const subject =
      measure!.subject === undefined ? undefined : compileExpression(measure!.subject, 'subject');
    const [read] = portsRead([measure!.value, measure!.subject]);
    const atFirst = read === 'pose' ? USUAL_BEHIND_US : 0;
    let behind = atFirst;
    return {
      process: (data) =>
        attempt(data, () => {
          if (data.port !== read) return one(data);
          if (data.port === 'pose') behind = Math.max(behind, data.windowEnd - data.time);
          return one({
            ...measureOf(data, measure!.name, value.evaluate(data)),
            subject: subject ? subject.evaluate(data) : null,
          });
        }),
      holdWatermark: (time) => time - behind,
      snapshot: (): MapState => ({ behind }),
      // Earlier versions, and a map with `set`, have no state.
      restore: (state: MapState | undefined) => {
        behind = state?.behind ?? atFirst;
      },
    };
  },
});

const measureOf = (record: Result, name: string, value: number): Measure => ({
  port: 'measure',
  name,
  environment: record.environment,
  subject: null,
  time: record.time,
  value,
  source: record.port === 'pose' ? 'csiflow' : record.source,
  provenance: record.provenance,
});
