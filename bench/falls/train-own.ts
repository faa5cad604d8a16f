import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import {
  logit,
  trainEnsemble,
  type Ensemble,
  type TrainingSettings,
} from '../../operators/detect-falls/networks/dense.js';
import { FEATURES } from '../../operators/detect-falls/motion/features.js';
import { examplesOf, type LabelledExample } from '../../operators/detect-falls/training/material.js';
import { rounded, SETTINGS } from '../../operators/detect-falls/training/train.js';
import { readWeights, type FallWeights } from '../../operators/detect-falls/networks/weights.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { writeWeights, type Written } from '../../operators/detect-falls/training/write-weights.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { seeded } from '../../pipeline/base/random.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import { rocAuc } from '../accuracy/statistics.js';
import { listOwn, playOwn, type OwnClip } from './own-clips.js';

/** Options of `csiflow train falls --recordings`. */
export interface OwnOptions {
  readonly topology: CheckedTopology;
  /** Laid out as {@link listOwn} describes. */
  readonly recordings: string;
  readonly out: string;
  readonly cache: string | undefined;
  readonly seed: number;
  readonly patience: number;
  /** Default: those of the shipped nets. */
  readonly settings?: TrainingSettings;
  readonly print: (line: string) => void;
}

/** Scores of weights on recordings. */
interface Rated {
  readonly name: string;
  readonly threshold: number;
  readonly auc: number;
  /** Falls with an alarm, and other recordings with one. */
  readonly found: number;
  readonly false: number;
}

/** Share of the recordings without a fall that raise an alarm at the threshold of the weights. */
const FALSE_SHARE = 0.05;
/** Parts into which the recordings of one person are divided. */
const PARTS = 5;
/** Ending of the report beside the weights. */
const REPORT = '.md';
/** Score of a recording without a candidate; the lowest possible threshold. */
const NONE = -50;

/**
 * Trains the nets for one link on a user's own recordings, through the nodes of their topology, and writes
 * the weights and, beside them, a report on people or recordings that were held out.
 * @throws CommandError that names the problem with the topology or the recordings
 */
export async function trainOwn(options: OwnOptions): Promise<FallWeights & Written> {
  const { topology, recordings, seed, patience, settings = SETTINGS, print } = options;
  const train = (on: readonly LabelledExample[], what: string) =>
    trainEnsemble(on, settings, seeded(seed), {
      patience,
      progress: ({ number }) => {
        print(`${what}: net ${number} of ${settings.nets} is trained`);
      },
    });
  const clips = listOwn(recordings);
  if (extname(options.out) === REPORT)
    throw new CommandError(
      `--out ${options.out}: its report would overwrite the weights: name a file that does not end in ${REPORT}`,
      EXIT.invalid,
    );
  mkdirSync(dirname(resolve(options.out)), { recursive: true });
  const falls = clips.filter(({ hasFall }) => hasFall).length;
  print(`playing ${falls} recordings of falls and ${clips.length - falls} others through ${topology.id}`);
  const paths = clips.map(({ path }) => path);
  const played = await playOwn(topology, paths, options.cache, print);
  const logs = played.map((recording, i) => ({ log: paths[i]!, recording }));
  const byPath = new Map(clips.map((clip) => [clip.path, clip]));
  const examples = examplesOf(logs, ({ log }) => byPath.get(log)!.hasFall);
  const held = heldOut(clips);
  print(`${examples.length} views of candidates; training with each of ${held.groups} ${held.of} held out`);
  const scores = new Map<string, number>();
  for (let group = 0; group < held.groups; group++) {
    const isHeld = ({ log }: { log: string }) => held.groupOf(byPath.get(log)!) === group;
    const others = examples.filter((one) => !isHeld(one));
    const ensemble = train(others, `without ${group + 1} of ${held.groups}`);
    const own = clips.filter((clip) => held.groupOf(clip) === group);
    for (const { path } of own) scores.set(path, scoreOf(ensemble, examples, path));
  }
  const scoresOf = (fall: boolean) =>
    clips.filter(({ hasFall }) => hasFall === fall).map(({ path }) => scores.get(path)!);
  const threshold = thresholdFor(scoresOf(false), scoresOf(true));
  const shipped = readWeights();
  const rated = [
    rate('these weights, held out', clips, threshold, ({ path }) => scores.get(path)!),
    rate('the shipped weights', clips, shipped.threshold, ({ path }) => scoreOf(shipped, examples, path)),
  ];
  const ensemble = rounded(train(examples, 'on all recordings'));
  return write(
    { ...options, settings },
    { ensemble, threshold, examples, clips, rated, heldOut: `${held.groups} ${held.of}` },
  );
}

/** People if falls of two or more were recorded, otherwise parts of the recordings. */
function heldOut(clips: readonly OwnClip[]) {
  const people = [...new Set(clips.map(({ person }) => person))];
  const fallen = new Set(clips.filter(({ hasFall }) => hasFall).map(({ person }) => person));
  if (fallen.size > 1)
    return {
      groups: people.length,
      of: 'people',
      groupOf: ({ person }: OwnClip) => people.indexOf(person),
    };
  const order = [true, false].map((fall) => clips.filter(({ hasFall }) => hasFall === fall));
  return {
    groups: Math.min(PARTS, order[0]!.length),
    of: 'parts of the recordings',
    groupOf: (clip: OwnClip) =>
      order.find((list) => list.includes(clip))!.indexOf(clip) % Math.min(PARTS, order[0]!.length),
  };
}

/** The highest score of a recording's candidates: the mean of their antennas. */
function scoreOf(ensemble: Ensemble, examples: readonly LabelledExample[], log: string): number {
  const byTime = new Map<number, number[]>();
  for (const { time, inputs } of examples.filter((one) => one.log === log))
    byTime.set(time, [...(byTime.get(time) ?? []), logit(ensemble, inputs)]);
  const means = [...byTime.values()].map((all) => all.reduce((sum, one) => sum + one, 0) / all.length);
  return Math.max(NONE, ...means);
}

/**
 * Above the scores of all recordings without a fall but {@link FALSE_SHARE}, and halfway to the next fall: just above
 * the highest of a few recordings, others of the same kind would raise alarms.
 */
export function thresholdFor(others: readonly number[], falls: readonly number[]): number {
  const limit = others.toSorted((a, b) => b - a)[Math.floor(FALSE_SHARE * others.length)]!;
  const above = falls.filter((score) => score > limit);
  const bar = above.length === 0 ? limit : (limit + Math.min(...above)) / 2;
  return (Math.floor(1000 * bar) + 1) / 1000;
}

function rate(
  name: string,
  clips: readonly OwnClip[],
  threshold: number,
  scoreOfClip: (clip: OwnClip) => number,
): Rated {
  const scores = (fall: boolean) => clips.filter(({ hasFall }) => hasFall === fall).map(scoreOfClip);
  const share = (of: readonly number[]) => of.filter((score) => score >= threshold).length / of.length;
  const [falls, others] = [scores(true), scores(false)];
  return { name, threshold, auc: rocAuc(falls, others), found: share(falls), false: share(others) };
}

interface Trained {
  readonly ensemble: Ensemble;
  readonly threshold: number;
  readonly examples: readonly LabelledExample[];
  readonly clips: readonly OwnClip[];
  readonly rated: readonly Rated[];
  readonly heldOut: string;
}

function write(
  { recordings, out, seed, patience, settings, topology, print }: OwnOptions & { settings: TrainingSettings },
  trained: Trained,
) {
  const file = resolve(out);
  const name = basename(file, extname(file));
  const report = `${name}${REPORT}`;
  const folder = basename(resolve(recordings));
  const fallen = trained.examples.filter(({ positive }) => positive).length;
  const version = createHash('sha256').update(JSON.stringify(trained.ensemble)).digest('hex').slice(0, 12);
  const written = writeWeights<FallWeights>(file, {
    name,
    version,
    features: FEATURES,
    trainedOn: [
      {
        data: `own recordings (${folder})`,
        licence: 'the user’s own',
        folder,
        examples: `${fallen} of falls, ${trained.examples.length - fallen} others`,
      },
    ],
    settings: { ...settings, seed, ...(patience > 0 && { patience }) },
    threshold: trained.threshold,
    report,
    ...trained.ensemble,
  });
  replaceFile(resolve(file, '..', report), reportText(written, trained, topology.id));
  print(tableOf(trained.rated).join('\n'));
  print(`wrote ${file} and ${report} beside it`);
  return written;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const tableOf = (rated: readonly Rated[]): readonly string[] => [
  '| | ROC AUC | threshold | falls found | others with an alarm |',
  '|---|---|---|---|---|',
  ...rated.map(
    (one) =>
      `| ${one.name} | ${one.auc.toFixed(3)} | ${one.threshold} | ${percent(one.found)} | ${percent(one.false)} |`,
  ),
];

function reportText({ name, version }: FallWeights, trained: Trained, topology: string): string {
  const falls = trained.clips.filter(({ hasFall }) => hasFall).length;
  return [
    `# The weights ${name}, version ${version}`,
    '',
    `Written by \`csiflow train falls\`. ${falls} recordings of falls and ${trained.clips.length - falls} others, through the nodes of ${topology}. Each of ${trained.heldOut} was held out of a training in turn; its recordings were scored by the nets trained on the others.`,
    '',
    ...tableOf(trained.rated),
    '',
    `The threshold of these weights was chosen on these scores: ${percent(FALSE_SHARE)} of the recordings without a fall may raise an alarm, and it lies halfway between the others and the next fall. With few recordings, expect more alarms elsewhere, also from recordings of the same activities. Noise floors were learnt from all recordings, and a running topology learns them anew.`,
    '',
  ].join('\n');
}
