import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorText } from '../../../pipeline/base/error-text.js';
import { packageFile } from '../../../pipeline/base/paths.js';
import { LAGS_MS } from '../impacts/changes.js';
import type { Ensemble } from './dense.js';
import { FEATURES } from '../motion/features.js';
import { EARLY_OUTPUTS, PARAMETERS, type Scale } from './impact-net.js';

interface Trained {
  readonly name: string;
  readonly version: string;
  readonly settings: Readonly<Record<string, number>>;
  /** Score from which a candidate is a fall. */
  readonly threshold: number;
}

/** For one link: written by `csiflow train falls`. */
export interface FallWeights extends Trained, Ensemble {
  readonly features: readonly string[];
  readonly trainedOn: readonly {
    readonly data: string;
    readonly licence: string;
    readonly folder: string;
    readonly examples: string;
  }[];
  /** File of the report beside the weights; missing in the shipped ones. */
  readonly report?: string;
}

/** For several links: written by `csiflow train falls --several`. */
export interface SeveralWeights extends Trained, Scale {
  readonly lagsMs: readonly number[];
  readonly trainedOn: string;
  readonly trainedWith: string;
  /** Mean frames a second of a room's links below which these weights are used; missing: the others. */
  readonly belowHz?: number;
  /** Parameters of each network, 32-bit floats in base64. */
  readonly nets: readonly string[];
}

export type SlowWeights = SeveralWeights & { readonly belowHz: number };

/** For early data: written by `csiflow train falls --warnings`. */
export interface WarningWeights extends Trained {
  /** Version of the weights for several links whose layers it reads. */
  readonly of: string;
  readonly trainedOn: string;
  readonly trainedWith: string;
  /** Each network's groups in turn, then the bias: 32-bit floats in base64. */
  readonly head: string;
}

export const WEIGHTS_FILE = 'operators/detect-falls/weights/falls.json';
export const SEVERAL_WEIGHTS_FILE = 'operators/detect-falls/weights/falls-several.json';
export const SLOW_WEIGHTS_FILE = 'operators/detect-falls/weights/falls-several-slow.json';
export const WARNING_WEIGHTS_FILE = 'operators/detect-falls/weights/falls-warning.json';

export const readWeights = (path = packageFile(WEIGHTS_FILE)): FallWeights => read(path) as FallWeights;

export const readSeveralWeights = (path = packageFile(SEVERAL_WEIGHTS_FILE)): SeveralWeights =>
  read(path) as SeveralWeights;

/** For several links with few frames a second. */
export const readSlowWeights = (path = packageFile(SLOW_WEIGHTS_FILE)): SlowWeights =>
  read(path) as SlowWeights;

export const readWarningWeights = (path = packageFile(WARNING_WEIGHTS_FILE)): WarningWeights =>
  read(path) as WarningWeights;

/** The weights of a `detect-falls`, for one link and for several. */
export interface WeightsInUse {
  readonly one: FallWeights;
  readonly several: SeveralWeights;
  /** For several links with few frames a second; null: `several` is for all of them. */
  readonly slow: SlowWeights | null;
  /** The ones that results name: those of the user, if there are any. */
  readonly named: FallWeights | SeveralWeights;
}

/**
 * The shipped weights, or those of a file by `csiflow train falls` in place of the shipped ones of its kind.
 * @param file relative to `folder`
 * @throws Error that names the file and says what is wrong with it
 */
export function weightsInUse(file: string | undefined, folder: string): WeightsInUse {
  const shipped = { one: readWeights(), several: readSeveralWeights(), slow: readSlowWeights() };
  if (file === undefined) return { ...shipped, named: shipped.one };
  const path = resolve(folder, file);
  const own = readOwn(path);
  if (isOfSeveral(own)) {
    parametersOf(own, path);
    const { belowHz = 1 } = own;
    if (!(typeof belowHz === 'number' && belowHz > 0))
      throw new Error(`${path} is damaged: \`belowHz\` is not a number of frames a second`);
    const replaced = isOfSlow(own) ? { slow: own } : { several: own, slow: null };
    return { ...shipped, ...replaced, named: own };
  }
  const fault = faultOf(own);
  if (fault !== null)
    throw new Error(`${path} ${fault}: name weights that this version's \`csiflow train falls\` wrote`);
  return { ...shipped, one: own as FallWeights, named: own as FallWeights };
}

function readOwn(path: string): unknown {
  try {
    return read(path);
  } catch (error) {
    throw new Error(`the weights ${path} cannot be read: ${errorText(error)}`);
  }
}

/** Weights for several links. @throws Error that names the file, and what is wrong with it */
export function severalWeightsOf(path: string): SeveralWeights {
  const own = readOwn(path);
  if (!isOfSeveral(own) || !Array.isArray(own.nets) || own.nets.length === 0)
    throw new Error(
      `${path} holds no weights for several links: name some that \`csiflow train falls --several\` wrote`,
    );
  parametersOf(own, path);
  return own;
}

const isOfSeveral = (weights: unknown): weights is SeveralWeights =>
  typeof weights === 'object' && weights !== null && 'lagsMs' in weights;

const isOfSlow = (weights: SeveralWeights): weights is SlowWeights => weights.belowHz !== undefined;

/** What is wrong with weights for one link; null: nothing. */
function faultOf(weights: unknown): string | null {
  const { features, mean, deviation, clip, nets, threshold, name, version, trainedOn } = (weights ??
    {}) as Partial<FallWeights>;
  const isList = (list: unknown, length: number): boolean =>
    Array.isArray(list) && list.length === length && list.every(Number.isFinite);
  const width = FEATURES.length;
  if (!Array.isArray(nets) || nets.length === 0) return 'holds no weights of detect-falls';
  if (String(features) !== String(FEATURES)) return 'reads other features than this version computes';
  const fits = nets.every(
    ({ hidden, output }) =>
      Array.isArray(hidden) &&
      hidden.every((row) => isList(row, width + 1)) &&
      isList(output, hidden.length + 1),
  );
  if (!fits || !isList(mean, width) || !isList(deviation, width)) return 'is damaged: numbers are missing';
  if (![clip, threshold].every(Number.isFinite)) return 'is damaged: `clip` or `threshold` is not a number';
  if (typeof name !== 'string' || typeof version !== 'string' || !Array.isArray(trainedOn))
    return 'does not say what it was trained on';
  return null;
}

/** @throws Error if the weights have other inputs than this code */
export function parametersOf(
  { nets, lagsMs }: SeveralWeights,
  file = SEVERAL_WEIGHTS_FILE,
): readonly Float32Array[] {
  const parameters = nets.map(floatsOf);
  if (String(lagsMs) !== String(LAGS_MS) || parameters.some(({ length }) => length !== PARAMETERS))
    throw new Error(`${file} belongs to another network: run csiflow train falls --several`);
  return parameters;
}

/** @throws Error if the weights were trained on other layers than those of `several` */
export function headOf({ of, head }: WarningWeights, several: SeveralWeights): Float32Array {
  const floats = floatsOf(head);
  if (of !== several.version || floats.length !== several.nets.length * EARLY_OUTPUTS + 1)
    throw new Error(`${WARNING_WEIGHTS_FILE} belongs to other networks: run csiflow train falls --warnings`);
  return floats;
}

function floatsOf(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
