import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, type Stats } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Recording } from '../../operators/detect-falls/training/recordings.js';
import { Resampler, SINGLE_LINK_SHIFTS } from '../../operators/detect-falls/motion/resampler.js';
import type { LinkSample } from '../../operators/detect-falls/motion/room.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { replaceFile } from '../../pipeline/base/files.js';
import { packageVersion } from '../../pipeline/base/paths.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import { listenTo, readBy } from '../../pipeline/runtime/listen.js';
import { playlist } from '../accuracy/chain/inputs.js';
import { fedBy } from '../accuracy/chain/scene.js';

/** Recordings of falls and of other activities, as `ACTIVITY/PERSON-NUMBER.ENDING`. */

/** Name of the folder of the falls. */
export const FALL = 'fall';

export interface OwnClip {
  readonly path: string;
  readonly person: string;
  readonly hasFall: boolean;
}

/** Recordings between two lines of progress. */
const TOLD = 10;
/** Falls and other recordings below which nothing can be held out. */
const LEAST = { falls: 4, others: 8 } as const;

/** @throws CommandError if the folder is laid out otherwise, or holds too little */
export function listOwn(named: string): readonly OwnClip[] {
  // A source would look for a relative path beside the topology.
  const folder = resolve(named);
  if (!existsSync(join(folder, FALL)))
    throw new CommandError(
      `${join(folder, FALL)} does not exist: ${folder} must have one folder for each activity, that of the falls named ${FALL}, with recordings PERSON-NUMBER.ENDING`,
      EXIT.invalid,
    );
  const clips = visibleIn(folder)
    .filter((activity) => statusOf(activity).isDirectory())
    .flatMap((activity) =>
      visibleIn(activity)
        .filter((path) => statusOf(path).isFile())
        .map((path) => ({
          path,
          person: personOf(basename(path), activity),
          hasFall: basename(activity) === FALL,
        })),
    )
    .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
  const falls = clips.filter(({ hasFall }) => hasFall).length;
  const others = clips.length - falls;
  if (falls < LEAST.falls || others < LEAST.others)
    throw new CommandError(
      `${folder} has ${falls} recordings of falls and ${others} others: record at least ${LEAST.falls} and ${LEAST.others}`,
      EXIT.invalid,
    );
  return clips;
}

/** Files and folders, and links to them. */
const visibleIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(folder, name));

/** @throws CommandError if it is a link to nothing */
function statusOf(path: string): Stats {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined)
    throw new CommandError(`${path} is a link to nothing: mend or remove it`, EXIT.invalid);
  return status;
}

/** A wrong person would be held out together with himself, and the report would flatter. */
function personOf(name: string, folder: string): string {
  const person = /^([^-]+)-[^.]/.exec(name)?.[1];
  if (person === undefined)
    throw new CommandError(
      `${join(folder, name)} does not say who it is of: name it PERSON-NUMBER.ENDING, such as anna-1.csi, or move it away`,
      EXIT.invalid,
    );
  return person;
}

/**
 * What the nodes of a topology make of recordings of one link, on the grid of `detect-falls`. Each is played
 * alone, so that the result does not depend on the others, or on where an interrupted training continues.
 * @param cache folder for the result, which is not computed again
 */
export async function playOwn(
  topology: CheckedTopology,
  paths: readonly string[],
  cache: string | undefined,
  print: (line: string) => void,
): Promise<readonly Recording[]> {
  if (cache !== undefined) mkdirSync(cache, { recursive: true });
  const node = readBy(topology, 'detect-falls', 'window');
  if (node === undefined)
    throw new CommandError(`${topology.id} has no detect-falls that reads windows`, EXIT.invalid);
  const files = paths.map((path) => cache && join(cache, `${keyOf(topology, path)}.v8`));
  const done = paths.map((_, i) => (files[i] && existsSync(files[i]) ? readCached(files[i]) : undefined));
  const left = paths.flatMap((path, index) => (done[index] ? [] : [{ path, index }]));
  if (left.length < paths.length) print(`${paths.length - left.length} recordings are in ${cache!}`);
  for (const [number, { path, index }] of left.entries()) {
    const recording = await playOne(topology, node, path);
    done[index] = recording;
    if (files[index]) replaceFile(files[index], serialize(recording));
    const count = number + 1;
    if (count % TOLD === 0 || count === left.length) print(`${count} of ${left.length} recordings played`);
  }
  return done as Recording[];
}

const readCached = (file: string): Recording => deserialize(readFileSync(file)) as Recording;

/** Differs if the recording, the nodes, the files that they read, or csiflow's version do. */
function keyOf({ nodes, environments }: CheckedTopology, path: string): string {
  const { size, mtimeMs } = statSync(path);
  const chain = nodes.map(({ hash }) => hash);
  const inputs = [resolve(path), size, mtimeMs, chain, environments, SINGLE_LINK_SHIFTS, packageVersion()];
  const text = JSON.stringify(inputs);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

type Sample = LinkSample & { readonly number: number };

async function playOne(topology: CheckedTopology, node: string, path: string): Promise<Recording> {
  const samples: Sample[] = [];
  const resampler = new Resampler(SINGLE_LINK_SHIFTS);
  const unreadable: string[] = [];
  let links = 0;
  const input = playlist([path], [], {
    unreadable: (_, error) => {
      unreadable.push(`${path} cannot be read: ${errorText(error)}`);
    },
  });
  await listenTo(fedBy(topology, input), node, (record) => {
    if (record.port !== 'window') return false;
    links = Math.max(links, record.links.length);
    resampler.take(record, (number, [link]) => {
      if (link) samples.push({ ...link, number });
    });
    return links > 1;
  });
  if (unreadable[0] !== undefined) throw new CommandError(unreadable[0], EXIT.invalid);
  if (links > 1)
    throw new CommandError(
      `${path} is of ${links} links: falls can be learnt from recordings of one link; for several, csiflow ships networks that were trained on simulated rooms`,
      EXIT.invalid,
    );
  return joined(path, samples);
}

/** Samples of another layout than the first are gaps. */
function joined(path: string, samples: readonly Sample[]): Recording {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last) throw new CommandError(`${path} is shorter than a window`, EXIT.invalid);
  const { antennas, subcarriers } = first;
  const width = antennas * subcarriers;
  const count = last.number - first.number + 1;
  const amplitudes = new Float32Array(count * width);
  const gaps = new Uint8Array(count).fill(1);
  for (const sample of samples) {
    if (sample.antennas !== antennas || sample.subcarriers !== subcarriers) continue;
    const at = sample.number - first.number;
    amplitudes.set(sample.amplitudes, at * width);
    gaps[at] = sample.gap ? 1 : 0;
  }
  return { antennas, subcarriers, samples: count, amplitudes, gaps };
}
