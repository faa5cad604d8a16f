import { join } from 'node:path';
import { packageFile } from '../../../pipeline/base/paths.js';
import type { Environment } from '../../../pipeline/model/index.js';
import { readManifest, SHIPPED, shippedModels, trainedRoomOf } from './weights.js';

/** Names or folders of models, as in the configuration. */
interface ChosenModels {
  readonly usual: string;
  /** For rooms whose links are at 5 GHz; null: the usual one. */
  readonly high: string | null;
}

/**
 * The models that `weights` asks for. `auto`: the one trained for exactly these environments' size and links if there is one,
 * otherwise the general ones.
 */
export const chooseModels = (weights: string, environments: readonly Environment[]): ChosenModels =>
  weights === 'auto'
    ? (ownModel(environments) ?? { usual: 'general', high: 'general-5-ghz' })
    : { usual: weights, high: null };

function ownModel(environments: readonly Environment[]): ChosenModels | null {
  const wanted = new Set(environments.map((environment) => JSON.stringify(trainedRoomOf(environment))));
  if (wanted.size !== 1) return null;
  const own = shippedModels().find((name) =>
    wanted.has(JSON.stringify(readManifest(packageFile(join(SHIPPED, name))).site)),
  );
  return own === undefined ? null : { usual: own, high: null };
}
