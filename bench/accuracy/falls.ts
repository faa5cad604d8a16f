import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readWeights, WEIGHTS_FILE } from '../../operators/detect-falls/weights.js';
import { logit } from '../../operators/detect-falls/dense.js';
import { netScorer, ruleScorer, scoreOf, type Scorer } from '../../operators/detect-falls/detector.js';
import {
  FALL_LOGS,
  missingFolder,
  OTHER_LOGS,
  play,
  readMaterial,
  SETS,
  type LabelledExample,
} from '../../operators/detect-falls/material.js';
import { onGrid, readRecording, type Recording } from '../../operators/detect-falls/recordings.js';
import { Room, type Candidate } from '../../operators/detect-falls/room.js';
import { RATE_HZ } from '../../operators/detect-falls/tracks.js';
import { THRESHOLD, trainOn } from '../../operators/detect-falls/train.js';
import { intel5300Log } from '../../pipeline/formats/devices/intel/intel5300-log.js';
import { intel5300 } from '../../pipeline/formats/devices/intel/intel5300.js';
import { InputError } from '../../pipeline/base/input-error.js';
import { outputFile, packageFile } from '../../pipeline/base/paths.js';
import {
  fallsPage,
  type Alarms,
  type FallsReport,
  type LeftOut,
  type MethodReport,
  type SetReport,
} from './falls-page.js';
import { interval, rocAuc, share, thresholdAt } from './statistics.js';

/** One clip of a set: its activity and its candidates. */
export interface Clip {
  readonly activity: string;
  readonly person: string;
  readonly seconds: number;
  readonly candidates: readonly Candidate[];
}

const FOLDS = 6;
/** Approximate, for either log of {@link OTHER_LOGS}. */
const OTHER_LOG_SECONDS = 61.5;
export const INTEL = 'labelled/falls-intel5300-bedroom';
const RPI = 'labelled/falls-rpi4-amplitude';
/** Operating points that the report compares. */
const THRESHOLDS = [0, 0.5, 1, 1.5, 2, 3];
const QUIET = ['lying', 'sitting'];

/** Measures everything and writes falls.md and falls.json. @throws Error if the recordings are missing. */
export function evaluateFalls(options: {
  readonly data: string;
  readonly out?: string;
  readonly print: (line: string) => void;
}): FallsReport {
  const { data, out = outputFile('docs/reports'), print } = options;
  const missing = missingRecordings(data);
  if (missing !== undefined) throw new InputError(missing);
  const leftOut = leaveOut(data, print);
  print(`${INTEL}: reading ...`);
  const intel = readIntel(data);
  const action = intel.filter(({ activity }) => !QUIET.includes(activity));
  const nets = netScorer(readWeights());
  const sets = [judgeSet(INTEL, action, nets, print)];
  if (existsSync(join(data, RPI))) sets.push(judgeSet(RPI, readRpi(data), nets, print));
  const report: FallsReport = {
    weightsSha256: createHash('sha256')
      .update(readFileSync(packageFile(WEIGHTS_FILE)))
      .digest('hex'),
    leftOut,
    threshold: THRESHOLD,
    sets,
    thresholds: THRESHOLDS.map((threshold) => atThreshold(action, nets, threshold)),
    falseByActivity: falseByActivity(action, nets),
    quiet: quietAlarms(intel, nets),
  };
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'falls.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(out, 'falls.md'), fallsPage(report));
  print(`wrote ${join(out, 'falls.md')} and falls.json`);
  return report;
}

/** The recordings that {@link evaluateFalls} lacks, and how to get them. */
export const missingRecordings = (data: string): string | undefined =>
  missingFolder(data, [...SETS.map(({ folder }) => folder), INTEL]);

/**
 * The six falls and the logs of motion and stillness, each judged by nets that never saw it: fold i holds out
 * the whole log of fall i and the i-th sixth (ten seconds) of both other logs.
 */
export function leaveOut(data: string, print: (line: string) => void): LeftOut {
  const examples = readMaterial(data);
  const held = Array.from({ length: FOLDS }, (_, fold) => {
    print(`fold ${fold + 1} of ${FOLDS}: training without ${FALL_LOGS[fold]!} ...`);
    return judgeWithout(examples, (example) => foldOf(example) === fold);
  }).flat();
  const falls = held
    .filter(({ positive }) => positive)
    .map(({ log, score }) => ({ log, score, found: score >= THRESHOLD }));
  for (const { log, score, found } of falls) {
    print(`${log}, left out: score ${score.toFixed(2)}, ${found ? 'found' : 'MISSED'}`);
  }
  const others = held.filter(({ positive }) => !positive);
  const left = {
    falls,
    motionAndStill: alarmsOf(others.filter(({ log }) => OTHER_LOGS.includes(log))),
    besideFalls: alarmsOf(others.filter(({ log }) => !OTHER_LOGS.includes(log))),
    wholeLogs: OTHER_LOGS.map((log) => ({
      log,
      ...alarmsOf(judgeWithout(examples, (example) => example.log === log)),
    })),
  };
  const tell = (what: string, { alarms, candidates }: Alarms) => {
    print(`${what}, left out: ${alarms} alarms of ${candidates} candidates`);
  };
  tell('motion and still, by sixths', left.motionAndStill);
  tell('before and after the falls', left.besideFalls);
  for (const whole of left.wholeLogs) tell(`${whole.log}, whole`, whole);
  return left;
}

interface Judged extends LabelledExample {
  readonly score: number;
}

/** Held-out examples, scored by nets trained on everything else. */
function judgeWithout(
  examples: readonly LabelledExample[],
  isHeld: (example: LabelledExample) => boolean,
): Judged[] {
  const ensemble = trainOn(
    examples.filter((example) => !isHeld(example)),
    1,
  );
  return examples.filter(isHeld).map((example) => ({ ...example, score: logit(ensemble, example.inputs) }));
}

/** -1 for examples that are always trained on. */
const foldOf = ({ log, time }: LabelledExample): number =>
  OTHER_LOGS.includes(log)
    ? Math.min(FOLDS - 1, Math.floor((time / OTHER_LOG_SECONDS) * FOLDS))
    : FALL_LOGS.indexOf(log);

const alarmsOf = (judged: readonly Judged[]): Alarms => ({
  candidates: judged.length,
  highest: Math.max(...judged.map(({ score }) => score)),
  alarms: judged.filter(({ score }) => score >= THRESHOLD).length,
});

/**
 * Clips in the order of their names, as one room: noise floors are learnt causally, from the clips before.
 */
export function readIntel(data: string, wanted: (name: string) => boolean = () => true): Clip[] {
  const folder = join(data, INTEL);
  const names = readdirSync(folder)
    .flatMap((activity) => readdirSync(join(folder, activity)).map((file) => `${activity}/${file}`))
    .filter(wanted);
  return clips(names, (name) => readRecording(join(folder, name), intel5300Log, intel5300));
}

/** Amplitudes without timestamps: 100 rows per second are assumed. */
function readRpi(data: string): Clip[] {
  const folder = join(data, RPI);
  const names = readdirSync(folder).flatMap((activity) =>
    readdirSync(join(folder, activity)).map((file) => `${activity}/${file}`),
  );
  return clips(names, (name) => {
    const rows = gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trim()
      .split('\n');
    const values = rows.map((row) => row.split(',').map(Number));
    const times = rows.map((_, i) => i * 10_000);
    return onGrid(times, Float32Array.from(values.flat()), 1, values[0]!.length);
  });
}

/** Ordered by number before activity, so that the floors are learnt from all activities alike. */
function clips(names: readonly string[], read: (name: string) => Recording): Clip[] {
  const room = new Room();
  const file = (name: string) => name.slice(name.indexOf('/') + 1);
  return [...names]
    .sort((a, b) => (file(a) < file(b) ? -1 : file(a) > file(b) ? 1 : a < b ? -1 : 1))
    .map((name) => {
      const recording = read(name);
      return {
        activity: name.slice(0, name.indexOf('/')),
        person: file(name).slice(0, file(name).indexOf('-')),
        seconds: recording.samples / RATE_HZ,
        candidates: play(room, recording),
      };
    });
}

/** Highest score of a clip's candidates: far below all others if it has none. */
export const clipScore = ({ candidates }: Clip, scorer: Scorer): number =>
  candidates.reduce((highest, candidate) => Math.max(highest, scoreOf(candidate, scorer)), -1000);

function judgeSet(
  set: string,
  clipsOfSet: readonly Clip[],
  nets: Scorer,
  print: (line: string) => void,
): SetReport {
  const isFall = ({ activity }: Clip) => activity === 'fall';
  const methods = [
    judge('nets', clipsOfSet, nets, THRESHOLD),
    judge('rule', clipsOfSet, ruleScorer, null),
    judge('constant', clipsOfSet, () => 0, null),
  ];
  for (const {
    method,
    auc,
    interval: [low, high],
    sensitivityAt5,
  } of methods) {
    print(
      `${set}, ${method}: AUC ${auc.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)}), se@5 % ${sensitivityAt5.toFixed(2)}`,
    );
  }
  const falls = clipsOfSet.filter(isFall).length;
  return { set, falls, others: clipsOfSet.length - falls, methods };
}

export function judge(
  method: string,
  clipsOfSet: readonly Clip[],
  scorer: Scorer,
  threshold: number | null,
): MethodReport {
  // A constant ignores the clip, even whether it has candidates.
  const score = (clip: Clip) => (method === 'constant' ? 0 : clipScore(clip, scorer));
  const scored = clipsOfSet.map((clip) => ({ ...clip, score: score(clip), fall: clip.activity === 'fall' }));
  const of = (list: typeof scored, fall: boolean) =>
    list.filter((clip) => clip.fall === fall).map((clip) => clip.score);
  const falls = of(scored, true);
  const others = of(scored, false);
  const people = [...new Set(scored.map(({ person }) => person))].sort();
  const perPerson = people.flatMap((person) => {
    const own = scored.filter((clip) => clip.person === person);
    const auc = rocAuc(of(own, true), of(own, false));
    return Number.isNaN(auc) ? [] : [[person, auc] as const];
  });
  return {
    method,
    auc: rocAuc(falls, others),
    interval: interval(falls, others, rocAuc),
    perPerson: Object.fromEntries(perPerson),
    sensitivityAt5: share(falls, thresholdAt(others, 0.05)),
    sensitivityAt1: share(falls, thresholdAt(others, 0.01)),
    sensitivity: threshold === null ? null : share(falls, threshold),
    falseClips: threshold === null ? null : share(others, threshold),
  };
}

function atThreshold(
  action: readonly Clip[],
  scorer: Scorer,
  threshold: number,
): FallsReport['thresholds'][number] {
  const of = (fall: boolean) =>
    action.filter(({ activity }) => (activity === 'fall') === fall).map((clip) => clipScore(clip, scorer));
  return { threshold, sensitivity: share(of(true), threshold), falseClips: share(of(false), threshold) };
}

function falseByActivity(action: readonly Clip[], scorer: Scorer): Record<string, number> {
  const activities = [...new Set(action.map(({ activity }) => activity))]
    .filter((name) => name !== 'fall')
    .sort();
  return Object.fromEntries(
    activities.map((name) => [
      name,
      share(
        action.filter(({ activity }) => activity === name).map((clip) => clipScore(clip, scorer)),
        THRESHOLD,
      ),
    ]),
  );
}

function quietAlarms(all: readonly Clip[], scorer: Scorer): FallsReport['quiet'] {
  const quiet = all.filter(({ activity }) => QUIET.includes(activity));
  if (quiet.length === 0) return null;
  const alarms = quiet
    .flatMap(({ candidates }) => candidates)
    .filter((c) => scoreOf(c, scorer) >= THRESHOLD).length;
  return { hours: quiet.reduce((sum, { seconds }) => sum + seconds, 0) / 3600, alarms };
}
