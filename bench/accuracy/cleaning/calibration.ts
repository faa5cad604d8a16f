import { Value } from 'typebox/value';
import { Fit } from '../../../operators/calibrate/correction.js';
import { Learner } from '../../../operators/calibrate/learner.js';
import type { LinkCalibration } from '../../../operators/calibrate/link-calibration.js';
import { denoise } from '../../../operators/denoise/denoise.js';
import { detectMotion } from '../../../operators/detect-motion/detect-motion.js';
import { phaseSanitize } from '../../../operators/phase-sanitize/phase-sanitize.js';
import { window } from '../../../operators/window/window.js';
import type { AnyOperator, Output } from '../../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type Data, type Measure } from '../../../pipeline/model/index.js';
import { benchContext } from '../../shared/context.js';
import { through } from './frames.js';

/** How well a recording fits a calibration learnt from another one. */
export interface CalibrationFit {
  readonly recording: string;
  /** `calibration_drift`, 0 to 1, and `calibration_phase_drift_deg` in its last second. */
  readonly drift: number;
  readonly turned: number;
}

/** Time over which the fit is measured: the recordings are short. */
const JUDGED_US = 1e6;

/** A calibration learnt from all frames of a recording. */
export function learnt(blocks: readonly CsiBlock[]): LinkCalibration {
  const { layout } = blocks[0]!;
  const frames = blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, i) => [block, i] as const),
  );
  const first = frames[0]![0].time[0]!;
  const [last, at] = frames.at(-1)!;
  const learner = new Learner(layout, last.time[at]! - first);
  let found: LinkCalibration | null = null;
  for (const [block, i] of frames) found ??= learner.add(block.values, i * frameSize(layout), block.time[i]!);
  if (!found) throw new Error('a recording to calibrate on needs 20 frames, and no pauses');
  return found;
}

/** How well a calibration fits a recording at its end. */
export function fitOf(
  known: LinkCalibration,
  recording: string,
  blocks: readonly CsiBlock[],
): CalibrationFit {
  const fit = new Fit(blocks[0]!.layout, known, JUDGED_US);
  for (const { values, time, count, layout } of blocks)
    for (let i = 0; i < count; i++) fit.see(values, i * frameSize(layout), time[i]!);
  const { drift } = fit;
  return { recording, drift: drift?.amplitude ?? NaN, turned: ((drift?.phase ?? NaN) * 180) / Math.PI };
}

/** Windows as in the shipped topologies, and `detect-motion`'s output for them, once a second. */
const CHAIN = [{ component: denoise }, { component: phaseSanitize }];
const GRID = { length_ms: 2000, hop_ms: 200, points: 100 };

const made = (component: AnyOperator, settings: object) =>
  component.create(Value.Default(component.config, { ...settings }) as never, benchContext(1));

/** `motion` of a recording's link, once a second. */
export function motions(block: CsiBlock): readonly number[] {
  const windows = made(window, GRID);
  for (const cleaned of through(CHAIN, [block])) void windows.process(cleaned, 'frames');
  const detector = made(detectMotion, {});
  const data = windows.watermark!(Infinity).data.flatMap(
    (one: Data) => (detector.process(one, 'windows') as Output<Measure>).data,
  );
  return data.flatMap(({ name, subject, value }) => (name === 'motion' && subject !== null ? [value] : []));
}

/** Seconds above a threshold, in recordings that were not used for learning. */
export interface Judged {
  readonly link: string;
  readonly threshold: number;
  readonly still: readonly [over: number, all: number];
  readonly moving: readonly [over: number, all: number];
}

/**
 * The empty room and somebody who moves, recorded twice: each is judged by a threshold learnt from the other
 * empty room.
 */
export interface Session {
  readonly baseline: CsiBlock;
  readonly movement: CsiBlock;
}

/**
 * @param setting the single threshold of `detect-motion` @returns seconds above it, and above the link's own
 */
export function judged(
  link: string,
  sessions: readonly [Session, Session],
  setting: number,
): readonly Judged[] {
  const own = sessions.map(
    ({ baseline }) => learnt(through(CHAIN, [baseline]) as readonly CsiBlock[]).motion,
  );
  const seen = sessions.map(({ baseline, movement }) => [motions(baseline), motions(movement)] as const);
  const count = (kind: 0 | 1, thresholds: readonly number[]): readonly [number, number] => [
    seen.reduce((sum, of, i) => sum + of[kind].filter((one) => one > thresholds[1 - i]!).length, 0),
    seen.reduce((sum, of) => sum + of[kind].length, 0),
  ];
  const row = (name: string, thresholds: readonly number[]): Judged => ({
    link: name,
    threshold: Math.max(...thresholds),
    still: count(0, thresholds),
    moving: count(1, thresholds),
  });
  return [row(`${link}, single setting`, [setting, setting]), row(`${link}, its own`, own)];
}
