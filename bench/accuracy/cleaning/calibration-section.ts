import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sliceBlock, type CsiBlock } from '../../../pipeline/model/index.js';
import { fitOf, judged, learnt, type CalibrationFit, type Judged, type Session } from './calibration.js';
import { espFrames } from './frames.js';
import { table } from './table.js';

/** The default `threshold` of `detect-motion`. */
const SETTING = 0.03;

export interface CalibrationReport {
  /** Fits of a calibration learnt from the first half of the still link. */
  readonly fits: readonly CalibrationFit[];
  readonly judged: readonly Judged[];
}

/** @param recordings Widar's captures by name, the still link first: its second half is judged */
export function calibrationOf(
  recordings: readonly (readonly [name: string, blocks: readonly CsiBlock[]])[],
  sessions: Readonly<Record<string, readonly [Session, Session]>>,
): CalibrationReport {
  const [[still, blocks], ...others] = recordings as [(typeof recordings)[number], ...typeof recordings];
  const [first, second] = halves(blocks);
  const known = learnt(first);
  return {
    fits: [
      fitOf(known, `${still}, its second half`, second),
      ...others.map(([name, frames]) => fitOf(known, name, frames)),
    ],
    judged: Object.entries(sessions).flatMap(([link, pair]) => judged(link, pair, SETTING)),
  };
}

function halves(blocks: readonly CsiBlock[]): readonly [CsiBlock[], CsiBlock[]] {
  const [first, second]: [CsiBlock[], CsiBlock[]] = [[], []];
  let left = blocks.reduce((sum, { count }) => sum + count, 0) >> 1;
  for (const block of blocks) {
    const cut = Math.min(block.count, left);
    left -= cut;
    if (cut > 0) first.push(sliceBlock(block, 0, cut));
    if (cut < block.count) second.push(sliceBlock(block, cut, block.count));
  }
  return [first, second];
}

/** The two recordings of an empty room and of movement that exist for a chip. */
export function sessionsOf(folder: string, chip: string): readonly [Session, Session] {
  const of = (kind: string): readonly CsiBlock[] =>
    readdirSync(folder)
      .filter((name) => name.startsWith(`${kind}_${chip}_`))
      .sort()
      .map((name) => espFrames(join(folder, name)));
  const [baselines, movements] = [of('baseline'), of('movement')];
  if (baselines.length !== 2 || movements.length !== 2)
    throw new Error(`${folder}: expected two recordings each of baseline and movement for ${chip}`);
  return [
    { baseline: baselines[0]!, movement: movements[0]! },
    { baseline: baselines[1]!, movement: movements[1]! },
  ];
}

const of = ([over, all]: readonly [number, number]): string => `${over} of ${all}`;

export const calibrationSection = ({ fits, judged: links }: CalibrationReport): string => `## Calibration

What \`calibrate\` learns from the first half of \`sta-1-r1\`, a still link of three antennas, compared with other recordings: how far amplitudes have drifted, and by how much the phase between antennas has turned. A calibration fits up to a drift of 0.15 and 45 degrees. Without the operator, the antennas of that link differ by up to 100 degrees; after it, by the last column.

${table(
  ['recording', 'drift of amplitudes', 'turn of an antenna'],
  fits.map(({ recording, drift, turned }) => [recording, drift.toFixed(3), `${turned.toFixed(1)} degrees`]),
)}

\`r1\` and \`r2\` are two receivers of one room, \`1-1\` is a gesture in the same session, \`userA\` another session. The calibration still fits with somebody in the room, but not for another receiver or after a restart.

**Thresholds per link.** Seconds above the threshold of \`motion\`, after \`denoise\` and \`phase-sanitize\`, with the single setting of \`detect-motion\` and with the threshold that \`calibrate\` learns from the chip's other recording of its empty room (two of ten seconds; those of ESP32 and S3 are weeks apart).

${table(
  ['link', 'threshold', 'empty room', 'movement'],
  links.map(({ link, threshold, still, moving }) => [link, threshold.toFixed(3), of(still), of(moving)]),
)}

On these recordings, a link's own threshold brings no gain, because the single setting already separates them. It can do harm if the calibration starts while somebody is still there, as in one recording of the S3: measure a minute of the empty room, not ten seconds.`;
