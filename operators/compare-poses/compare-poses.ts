import { Type } from 'typebox';
import { defineOperator } from '../../pipeline/component/index.js';
import type { Measure, Person, PoseFrame } from '../../pipeline/model/index.js';
import { attempt, none, SeriesStates } from '../shared/record-series.js';
import { WRITES } from './written.js';

interface CompareState {
  readonly waiting: readonly { readonly environment: string; readonly frame: PoseFrame }[];
}

export const comparePoses = defineOperator({
  name: 'compare-poses',
  summary:
    'Measures how far the poses of two nodes disagree, for a model that runs in the shadow of another.',
  description: `
Read two \`infer-pose\` nodes behind the same \`window\`, as in \`from: [poses, shadow]\`: the one that others read, and one with a
new model, whose poses reach no tracker and no store. \`from\` must name exactly two. For each window, these measures are output:

- \`pose_count_difference\`: difference of the numbers of people
- \`pose_distance_m\`: mean distance on the floor between the people of both, each matched with the nearest; only if both see somebody
- \`pose_posture_difference\`: share of the matched people whose postures differ

Pose frames of the same environment and event time are compared. One whose counterpart is missing, because it was shed or failed, is
counted as \`unmatched\`.
`,
  inputs: ['pose'],
  nodesRead: 2,
  outputs: ['measure'],
  writes: WRITES,
  timeFields: ['time', 'windowEnd'],
  config: Type.Object({}, { additionalProperties: false }),
  examples: [{ title: 'Behind two models', config: {} }],
  create: (_config, context) => {
    /** The last pose frame of each environment without a counterpart. */
    const waiting = new SeriesStates<PoseFrame>(context);
    return {
      process: (poseFrame) =>
        attempt(poseFrame, () => {
          const { environment, time } = poseFrame;
          const other = waiting.get(environment);
          if (other?.time === time) {
            waiting.delete(environment);
            return { data: compared(other, poseFrame) };
          }
          if (other) context.metrics.count('unmatched', 1);
          waiting.set(environment, poseFrame);
          return none;
        }),
      snapshot: (): CompareState => ({
        waiting: Array.from(waiting.entries(), ([environment, poseFrame]) => ({
          environment,
          frame: poseFrame,
        })),
      }),
      restore: (state: CompareState) => {
        waiting.clear();
        for (const { environment, frame: poseFrame } of state.waiting) waiting.set(environment, poseFrame);
      },
    };
  },
});

function compared(a: PoseFrame, b: PoseFrame): readonly Measure[] {
  const measure = (name: string, value: number): Measure => ({
    port: 'measure',
    ...{ name, environment: a.environment, subject: null, time: a.time, value },
    source: 'csiflow',
    provenance: { origin: a.provenance.origin },
  });
  const count = measure('pose_count_difference', Math.abs(a.persons.length - b.persons.length));
  const pairs = matched(a.persons, b.persons);
  if (pairs.length === 0) return [count];
  const mean = (of: (pair: Pair) => number) =>
    Math.round((1000 * pairs.reduce((sum, pair) => sum + of(pair), 0)) / pairs.length) / 1000;
  return [
    count,
    measure('pose_distance_m', mean(distance)),
    measure(
      'pose_posture_difference',
      mean(([one, other]) => Number(one.posture !== other.posture)),
    ),
  ];
}

type Pair = readonly [Person, Person];

const distance = ([one, other]: Pair): number =>
  Math.hypot(one.position.x - other.position.x, one.position.y - other.position.y);

/** Pairs of one person each, the nearest first. */
function matched(some: readonly Person[], others: readonly Person[]): readonly Pair[] {
  const all = some
    .flatMap((one) => others.map((other): Pair => [one, other]))
    .sort((a, b) => distance(a) - distance(b));
  const taken = new Set<Person>();
  return all.filter(([one, other]) => {
    if (taken.has(one) || taken.has(other)) return false;
    taken.add(one).add(other);
    return true;
  });
}
