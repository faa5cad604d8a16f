import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Activity } from '../person/activities.js';
import { clipOf, JOINTS, type Clip } from './clip.js';
import { readClip, readSkeleton } from './deepmimic.js';
import { errorText } from '../../../base/error-text.js';

/** Recorded motion that people play besides the simulated one. */
export interface MotionLibrary {
  /** Clips of people who stand at the start and at the end, or crawl. */
  readonly clips: readonly Clip[];
  readonly falls: readonly Clip[];
}

/** Training and evaluation never use the same recordings. */
export type MotionPart = 'all' | 'training' | 'held_out';

/**
 * Activity of each clip of DeepMimic. Jogging and running are too fast for a room; getting up starts on the
 * back.
 */
const SHOWS: Readonly<Record<string, Activity>> = {
  walk: 'walk',
  long_walk1: 'walk',
  long_walk2: 'walk',
  long_zombie: 'walk',
  zombie_walk: 'walk',
  stealthy_walk: 'walk',
  stealthy_walk0: 'walk',
  crawl: 'crawl',
  jump: 'jump',
  cartwheel: 'exercise',
  dance_a: 'exercise',
  dance_b: 'exercise',
  kick: 'exercise',
  punch: 'exercise',
  roll: 'exercise',
  spin: 'exercise',
};
const HELD_OUT_CLIPS: readonly string[] = ['long_walk2', 'zombie_walk', 'stealthy_walk', 'dance_b', 'kick'];
/** Every fifth fall is held out. */
const HELD_OUT_FALL = 4;
/** Maximum number of stored poses per second. */
const RATE = 60;

/**
 * Reads `clips/humanoid3d_*.txt` (DeepMimic) and `ragdoll-falls/fall_*.csv.gz` (joints, 100 per second) from
 * a folder.
 * @throws Error that names the unreadable file, and the reason
 */
export function loadMotion(folder: string, part: MotionPart = 'all'): MotionLibrary {
  const clips = existsSync(join(folder, 'clips')) ? readClips(join(folder, 'clips'), part) : [];
  const falls = existsSync(join(folder, 'ragdoll-falls'))
    ? readFalls(join(folder, 'ragdoll-falls'), part)
    : [];
  if (clips.length + falls.length === 0) {
    throw new Error(
      `${folder} has no recorded motion: neither clips/humanoid3d_*.txt nor ragdoll-falls/fall_*.csv.gz`,
    );
  }
  return { clips, falls };
}

const wanted = (part: MotionPart, heldOut: boolean): boolean =>
  part === 'all' || heldOut === (part === 'held_out');

function readClips(folder: string, part: MotionPart): Clip[] {
  const skeleton = reading(join(folder, 'humanoid3d_character.txt'), (text) => readSkeleton(text));
  return Object.entries(SHOWS)
    .filter(([name]) => wanted(part, HELD_OUT_CLIPS.includes(name)))
    .map(([name, activity]) => ({ name, activity, file: join(folder, `humanoid3d_${name}.txt`) }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, activity, file }) =>
      reading(file, (text) => {
        const { step, loops, joints } = readClip(text, skeleton);
        const every = Math.max(1, Math.round(1 / (step * RATE)));
        return clipOf({ name, activity, loops, rate: 1 / (step * every) }, thinned(joints, every));
      }),
    );
}

function readFalls(folder: string, part: MotionPart): Clip[] {
  return readdirSync(folder)
    .filter((name) => /^fall_\d+\.csv(\.gz)?$/.test(name))
    .sort()
    .filter((_, index) => wanted(part, index % 5 === HELD_OUT_FALL))
    .map((name) =>
      reading(join(folder, name), (text) =>
        clipOf({ name, activity: 'fall', loops: false, rate: 50 }, thinned(readTable(text), 2)),
      ),
    );
}

const COLUMNS = JOINTS.flatMap((name) => ['x', 'y', 'z'].map((axis) => `${name}_${axis}`)).join();

/** A table with a column for each coordinate of each joint. */
function readTable(text: string): Float32Array {
  const [head, ...rows] = text.trim().split(/\r?\n/);
  if (head !== COLUMNS) throw new Error(`line 1 is not ${COLUMNS.slice(0, 40)}...`);
  const table = new Float32Array(rows.length * JOINTS.length * 3);
  rows.forEach((row, index) => {
    const values = row.split(',').map(Number);
    if (values.length !== JOINTS.length * 3 || !values.every(Number.isFinite)) {
      throw new Error(`line ${index + 2} is not ${JOINTS.length * 3} numbers`);
    }
    table.set(values, index * JOINTS.length * 3);
  });
  return table;
}

function thinned(joints: Float32Array, every: number): Float32Array {
  const size = JOINTS.length * 3;
  const count = Math.ceil(joints.length / size / every);
  const out = new Float32Array(count * size);
  for (let i = 0; i < count; i++) {
    out.set(joints.subarray(i * every * size, (i * every + 1) * size), i * size);
  }
  return out;
}

function reading<T>(file: string, read: (text: string) => T): T {
  try {
    const bytes = readFileSync(file);
    return read((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString());
  } catch (error) {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error });
  }
}
