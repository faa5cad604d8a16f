import { readFileSync } from 'node:fs';
import { packageFile } from '../../pipeline/base/paths.js';
import { LAGS_MS } from './changes.js';
import type { Ensemble } from './dense.js';
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
}

/** For several links: written by `csiflow train falls --several`. */
export interface SeveralWeights extends Trained, Scale {
  readonly lagsMs: readonly number[];
  readonly trainedOn: string;
  readonly trainedWith: string;
  /** Parameters of each network, 32-bit floats in base64. */
  readonly nets: readonly string[];
}

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
export const WARNING_WEIGHTS_FILE = 'operators/detect-falls/weights/falls-warning.json';

export const readWeights = (path = packageFile(WEIGHTS_FILE)): FallWeights => read(path) as FallWeights;

export const readSeveralWeights = (path = packageFile(SEVERAL_WEIGHTS_FILE)): SeveralWeights =>
  read(path) as SeveralWeights;

export const readWarningWeights = (path = packageFile(WARNING_WEIGHTS_FILE)): WarningWeights =>
  read(path) as WarningWeights;

/** @throws Error if the weights have other inputs than this code */
export function parametersOf({ nets, lagsMs }: SeveralWeights): readonly Float32Array[] {
  const parameters = nets.map(floatsOf);
  if (String(lagsMs) !== String(LAGS_MS) || parameters.some(({ length }) => length !== PARAMETERS))
    throw new Error(`${SEVERAL_WEIGHTS_FILE} belongs to another network: run csiflow train falls --several`);
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
