import { join } from 'node:path';
import type { Playable } from '../../accuracy/chain/inputs.js';
import { featuresOf } from '../activity/features.js';
import { learn } from '../activity/learn.js';
import { MAJORITY, RANDOM, sure, withBaselines } from '../baselines.js';
import { gridsOf, type Grid } from '../clips.js';
import { INTEL_CLASSES, RPI_CLASSES, type TaskName } from '../contracts.js';
import { leaveOneOut } from '../folds.js';
import { abstained, accuracy, balanced } from '../metrics.js';
import { listClips, readAmplitudes, type ListedClip } from '../recordings.js';
import { OWN, shareOf, type Case, type SuitePlan, type Task } from '../task.js';
import { clipTensor } from '../tensors.js';

/** A set of clips, each of one activity of one person. */
interface ActivitySet {
  readonly task: TaskName;
  readonly title: string;
  readonly folder: string;
  readonly note: string;
  readonly classes: readonly string[];
  readonly open: (path: string) => Playable;
}

const RULE = 'only by the strength of the motion';
/** Clips played in one stream. */
const STREAM = 100;

const SETS: readonly ActivitySet[] = [
  {
    task: 'activity-intel',
    title: 'Activity, nine classes, person unseen',
    folder: 'labelled/falls-intel5300-bedroom',
    note: 'Intel 5300, three antennas, 20 packets per second, five people, one room',
    classes: INTEL_CLASSES,
    open: (path) => path,
  },
  {
    task: 'activity-rpi4',
    title: 'Activity, seven classes, person unseen',
    folder: 'labelled/falls-rpi4-amplitude',
    note: 'Raspberry Pi 4, one antenna, amplitudes without timestamps (100 per second assumed), two people: one is used for training, the other for testing',
    classes: RPI_CLASSES,
    open: (path) => ({ path, frames: () => readAmplitudes(path) }),
  },
];

const taskOf = (set: ActivitySet): Task => ({
  title: set.title,
  method: `${set.folder}: ${set.note}. Each person is held out in turn. Frames go through \`denoise\`, \`phase-sanitize\` and \`window\` of the topology. A kernel regression on features of these amplitudes, trained on the other people, determines the class: this method is trained on site, and no such model ships. Its two settings are chosen by holding out the training people one by one (or quarters of the clips, if there is only one person).`,
  groups: 'people',
  needs: [set.folder],
  metrics: [accuracy, balanced, abstained],
  baselines: [RULE, MAJORITY, RANDOM],
  cases: (plan) => activityCases(plan, set),
});

export const activityIntel = taskOf(SETS[0]!);
export const activityRpi = taskOf(SETS[1]!);

async function activityCases(plan: SuitePlan, set: ActivitySet): Promise<readonly Case[]> {
  const clips = listClips(join(plan.data!, set.folder), set.classes, shareOf(plan));
  const read = await readClips(plan, set, clips);
  const labels = clips.map(({ activity }) => set.classes.indexOf(activity));
  const people = clips.map(({ person }) => person);
  const own = classify(plan, read, labels, people, set.classes.length);
  const cases = clips.map(({ person }, index): Case => ({
    group: person,
    part: '',
    truth: [labels[index]!],
    answers: { [OWN]: own[index]!.learnt, [RULE]: own[index]!.rule, ...read[index]!.foreign },
  }));
  return withBaselines(cases, set.classes.length, plan.seed);
}

interface ReadClip {
  readonly features: Float64Array;
  readonly foreign: Case['answers'];
}

async function readClips(
  plan: SuitePlan,
  { task, open }: ActivitySet,
  clips: readonly ListedClip[],
): Promise<readonly ReadClip[]> {
  const read: ReadClip[] = [];
  for (let from = 0; from < clips.length; from += STREAM) {
    const part = clips.slice(from, from + STREAM);
    const grids = await gridsOf(
      plan.topology,
      part.map(({ path }) => open(path)),
    );
    for (const [index, grid] of grids.entries()) read.push(await readClip(plan, task, part[index]!, grid));
    plan.print(`${task}: ${read.length} of ${clips.length} clips played`);
  }
  return read;
}

async function readClip(
  { panel }: SuitePlan,
  task: TaskName,
  { person }: ListedClip,
  grid: Grid,
): Promise<ReadClip> {
  const features = Float64Array.from(featuresOf(grid).flatMap((one) => Array.from(one)));
  return { features, foreign: await panel.ask(task, person, () => ({ csi: clipTensor(grid) })) };
}

interface Classified {
  readonly learnt: readonly number[];
  readonly rule: readonly number[];
}

/** Answers each clip with what was learnt from the other people's clips. */
function classify(
  plan: SuitePlan,
  clips: readonly ReadClip[],
  labels: readonly number[],
  people: readonly string[],
  classes: number,
): readonly Classified[] {
  const answers: Classified[] = [];
  for (const { out, train, test } of leaveOneOut(people)) {
    const samples = train.map((index) => ({ inputs: clips[index]!.features, label: labels[index]! }));
    const { classify: scores, settings } = learn(
      samples,
      train.map((index) => people[index]!),
      classes,
    );
    plan.keep(`trained without ${out}: gamma ${settings.gamma}, ridge ${settings.ridge}`);
    const means = Array.from({ length: classes }, (_, label) =>
      meanStrength(samples.filter((sample) => sample.label === label).map(({ inputs }) => inputs)),
    );
    for (const index of test) {
      const { features } = clips[index]!;
      const distances = means.map((mean) => Math.abs(mean - strength(features)));
      answers[index] = {
        learnt: Array.from(scores(features)),
        rule: sure(distances.indexOf(Math.min(...distances)), classes),
      };
    }
  }
  return answers;
}

/**
 * The 95th percentile of the change within 0.1 s of the first antenna: features begin with quantiles, six per
 * track.
 */
const strength = (features: Float64Array): number => features[6 + 4]!;

const meanStrength = (all: readonly Float64Array[]): number =>
  all.length === 0 ? Infinity : all.reduce((sum, features) => sum + strength(features), 0) / all.length;
