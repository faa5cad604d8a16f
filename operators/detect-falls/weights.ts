import { readFileSync } from 'node:fs';
import { packageFile } from '../../pipeline/base/paths.js';
import type { Ensemble } from './dense.js';

/** Nets with what they were trained on. */
interface TrainedNets extends Ensemble {
  readonly name: string;
  readonly version: string;
  readonly features: readonly string[];
  readonly settings: Readonly<Record<string, number>>;
  /** Score from which on a candidate is a fall. */
  readonly threshold: number;
}

/** Of one link: what `csiflow train falls` writes. */
export interface FallWeights extends TrainedNets {
  readonly trainedOn: readonly {
    readonly data: string;
    readonly licence: string;
    readonly folder: string;
    readonly examples: string;
  }[];
}

/** Of several links: what `csiflow train falls --several` writes. */
export interface PooledWeights extends TrainedNets {
  readonly trainedOn: string;
}

export const WEIGHTS_FILE = 'operators/detect-falls/weights/falls.json';
export const POOLED_WEIGHTS_FILE = 'operators/detect-falls/weights/falls-pooled.json';

export const readWeights = (path = packageFile(WEIGHTS_FILE)): FallWeights => read(path) as FallWeights;

export const readPooledWeights = (path = packageFile(POOLED_WEIGHTS_FILE)): PooledWeights =>
  read(path) as PooledWeights;

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
