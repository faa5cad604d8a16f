import type { StoragePolicy } from '../../component/index.js';
import type { Settings } from '../../config/topology/topology.js';
import {
  derivedKey,
  knownSecret,
  openState,
  privacySecret,
  type StateKeys,
  type StateStore,
} from '../../state/index.js';
import type { Log } from '../../telemetry/log.js';
import { tellReseal } from '../../telemetry/reseal.js';
import { Anonymiser } from './anonymise.js';

type Private = Pick<Settings, 'privacy' | 'stateFolder'>;

/** Anonymises records; null if the topology does not request it. */
export function anonymiserOf({ privacy, stateFolder }: Private): Anonymiser | null {
  if (!privacy?.anonymizeData) return null;
  return new Anonymiser(derivedKey(privacySecret(stateFolder, privacy.key), 'pseudonyms'));
}

/** Retention and encryption for components; undefined if the topology requests neither and never did. */
export function storagePolicyOf(settings: Private): StoragePolicy | undefined {
  const { privacy } = settings;
  const keys = stateKeysOf(settings);
  if (!privacy && !keys.formerKey) return undefined;
  return { retentionDays: privacy?.dataRetentionDays ?? null, ...keys };
}

/** Secrets that encrypt the state folder, or did. */
export function stateKeysOf(settings: Private): StateKeys {
  const { privacy, stateFolder } = settings;
  return privacy?.enableEncryption ? { key: privacySecret(stateFolder, privacy.key) } : knownKeysOf(settings);
}

/** Like {@link stateKeysOf}, for reading only: creates no secret. */
export function knownKeysOf({ privacy, stateFolder }: Private): StateKeys {
  const known = knownSecret(stateFolder, privacy?.key ?? null);
  return privacy?.enableEncryption ? { key: known } : { key: null, formerKey: known };
}

/** The state of a topology, first converted as its settings require. @throws Error as {@link openState} */
export const openStateOf = (topology: string, settings: Private, log: Log): Promise<StateStore> =>
  openState(settings.stateFolder, topology, stateKeysOf(settings), (becomes) => {
    tellReseal(log, settings.stateFolder, becomes);
  });
