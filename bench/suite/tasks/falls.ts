import { join } from 'node:path';
import { playClips, type FallClip } from '../../accuracy/chain/tables/real-falls.js';
import { MAJORITY, RANDOM, withBaselines } from '../baselines.js';
import { gridsOf, type Grid } from '../clips.js';
import { INTEL_CLASSES } from '../contracts.js';
import { auc, falsePositives, sensitivity } from '../metrics.js';
import { listClips } from '../recordings.js';
import { OWN, roomsPlan, shareOf, type Answer, type Case, type SuitePlan, type Task } from '../task.js';
import { clipTensor } from '../tensors.js';
import { quantile } from '../../../operators/shared/median.js';

const FOLDER = 'labelled/falls-intel5300-bedroom';
const RULE = 'the strongest second of motion';
/** Share of the other people's clips without a fall that may exceed the rule's limit. */
const ALLOWED = 0.01;

export const falls: Task = {
  title: 'Falls, room, people and chip unseen',
  method: `${FOLDER}: Intel 5300, 50 falls and 800 other clips of five people. Frames go through the whole topology; the models of \`detect-falls\` are the shipped ones, which were not trained on this set. A clip with an event counts as a fall. For the AUC, the same topology runs again with the lowest threshold of \`detect-falls\`; a clip's score is the highest score of its candidates. This set was known when the default threshold was chosen. The baseline is the strongest second of motion; its limit is the 99 % quantile of the other people's clips without a fall.`,
  groups: 'people',
  needs: [FOLDER],
  metrics: [auc, sensitivity, falsePositives],
  baselines: [RULE, MAJORITY, RANDOM],
  cases: fallCases,
};

async function fallCases(plan: SuitePlan): Promise<readonly Case[]> {
  const listed = listClips(join(plan.data!, FOLDER), INTEL_CLASSES, shareOf(plan));
  const paths = listed.map(({ path }) => path);
  const grids = await gridsOf(plan.topology, paths);
  const [alone = []] = await playClips(roomsPlan(plan), [paths]);
  const played = new Map(alone.map((clip) => [clip.path, clip]));
  const clips = listed.map((clip, index) => ({
    ...clip,
    played: played.get(clip.path)!,
    grid: grids[index]!,
    strength: strongestSecond(grids[index]!),
  }));
  const cases: Case[] = [];
  for (const { person, activity, grid, strength, played } of clips) {
    const ordinary = clips
      .filter((one) => one.person !== person && one.activity !== 'fall')
      .map((one) => one.strength);
    const limit = quantile(ordinary, 1 - ALLOWED);
    const foreign = await plan.panel.ask('falls', person, () => ({ csi: clipTensor(grid) }));
    cases.push({
      group: person,
      part: '',
      truth: [Number(activity === 'fall')],
      answers: { [OWN]: ownAnswer(played), [RULE]: decided(strength >= limit, strength), ...foreign },
    });
  }
  return withBaselines(cases, 2, plan.seed);
}

const ownAnswer = ({ alarms, score }: FallClip): Answer => decided(alarms > 0, score);

/** An answer whose second number is the score for a ROC curve, and whose class is the decision. */
const decided = (fall: boolean, score: number): Answer => [fall ? -Infinity : Infinity, score];

/**
 * Mean square change within 0.1 s over the mean square, of each antenna in its strongest second; the
 * strongest antenna's.
 */
function strongestSecond({ amplitude, points, antennas, carriers, step }: Grid): number {
  const lag = Math.round(1e5 / step);
  const second = Math.round(1e6 / step);
  const strengths = Array.from({ length: antennas }, (_, antenna) => {
    const at = (t: number, k: number) => amplitude[(t * antennas + antenna) * carriers + k]!;
    const change = new Float64Array(points);
    let power = 0;
    for (let t = lag; t < points; t++)
      for (let k = 0; k < carriers; k++) {
        change[t]! += (at(t, k) - at(t - lag, k)) ** 2;
        power += at(t, k) ** 2;
      }
    let sum = 0;
    let highest = 0;
    for (let t = 0; t < points; t++) {
      sum += change[t]! - (t >= second ? change[t - second]! : 0);
      highest = Math.max(highest, sum);
    }
    return power > 0 ? highest / power : 0;
  });
  return Math.max(...strengths);
}
