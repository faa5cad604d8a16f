import { existsSync } from 'node:fs';
import {
  csiLayout,
  frameSize,
  type CsiLayout,
  type LayoutFields,
  type Link,
} from '../../pipeline/model/index.js';
import { layoutSnapshot } from '../shared/per-link.js';
import { readJsonFile } from '../shared/json-file.js';

/** Values of the measures `motion_threshold` and `noise_level_db`. */
export interface Thresholds {
  /** Upper bound of `motion` (see `detect-motion`) in the still link. */
  readonly motion: number;
  /** Change of amplitude within 0.25 s in the still link, dB relative to its mean power. */
  readonly noiseDb: number;
}

/** The calibration of one link and layout, learnt while nothing moved. */
export interface LinkCalibration extends Thresholds {
  /** Mean amplitude of each value relative to that of the frame, [rx, tx, subcarrier]; 0 if it never had one. */
  readonly response: readonly number[];
  /** Receive antenna that the phases refer to. */
  readonly reference: number;
  /** Phase of each receive antenna against the reference, radians; null if it is not steady. */
  readonly phase: readonly (number | null)[];
}

/** Calibrations of links by layout key. */
export type Calibrations = ReadonlyMap<Link['id'], ReadonlyMap<CsiLayout['key'], LinkCalibration>>;

/** One link and layout as stored in the file. */
interface Entry extends LinkCalibration {
  readonly layout: LayoutFields;
}

/**
 * A layout and its calibration as stored in the file of `csiflow calibrate`: rounded, so that it is the same
 * on every machine.
 */
export const entryOf = (layout: CsiLayout, learnt: LinkCalibration): object => ({
  layout: { ...layoutSnapshot(layout), subcarriers: Array.from(layout.subcarriers) },
  reference: learnt.reference,
  phase: learnt.phase.map((phase) => (phase === null ? null : rounded(phase))),
  response: learnt.response.map(rounded),
  motion: rounded(learnt.motion),
  noiseDb: rounded(learnt.noiseDb),
});

const rounded = (value: number): number => Math.round(1e4 * value) / 1e4;

/**
 * The part of a calibration file that `calibrate` reads: `"links": {"link-1": [{"layout": ..., "phase": ...}]}`.
 * @throws Error that names the file, the link and what is wrong
 */
export function readCalibrations(file: string): Calibrations {
  if (!existsSync(file))
    throw new Error(
      `The calibration ${file} does not exist. Make it with \`csiflow calibrate\`, or remove the field \`calibration\`.`,
    );
  const links = (readJsonFile(file) as { links?: unknown } | null)?.links;
  if (typeof links !== 'object' || links === null || Array.isArray(links))
    throw new Error(
      `${file} has no "links": it was measured without the operator calibrate. Run \`csiflow calibrate\` again.`,
    );
  return new Map(
    Object.entries(links as Record<string, unknown>).map(([link, entries]) => {
      if (!Array.isArray(entries)) throw new Error(`${file}: "links.${link}" must be a list of layouts.`);
      return [link, new Map(entries.map((entry) => checked(entry, `${file}: "links.${link}"`)))];
    }),
  );
}

function checked(entry: unknown, where: string): readonly [string, LinkCalibration] {
  const { layout: fields, ...learnt } = (entry ?? {}) as Partial<Entry>;
  if (!fields || !numbers(fields.subcarriers)) throw new Error(`${where} has a layout without subcarriers.`);
  const layout = csiLayout(fields);
  const { response, phase, reference, motion, noiseDb } = learnt;
  if (!numbers(response) || response.length !== frameSize(layout) / 2 || response.some((value) => value < 0))
    throw new Error(`${where}.response must be ${frameSize(layout) / 2} numbers from 0 up.`);
  if (!phases(phase) || phase.length !== layout.rx)
    throw new Error(`${where}.phase must be ${layout.rx} numbers, or null.`);
  if (!Number.isInteger(reference) || !numbers([noiseDb]) || !(motion! > 0 && motion! <= 1))
    throw new Error(`${where} needs the numbers reference, noiseDb, and motion from 0 to 1.`);
  return [layout.key, learnt as LinkCalibration];
}

const numbers = (values: unknown): values is readonly number[] =>
  Array.isArray(values) && values.every(Number.isFinite);

const phases = (values: unknown): values is readonly (number | null)[] =>
  Array.isArray(values) && values.every((one: unknown) => one === null || Number.isFinite(one));
