import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { allocateBlock, csiLayout, type CsiBlock } from '../../pipeline/model/index.js';

/** A clip of a dataset laid out as ACTIVITY/PERSON-NUMBER.ENDING. */
export interface ListedClip {
  readonly path: string;
  readonly activity: string;
  readonly person: string;
}

/**
 * The clips of some activities, a share of each activity and person, ordered by person and number: neighbours
 * in the list show different activities.
 */
export function listClips(
  folder: string,
  activities: readonly string[],
  share: number,
): readonly ListedClip[] {
  const clips = activities.flatMap((activity) =>
    readdirSync(join(folder, activity))
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .map((file) => ({ path: join(folder, activity, file), activity, person: file.split('-')[0]!, file })),
  );
  const keyOf = ({ activity, person }: ListedClip) => `${activity} ${person}`;
  return [...new Set(clips.map(keyOf))]
    .flatMap((key) =>
      shareOut(
        clips.filter((clip) => keyOf(clip) === key),
        share,
      ),
    )
    .sort((a, b) => a.file.localeCompare(b.file, 'en', { numeric: true }));
}

/** An evenly spread share of a list: at least its first item. */
export const shareOut = <T>(all: readonly T[], share: number): readonly T[] =>
  all.filter((_, index) => Math.ceil((index + 1) * share) > Math.ceil(index * share));

/** Data and pilot carriers of a 20 MHz channel, the ones of 52 amplitudes. */
const LEGACY = Array.from({ length: 52 }, (_, i) => (i < 26 ? i - 26 : i - 25));
/** Frames per second of falls-rpi4-amplitude, which has no timestamps. */
const RPI_RATE = 100;

/**
 * A file of falls-rpi4-amplitude: one line per frame, 52 amplitudes without timestamps, assumed at 100 per
 * second. @throws Error that names the line
 */
export function readAmplitudes(path: string): CsiBlock {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n');
  const block = allocateBlock(
    csiLayout({ rx: 1, tx: 1, subcarriers: LEGACY, bandwidthMhz: 20, centreMhz: 2437, training: 'lltf' }),
    lines.length,
  );
  lines.forEach((line, row) => {
    const values = line.split(',').map(Number);
    if (values.length !== LEGACY.length || !values.every(Number.isFinite))
      throw new Error(
        `${path}:${row + 1}: ${values.length} values, not ${LEGACY.length} numbers between commas`,
      );
    block.time[row] = Math.round((1e6 * row) / RPI_RATE);
    block.sequence[row] = row;
    values.forEach((value, carrier) => {
      block.values[2 * (row * LEGACY.length + carrier)] = value;
    });
  });
  return block;
}
