import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate } from '../../../operators/calibrate/calibrate.js';
import { doppler } from '../../../operators/doppler/doppler.js';
import { passOnChange } from '../../../operators/pass-on-change/pass-on-change.js';
import { removeStatic } from '../../../operators/remove-static/remove-static.js';
import { resample } from '../../../operators/resample/resample.js';
import { selectSubcarriers } from '../../../operators/select-subcarriers/select-subcarriers.js';
import { readMat5 } from '../../../pipeline/formats/tables/mat5.js';
import { outputFile } from '../../../pipeline/base/paths.js';
import { cost } from './cost.js';
import { espFrames, intelFrames, type Step } from './frames.js';
import { gestureVelocities, type GestureVelocity } from './gesture-velocity.js';
import { gestureVelocitySection } from './gesture-velocity-section.js';
import { gestureSeen, spectrogram, type Sight } from './gesture.js';
import {
  calibrationOf,
  calibrationSection,
  sessionsOf,
  type CalibrationReport,
} from './calibration-section.js';
import { separation, type Separation } from './presence.js';
import { table } from './table.js';
import { walkersOf, walkersSection } from './walkers-section.js';
import type { WalkersSeen } from './walkers.js';
import {
  AMPLITUDE_METHODS,
  amplitudeScatter,
  PHASE_METHODS,
  phaseScatter,
  type Scatter,
} from './static-pair.js';

const WIDAR = 'captures/widar-multilink';
/** Widar's velocity profile of the gesture. */
const PROFILE = 'user-user-1-1-1-1-1-1e-07-100-20-100000-L0.mat';
const ESP = 'labelled/esp32-presence';
const RECEIVERS = [1, 2, 3, 4, 5, 6] as const;
/** The receiver whose spectrogram is drawn. */
const DRAWN = 2;
/** Other recordings to which the still link's calibration is compared. */
const COMPARED = ['1-1-r1', 'userA-1-1-1-1-r1', 'sta-1-r2'] as const;
const CHIPS = { esp32: 'ESP32', c3: 'ESP32-C3', s3: 'ESP32-S3' } as const;

export interface CleaningReport {
  readonly phase: readonly Scatter[];
  readonly amplitude: readonly Scatter[];
  readonly gesture: readonly Sight[];
  readonly velocity: readonly GestureVelocity[];
  readonly presence: Readonly<Record<string, readonly Separation[]>>;
  readonly calibration: CalibrationReport;
  readonly walkers: readonly WalkersSeen[];
  /** Nanoseconds per frame of three antennas and 30 subcarriers. */
  readonly cost: Readonly<Record<string, number>>;
}

export interface CleaningOptions {
  /** Folder with captures/ and labelled/. */
  readonly data: string;
  /** Folder for the report. */
  readonly out?: string;
  readonly print: (line: string) => void;
}

/** The first folder that is missing; undefined: all exist. */
export const missingCaptures = (data: string): string | undefined =>
  [WIDAR, ESP].map((folder) => join(data, folder)).find((folder) => !existsSync(folder));

/** Measures the effect of cleaning on real recordings, and writes cleaning.md and a spectrogram beside it. */
export function evaluateCleaning({ data, out, print }: CleaningOptions): CleaningReport {
  const widar = (name: string) => intelFrames(join(data, WIDAR, `${name}.dat`));
  const gesture = (receiver: number) => widar(`userA-1-1-1-1-r${receiver}`);
  const still = widar('sta-1-r1');
  print('phases of the static pair');
  const phase = phaseScatter(still);
  print('amplitudes of the static pair');
  const amplitude = amplitudeScatter(still);
  print('the gesture');
  const sights = RECEIVERS.map((receiver) => gestureSeen(`r${receiver}`, gesture(receiver)));
  const [profile] = readMat5(readFileSync(join(data, WIDAR, PROFILE))).arrays;
  const velocity = gestureVelocities(RECEIVERS.map(gesture), profile!.re);
  print('presence, chip by chip');
  const presence = Object.fromEntries(
    Object.entries(CHIPS).map(([chip, name]) => [name, separationOf(join(data, ESP), chip)]),
  );
  print('calibration');
  const calibration = calibrationOf(
    ['sta-1-r1', ...COMPARED].map((name) => [name, name === 'sta-1-r1' ? still : widar(name)]),
    Object.fromEntries(
      Object.entries(CHIPS).map(([chip, name]) => [name, sessionsOf(join(data, ESP), chip)]),
    ),
  );
  print('simulated walkers');
  const walkers = walkersOf();
  print('what it costs');
  const costs = Object.fromEntries(Object.entries(STEPS).map(([name, step]) => [name, cost(step, still)]));
  const report = { phase, amplitude, gesture: sights, velocity, presence, calibration, walkers, cost: costs };
  const folder = out ?? outputFile('docs/reports');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cleaning-doppler.png'), spectrogram(gesture(DRAWN)));
  writeFileSync(join(folder, 'cleaning.md'), page(report));
  print(`${join(folder, 'cleaning.md')} written`);
  return report;
}

/** All steps with a cost of their own. */
const STEPS: Readonly<Record<string, Step>> = Object.fromEntries([
  ...Object.entries({ ...PHASE_METHODS, ...AMPLITUDE_METHODS }).flatMap(([name, steps]) =>
    steps.length === 1 ? [[name, steps[0]!] as const] : [],
  ),
  ['resample, 1,000 per second', { component: resample, settings: { rate_hz: 1000, max_gap_ms: 20 } }],
  ['remove-static', { component: removeStatic }],
  ['select-subcarriers, nulls', { component: selectSubcarriers }],
  ['pass-on-change', { component: passOnChange }],
  ['calibrate, a second of learning', { component: calibrate, settings: { learn_s: 1 } }],
  ['doppler, 64 frames, every 10th', { component: doppler, settings: { rate_hz: 1000 } }],
]);

function separationOf(folder: string, chip: string): readonly Separation[] {
  const of = (kind: string) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(`${kind}_${chip}_`))
      .sort()
      .map((name) => espFrames(join(folder, name)));
  return separation(of('baseline'), of('movement'));
}

const page = (report: CleaningReport): string =>
  `${[stillSections(report), gestureSection(report), movementSections(report)].join('\n\n')}\n`;

const stillSections = ({
  phase,
  amplitude,
}: CleaningReport): string => `# What cleaning does to real recordings

This page shows what csiflow's operators for cleaning do to real recordings, so that you can choose a chain of them. For example, [the first table](#phase-of-a-link-in-a-still-room) shows which chains make the phase steady. Each row is one chain of operators with their default settings, as a topology runs them.

\`csiflow evaluate cleaning --data FOLDER\` writes the page. The recordings are not part of csiflow: Widar 3.0's example captures (Intel 5300, three antennas, 30 subcarriers, 1,000 packets per second) and ESPectre's recordings of empty rooms and movement (three chips, ten seconds each).

## Phase of a link in a still room

Circular variance of the phase over time, 0 for a steady phase and 1 for a random one: the median over antennas and subcarriers of \`sta-1-r1\`.

${table(
  ['method', 'circular variance'],
  phase.map(({ method, value }) => [method, value.toFixed(4)]),
)}

## Amplitude of a link in a still room

Standard deviation over time as a share of the mean: the median over antennas and subcarriers of the same capture.

${table(
  ['method', 'deviation'],
  amplitude.map(({ method, value }) => [method, `${(100 * value).toFixed(2)} %`]),
)}`;

const gestureSection = ({ gesture, velocity }: CleaningReport): string => `## The Doppler of a gesture

One gesture (push and pull) seen by six receivers at once, after \`csi-ratio\`, \`resample\`, \`denoise\` with a band-pass of 2 to 80 Hz, and \`doppler\` (windows of 256 ms). The mean frequency is positive while the path by way of the hand becomes shorter; a change of one wavelength (5.6 cm) per second is 1 Hz.

${table(
  ['receiver', 'seconds', 'highest mean frequency', 'lowest', 'fastest edge'],
  gesture.map(({ receiver, seconds, towards, away, edge }) => [
    receiver,
    seconds.toFixed(1),
    `${towards.toFixed(1)} Hz`,
    `${away.toFixed(1)} Hz`,
    `${edge.toFixed(0)} Hz`,
  ]),
)}

![Spectrogram of the gesture](cleaning-doppler.png)

Receiver r${DRAWN}: time to the right, frequencies from -80 Hz at the bottom to 80 Hz at the top, 25 dB from black to white.

${gestureVelocitySection(velocity)}`;

const movementSections = ({
  presence,
  calibration,
  walkers,
  cost: costs,
}: CleaningReport): string => `## Movement and empty room, chip by chip

The deviation of the amplitude over its mean within half a second, averaged over subcarriers: its ratio between the median stretches of movement and of the empty room, and the probability that a stretch of movement has more of it than one of the empty room (area under the ROC curve; 0.5 is chance). Recordings are few and short: differences of a few hundredths are chance.

${Object.entries(presence)
  .map(
    ([chip, rows]) =>
      `### ${chip}\n\n${table(
        ['chain', 'ratio', 'area under the curve'],
        rows.map(({ chain, times, auc }) => [chain, times.toFixed(2), auc.toFixed(3)]),
      )}`,
  )
  .join('\n\n')}

${calibrationSection(calibration)}

${walkersSection(walkers)}

## What it costs

Processor time per frame of three antennas and 30 subcarriers (90 complex values), on one core, in the blocks of the file. It differs between machines; the ratios matter.

${table(
  ['step', 'nanoseconds per frame'],
  Object.entries(costs).map(([name, ns]) => [name, Math.round(ns).toLocaleString('en-US')]),
)}`;
