import type { StoragePolicy } from '../../component/index.js';
import type { Settings } from '../../config/topology.js';
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

/** What turns records into anonymous ones; null where the topology does not ask for that. */
export function anonymiserOf({ privacy, stateFolder }: Private): Anonymiser | null {
  if (!privacy?.anonymizeData) return null;
  return new Anonymiser(derivedKey(privacySecret(stateFolder, privacy.key), 'pseudonyms'));
}

/** What components are told of how long and how to keep; undefined where the topology asks for nothing, and never did. */
export function storagePolicyOf(settings: Private): StoragePolicy | undefined {
  const { privacy } = settings;
  const keys = stateKeysOf(settings);
  if (!privacy && !keys.formerKey) return undefined;
  return { retentionDays: privacy?.dataRetentionDays ?? null, ...keys };
}

/** Secrets that the state folder is encrypted with, or was. */
export function stateKeysOf(settings: Private): StateKeys {
  const { privacy, stateFolder } = settings;
  return privacy?.enableEncryption ? { key: privacySecret(stateFolder, privacy.key) } : knownKeysOf(settings);
}

/** As {@link stateKeysOf}, for who only looks at what lies there: no secret is made. */
export function knownKeysOf({ privacy, stateFolder }: Private): StateKeys {
  const known = knownSecret(stateFolder, privacy?.key ?? null);
  return privacy?.enableEncryption ? { key: known } : { key: null, formerKey: known };
}

/** The state of a topology, made as its settings ask first. @throws Error as {@link openState} */
export const openStateOf = (topology: string, settings: Private, log: Log): Promise<StateStore> =>
  openState(settings.stateFolder, topology, stateKeysOf(settings), (becomes) => {
    tellReseal(log, settings.stateFolder, becomes);
  });
