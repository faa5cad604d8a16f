import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { allocateBlock, csiLayout, type CsiBlock } from '../../pipeline/model/index.js';
import { captureOf } from '../accuracy/chain/espectre.js';
import type { Playable } from '../accuracy/chain/inputs.js';
import { readNpy } from '../../pipeline/formats/tables/npy.js';
import { pickledTexts } from './pickled.js';
import { listClips, shareOut } from './recordings.js';

/** Ground truth of a stretch of a recording; null: unknown, or not used. */
export interface Label {
  readonly moving: boolean | null;
  readonly somebody: boolean | null;
}

/** A recording of a link with its ground truth, by seconds from its beginning. */
export interface MotionRecording {
  readonly chip: string;
  readonly playable: Playable;
  readonly labelOf: (from: number, to: number) => Label;
}

export const ESPECTRE = 'labelled/esp32-presence';
export const CONTINUOUS = 'labelled/esp32-continuous';
export const INTEL = 'labelled/falls-intel5300-bedroom';

const UNKNOWN: Label = { moving: null, somebody: null };
const CHIPS = { esp32: 'ESP32', c3: 'ESP32-C3', s3: 'ESP32-S3' } as const;

/**
 * An empty room, or somebody who moves in it; three chips. @param folder where to write the converted
 * captures
 */
export function espectre(data: string, folder: string): readonly MotionRecording[] {
  return readdirSync(join(data, ESPECTRE))
    .filter((file) => file.endsWith('.npz'))
    .sort()
    .map((file) => {
      const [kind = '', chip = ''] = file.split('_');
      const known = CHIPS[chip as keyof typeof CHIPS] as string | undefined;
      if (known === undefined || !['baseline', 'movement'].includes(kind))
        throw new Error(
          `${join(data, ESPECTRE, file)}: its name must begin with baseline or movement, then esp32, c3 or s3`,
        );
      const path = join(folder, file.replace('.npz', '.csi'));
      captureOf(join(data, ESPECTRE, file), path);
      const moving = kind === 'movement';
      return { chip: known, playable: path, labelOf: () => ({ moving, somebody: moving }) };
    });
}

/** Frames per second, assumed: the dataset does not give it. */
const CONTINUOUS_RATE = 100;
/** Share of a stretch's frames that must agree. */
const AGREEING = 0.8;
const HT20 = Array.from({ length: 56 }, (_, i) => (i < 28 ? i - 28 : i - 27));
const LABELS = /^(SEATED|WALKING|TURN|SITTING_DOWN|STANDING_UP)/;

/** One person who sits, stands up, walks, turns and sits down; one label per frame. */
export function continuous(data: string, share: number): readonly MotionRecording[] {
  const files = ['D1', 'D2'].flatMap((part) =>
    readdirSync(join(data, CONTINUOUS, part))
      .filter((file) => file.endsWith('-x.npy.gz'))
      .sort()
      .map((file) => join(data, CONTINUOUS, part, file)),
  );
  return shareOut(files, share).map((path) => {
    const labels = pickledTexts(readFileSync(path.replace('-x.npy.gz', '-y.npy')), (text) =>
      LABELS.test(text),
    );
    const seated = labels.map((label) => label.startsWith('SEATED'));
    const labelOf = (from: number, to: number): Label => {
      const part = seated.slice(Math.round(from * CONTINUOUS_RATE), Math.round(to * CONTINUOUS_RATE));
      const still = part.filter(Boolean).length / part.length;
      const agreeing = still >= AGREEING || still <= 1 - AGREEING;
      return { moving: agreeing ? still < 0.5 : null, somebody: true };
    };
    return {
      chip: 'ESP32, seated or active',
      playable: { path, frames: () => readAmplitudes(path) },
      labelOf,
    };
  });
}

function readAmplitudes(path: string): CsiBlock {
  const { shape, re, texts } = readNpy(gunzipSync(readFileSync(path)));
  const [carriers = 0, frames = 0] = shape;
  if (carriers !== HT20.length || texts !== null)
    throw new Error(`${path}: must be numbers [${HT20.length}, frames], not [${shape.join(', ')}]`);
  const layout = csiLayout({
    rx: 1,
    tx: 1,
    subcarriers: HT20,
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'ht-ltf',
  });
  const block = allocateBlock(layout, frames);
  for (let row = 0; row < frames; row++) {
    block.time[row] = Math.round((1e6 * row) / CONTINUOUS_RATE);
    block.sequence[row] = row;
    for (let k = 0; k < carriers; k++) block.values[2 * (row * carriers + k)] = re[k * frames + row]!;
  }
  return block;
}

/** The middle of walking and running clips, where the action is certain, seconds. */
const MIDDLE = [4, 11] as const;
/** Length used of the long takes of somebody who lies or sits, seconds. */
const TAKE = 120;

/** Clips of people who walk and run, and long takes of people who lie or sit. */
export function intel(data: string, share: number): readonly MotionRecording[] {
  const folder = join(data, INTEL);
  const active = listClips(folder, ['run', 'walk'], share / 5).map(({ path }) => ({
    chip: 'Intel 5300',
    playable: path,
    labelOf: (from: number, to: number): Label =>
      from >= MIDDLE[0] && to <= MIDDLE[1] ? { moving: true, somebody: true } : UNKNOWN,
  }));
  const still = shareOut(listClips(folder, ['lying', 'sitting'], 1), share).map(({ path }) => ({
    chip: 'Intel 5300',
    playable: path,
    // They stir now and then, at times that the dataset does not label: only presence is known.
    labelOf: (_from: number, to: number): Label => ({ moving: null, somebody: to <= TAKE ? true : null }),
  }));
  return [...active, ...still];
}
