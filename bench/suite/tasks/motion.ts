import type { CheckedNode } from '../../../pipeline/config/index.js';
import type { Measure } from '../../../pipeline/model/index.js';
import { listenTo } from '../../../pipeline/runtime/listen.js';
import { playlist, type Played } from '../../accuracy/chain/inputs.js';
import { each } from '../../accuracy/chain/plan.js';
import { recordedEnvironment } from '../../accuracy/chain/rooms.js';
import { fedBy, placedIn } from '../../accuracy/chain/scene.js';
import { MAJORITY, RANDOM, sure, withBaselines } from '../baselines.js';
import { gridsOf, type Grid } from '../clips.js';
import type { TaskName } from '../contracts.js';
import { abstained, balancedOfTwo, f1, falsePositives, sensitivity } from '../metrics.js';
import {
  continuous,
  CONTINUOUS,
  ESPECTRE,
  espectre,
  intel,
  INTEL,
  type Label,
  type MotionRecording,
} from '../motion-recordings.js';
import { OWN, roomsPlan, shareOf, type Answer, type Case, type SuitePlan, type Task } from '../task.js';
import { windowTensor, WINDOW_S } from '../tensors.js';

const RULE = 'change within 0.1 s, limit from one other chip';

/** What a task asks about each second. */
interface Question {
  readonly task: TaskName;
  readonly truth: (label: Label) => boolean | null;
  /** What the measures of a second say; undefined if they say nothing. */
  readonly told: (measures: readonly Measure[], node: CheckedNode) => boolean | undefined;
}

const roomMeasure = (measures: readonly Measure[], name: string): number | undefined =>
  measures.findLast((one) => one.name === name && one.subject === null)?.value;

const MOVEMENT: Question = {
  task: 'movement',
  truth: ({ moving }) => moving,
  told: (measures, { config }) => {
    const motion = roomMeasure(measures, 'motion');
    return motion === undefined ? undefined : motion >= Number(config['threshold']);
  },
};
const PRESENCE: Question = {
  task: 'presence',
  truth: ({ somebody }) => somebody,
  told: (measures) => {
    const presence = roomMeasure(measures, 'presence');
    return presence === undefined ? undefined : presence > 0;
  },
};

const taskOf = (question: Question, title: string, method: string): Task => ({
  title,
  method,
  groups: 'devices',
  needs: [ESPECTRE, CONTINUOUS, INTEL],
  metrics: [balancedOfTwo, f1, sensitivity, falsePositives, abstained],
  baselines: [RULE, MAJORITY, RANDOM],
  cases: (plan) => secondsOf(plan, question),
});

const SETS = `${ESPECTRE} (an empty room or movement, three chips), ${CONTINUOUS} (one person, one ESP32, one label per frame) and ${INTEL} (Intel 5300: walking, running, lying, sitting)`;
const JUDGED =
  'There is one answer per second, about the last 2 s. Each recording starts cold and without calibration.';

export const movement = taskOf(
  MOVEMENT,
  'Movement, chip unseen',
  `${SETS}. ${JUDGED} csiflow's answer is \`moving\` if \`motion\` of \`detect-motion\` reaches its threshold, which is the same for all chips. Seconds that belong to the other class for a fifth or more are excluded. So are the long takes of the Intel set, because their labels do not say when people move. The baseline's limit is fitted on one other chip. No model was trained on these recordings, but the first and the last set were known when the thresholds of \`detect-motion\` were chosen.`,
);
export const presence = taskOf(
  PRESENCE,
  'Presence, chip unseen',
  `${SETS}. ${JUDGED} csiflow's answer is \`presence\` of \`detect-motion\`. Until it is known there is no answer, which counts as \`empty\` except in its own column. Only the first 2 min of each long take are used. The first and the last set were known when the thresholds of \`detect-motion\` were chosen.`,
);

/** A second of a recording. */
interface Second {
  readonly chip: string;
  readonly truth: boolean;
  readonly own: boolean | undefined;
  /** Mean square of the change within 0.1 s over the mean square. */
  readonly change: number;
  readonly foreign: Case['answers'];
}

async function secondsOf(plan: SuitePlan, question: Question): Promise<readonly Case[]> {
  const share = shareOf(plan);
  const data = plan.data!;
  const recordings = [...espectre(data, plan.folder), ...continuous(data, share), ...intel(data, share)];
  const seconds = (
    await each(roomsPlan(plan), recordings, (recording) => ofRecording(plan, question, recording))
  ).flat();
  plan.print(`${question.task}: ${recordings.length} recordings played, ${seconds.length} seconds`);
  const chips = [...new Set(seconds.map(({ chip }) => chip))];
  const limits = new Map(
    chips.map((chip, index) => {
      const other = chips[(index + 1) % chips.length];
      return [chip, limitOf(seconds.filter((one) => one.chip === other))];
    }),
  );
  const answer = (said: boolean | undefined): Answer => (said === undefined ? null : sure(Number(said), 2));
  const cases = seconds.map(({ chip, truth, own, change, foreign }): Case => ({
    group: chip,
    part: chip,
    truth: [Number(truth)],
    answers: { [OWN]: answer(own), [RULE]: answer(change >= limits.get(chip)!), ...foreign },
  }));
  return withBaselines(cases, 2, plan.seed);
}

async function ofRecording(
  plan: SuitePlan,
  { task, truth, told }: Question,
  { chip, playable, labelOf }: MotionRecording,
): Promise<readonly Second[]> {
  const node = plan.topology.nodes.find(({ component }) => component.name === 'detect-motion');
  if (!node) throw new Error(`${plan.topology.id} has no detect-motion, which the task ${task} asks`);
  const played: Played[] = [];
  const measures: Measure[] = [];
  const placed = placedIn(plan.topology, { environment: recordedEnvironment(), calibration: null });
  await listenTo(fedBy(placed, playlist([playable], played)), node.id, (record) => {
    if (record.port === 'measure') measures.push(record);
    return false;
  });
  const [grid] = await gridsOf(plan.topology, [playable]);
  const { from, to } = played[0]!;
  const seconds: Second[] = [];
  for (let end = from + 1e6 * WINDOW_S; end <= to; end += 1e6) {
    const right = truth(labelOf((end - from) / 1e6 - WINDOW_S, (end - from) / 1e6));
    if (right === null) continue;
    const own = told(
      measures.filter(({ time }) => time > end - 1e6 && time <= end),
      node,
    );
    const foreign = await plan.panel.ask(task, chip, () => ({ csi: windowTensor(grid!, end) }));
    seconds.push({ chip, truth: right, own, change: changeBefore(grid!, end), foreign });
  }
  return seconds;
}

/**
 * How much the first antenna's carriers, each point over its own mean, change within 0.1 s in the window that
 * ends at a time.
 */
function changeBefore(grid: Grid, end: number): number {
  const { data, shape } = windowTensor(grid, end);
  const [points = 0, carriers = 0] = shape;
  const lag = 5;
  const level = Float64Array.from({ length: points }, (_, t) =>
    data.subarray(t * carriers, (t + 1) * carriers).reduce((sum, value) => sum + value / carriers, 1e-9),
  );
  let change = 0;
  for (let t = lag; t < points; t++)
    for (let k = 0; k < carriers; k++)
      change +=
        (data[t * carriers + k]! / level[t]! - data[(t - lag) * carriers + k]! / level[t - lag]!) ** 2;
  return change / ((points - lag) * carriers);
}

/** The limit with the best F1; if there is only one class, a limit outside its values. */
function limitOf(seconds: readonly Second[]): number {
  const limits = seconds.map(({ change }) => change).sort((a, b) => a - b);
  const rated = limits.map((limit) => {
    const judged = seconds.map(({ truth, change }) => ({
      truth: [Number(truth)],
      answer: sure(Number(change >= limit), 2),
    }));
    return { limit, value: f1.of(judged) };
  });
  return rated.reduce((a, b) => (b.value > a.value ? b : a), { limit: Infinity, value: -1 }).limit;
}
