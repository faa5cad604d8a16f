import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment, Link } from '../../../pipeline/model/index.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import { replaceFile } from '../../../pipeline/base/files.js';
import { InputError } from '../../../pipeline/base/input-error.js';
import { packageFile } from '../../../pipeline/base/paths.js';
import { PLAIN_NAME } from '../../../pipeline/base/plain-name.js';
import { readJsonFile } from '../../shared/json-file.js';
import type { ConfirmationLaw } from '../memory/confirmation.js';
import { FEATURE_VERSION } from '../inputs/features.js';
import { POINTS, STEP_US } from '../inputs/grid.js';
import { LAYERS, NETWORK_VERSION, PARAMETERS } from '../networks/layers.js';
import { MEMORY_PARAMETERS, MEMORY_VERSION } from '../networks/memory-layers.js';

/** Folder of the shipped weights; each model is a folder in it. */
export const SHIPPED = 'operators/infer-pose/weights';

/** `manifest.json` beside `weights.bin` (32-bit little-endian floats, layer by layer, kernel then bias). */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** In words: `simulated CSI`. */
  readonly trainedOn: string;
  /** Path of the report in this repository. */
  readonly accuracy: string;
  /** SHA-256 of weights.bin, hexadecimal. */
  readonly sha256: string;
  readonly networkVersion: number;
  readonly featureVersion: number;
  readonly parameters: number;
  readonly layers: readonly { readonly name: string; readonly inputs: number; readonly outputs: number }[];
  readonly window: { readonly lengthMs: number; readonly points: number };
  readonly calibration: ErrorCalibration;
  /** The room that the model was trained for; null: any room. */
  readonly site: TrainedRoom | null;
  /** How it was trained: for people and to repeat it. */
  readonly training: Readonly<Record<string, unknown>>;
  /** Description of `memory.bin`, the memory network; absent if a model has none. */
  readonly memory?: MemoryManifest;
}

/** `memory.bin` holds 32-bit little-endian floats, layer by layer, kernel then bias. */
export interface MemoryManifest {
  readonly version: number;
  readonly parameters: number;
  /** SHA-256 of memory.bin, hexadecimal. */
  readonly sha256: string;
  /** SHA-256 of the weights.bin behind which it was trained, hexadecimal. */
  readonly behind: string;
  /** Error scales of its output; the scale of a person among several combines position and assignment uncertainty. */
  readonly calibration: ErrorCalibration;
  /** Tells people from pets and other moving things; absent: everybody counts. */
  readonly confirmation?: ConfirmationLaw;
  /** By how much its weights make three people and more rarer than the rooms of its training do; absent: 1. */
  readonly crowdOdds?: number;
  readonly training: Readonly<Record<string, unknown>>;
}

/** From the network's own scales to expected errors, fitted on held-out rooms. */
export interface ErrorCalibration {
  /** Expected distance of the floor position = factor * scale ^ power, metres. */
  readonly position: Scale;
  /** The same for a person among several. */
  readonly several: Scale;
  /** Expected distance of a joint relative to the root = scale * its scale + heading * its distance from the body's axis * (1 - length of the heading vector). */
  readonly joints: { readonly scale: number; readonly heading: number };
}

/** A power law. */
export interface Scale {
  readonly factor: number;
  readonly power: number;
}

/** What decides whether a model was trained for a room. */
export interface TrainedRoom {
  readonly environment: string;
  readonly size: Environment['size'];
  readonly links: readonly Pick<Link, 'id' | 'transmitter' | 'receiver'>[];
}

/** An environment as the manifest of a model names it. */
export const trainedRoomOf = (environment: Environment): TrainedRoom => ({
  environment: environment.id,
  size: environment.size,
  links: environment.links.map(({ id, transmitter, receiver }) => ({ id, transmitter, receiver })),
});

export interface Model {
  readonly manifest: Manifest;
  readonly weights: Float32Array;
}

/** The folder of a model: one of the shipped ones, or a path relative to `folder`. */
export const modelFolder = (name: string, folder: string): string =>
  PLAIN_NAME.test(name) ? packageFile(join(SHIPPED, name)) : resolve(folder, name);

/** The shipped models, by the name of their folder. */
export const shippedModels = (): string[] =>
  readdirSync(packageFile(SHIPPED), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(entry.parentPath, entry.name, 'manifest.json')))
    .map((entry) => entry.name)
    .sort();

/** The problem with `weights` that name a model which is not shipped, for people; null: none. */
export function unknownModel(weights: string): string | null {
  if (weights === 'auto' || !PLAIN_NAME.test(weights)) return null;
  const shipped = shippedModels();
  if (shipped.includes(weights)) return null;
  return `\`${weights}\` is not a shipped model: write \`auto\` or ${shipped.map((name) => `\`${name}\``).join(', ')}, or for a folder \`./${weights}\``;
}

/** The problem with the files of `weights` that name a folder, for people; null: none, or no such folder yet. */
export function unreadableModel(weights: string, folder: string): string | null {
  if (PLAIN_NAME.test(weights) || !existsSync(resolve(folder, weights))) return null;
  const path = modelFolder(weights, folder);
  try {
    readMemory(path, readModel(path).manifest);
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/**
 * Reads and checks a model.
 * @param wanted SHA-256 of its weights, if only these are acceptable
 * @throws InputError with the file, the problem and how to fix it.
 */
export function readModel(folder: string, wanted?: string): Model {
  const manifest = readManifest(folder);
  if (wanted !== undefined && manifest.sha256 !== wanted) {
    throw new Error(
      `${folder}: the weights were replaced since this topology read their manifest. Restart it to use those of version ${manifest.version}.`,
    );
  }
  const file = join(folder, 'weights.bin');
  const bytes = readFileSync(file);
  const problem =
    manifest.networkVersion !== NETWORK_VERSION || manifest.featureVersion !== FEATURE_VERSION
      ? `belong to network ${manifest.networkVersion} with features ${manifest.featureVersion}, not ${NETWORK_VERSION} and ${FEATURE_VERSION}`
      : bytes.byteLength !== PARAMETERS * 4
        ? `have ${bytes.byteLength} bytes, not ${PARAMETERS * 4}`
        : sha256(bytes) !== manifest.sha256
          ? 'do not match manifest.json: their SHA-256 differs'
          : null;
  if (problem)
    throw new InputError(`${file}: the weights ${problem}. Train again with \`csiflow train pose\`.`);
  return { manifest, weights: floatsOf(bytes) };
}

/**
 * The memory network; null if the model has none.
 * @param wanted SHA-256 of its weights, or null for none, if only these are acceptable
 * @throws InputError with the file, the problem and how to fix it.
 */
export function readMemory(
  folder: string,
  { memory, sha256: behind }: Manifest,
  wanted?: string | null,
): Float32Array | null {
  if (wanted !== undefined && wanted !== (memory?.sha256 ?? null))
    throw new Error(`${folder}: its memory was replaced since this topology read the manifest. Restart it.`);
  if (!memory) return null;
  const file = join(folder, 'memory.bin');
  const bytes = readFileSync(file);
  const problem =
    memory.version !== MEMORY_VERSION
      ? `have version ${memory.version}, not ${MEMORY_VERSION}`
      : memory.behind !== behind
        ? 'were trained behind other weights of the pose network'
        : bytes.byteLength !== MEMORY_PARAMETERS * 4
          ? `have ${bytes.byteLength} bytes, not ${MEMORY_PARAMETERS * 4}`
          : sha256(bytes) !== memory.sha256
            ? 'do not match manifest.json: their SHA-256 differs'
            : null;
  if (problem)
    throw new InputError(`${file}: the weights ${problem}. Train again with \`csiflow train memory\`.`);
  return floatsOf(bytes);
}

/** 32-bit little-endian floats of a file. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  const copy = Buffer.from(Uint8Array.from(bytes).buffer);
  if (endianness() === 'BE') copy.swap32();
  return new Float32Array(copy.buffer);
}

function bytesOf(weights: Float32Array): Buffer {
  const bytes = Buffer.alloc(weights.length * 4);
  weights.forEach((value, i) => bytes.writeFloatLE(value, 4 * i));
  return bytes;
}

/**
 * Writes the memory network beside the model behind which it was trained.
 * @param from folder of that model; where it is another than `folder`, the pose network is copied
 */
export function writeMemory(
  folder: string,
  weights: Float32Array,
  described: Pick<MemoryManifest, 'calibration' | 'confirmation' | 'crowdOdds' | 'training'>,
  from = folder,
): Manifest {
  const bytes = bytesOf(weights);
  const model = withoutMemory(readManifest(from));
  const memory = {
    ...described,
    version: MEMORY_VERSION,
    parameters: weights.length,
    sha256: sha256(bytes),
    behind: model.sha256,
  };
  mkdirSync(folder, { recursive: true });
  if (from !== folder) replaceFile(join(folder, 'weights.bin'), readFileSync(join(from, 'weights.bin')));
  replaceFile(join(folder, 'memory.bin'), bytes);
  replaceFile(join(folder, 'manifest.json'), `${JSON.stringify({ ...model, memory }, null, 2)}\n`);
  return { ...model, memory };
}

export function readManifest(folder: string): Manifest {
  const file = join(folder, 'manifest.json');
  if (!existsSync(file)) {
    throw new InputError(
      `${folder} has no weights: manifest.json is missing. Create them with \`csiflow train pose --out FOLDER\`, and name that folder with a slash (./FOLDER): names without one are those of shipped models.`,
    );
  }
  return readJsonFile(file) as Manifest;
}

/** SHA-256 of a model's memory network; null: it has none, or cannot be read. Whatever loads the model reports that. */
export function memoryIn(folder: string): string | null {
  try {
    return readManifest(folder).memory?.sha256 ?? null;
  } catch {
    return null;
  }
}

type Described = Omit<
  Manifest,
  'sha256' | 'networkVersion' | 'featureVersion' | 'parameters' | 'layers' | 'window' | 'memory'
>;

function withoutMemory<T extends Described>(described: T): Omit<T, 'memory'> {
  const { ...own }: T & { memory?: unknown } = described;
  delete own.memory;
  return own;
}

/**
 * Writes a model so that a reader finds either the old one or the new one. Removes its memory, because that
 * was trained behind other weights.
 */
export function writeModel(folder: string, weights: Float32Array, described: Described): Manifest {
  const bytes = bytesOf(weights);
  const manifest: Manifest = {
    ...withoutMemory(described),
    sha256: sha256(bytes),
    networkVersion: NETWORK_VERSION,
    featureVersion: FEATURE_VERSION,
    parameters: weights.length,
    layers: LAYERS,
    window: { lengthMs: (POINTS * STEP_US) / 1000, points: POINTS },
  };
  mkdirSync(folder, { recursive: true });
  replaceFile(join(folder, 'weights.bin'), bytes);
  replaceFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
