import type { Keeping } from '../component/index.js';
import type { Settings } from '../config/topology.js';
import { derivedKey, privacySecret } from '../state/index.js';
import { Anonymiser } from './anonymise.js';

type Private = Pick<Settings, 'privacy' | 'stateFolder'>;

/** What turns records into anonymous ones; null where the topology does not ask for that. */
export function anonymiserOf({ privacy, stateFolder }: Private): Anonymiser | null {
  if (!privacy?.anonymizeData) return null;
  return new Anonymiser(derivedKey(privacySecret(stateFolder, privacy.key), 'pseudonyms'));
}

/** What components are told of how long and how to keep; undefined where the topology asks for nothing. */
export function keepingOf({ privacy, stateFolder }: Private): Keeping | undefined {
  if (!privacy) return undefined;
  return {
    retentionDays: privacy.dataRetentionDays,
    key: privacy.enableEncryption ? privacySecret(stateFolder, privacy.key) : null,
  };
}

/** Secret that the state folder is encrypted with; null: it is not. */
export const stateSecretOf = (settings: Private): Buffer | null => keepingOf(settings)?.key ?? null;
