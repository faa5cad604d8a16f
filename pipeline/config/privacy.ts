import type { Environment } from '../model/index.js';
import type { LinkedNode } from './graph.js';
import type { Place, Problems } from './problem.js';
import type { PrivacySettings, Settings } from './topology.js';

/** `settings.privacy` as a file has it, with defaults. */
export interface WrittenPrivacy {
  readonly data_retention_days: number | null;
  readonly anonymize_data: boolean;
  readonly enable_encryption: boolean;
  readonly key?: string;
}

/** Nothing where nothing is asked for, nor a key given for what may be asked for later. */
export function privacyOf(written: WrittenPrivacy | undefined): { readonly privacy?: PrivacySettings } {
  if (!written) return {};
  const { data_retention_days: days, anonymize_data: anonymous, enable_encryption: encrypted } = written;
  if (days === null && !anonymous && !encrypted && written.key === undefined) return {};
  return {
    privacy: {
      dataRetentionDays: days,
      anonymizeData: anonymous,
      enableEncryption: encrypted,
      key: written.key ?? null,
    },
  };
}

/**
 * Whether the topology can hold what its `settings.privacy` promises.
 * @param placeOf a field of it
 */
export function checkPrivacy(
  nodes: readonly LinkedNode[],
  environments: readonly Environment[],
  settings: Settings,
  placeOf: (field: string) => Place,
  problems: Problems,
): void {
  const { anonymizeData, enableEncryption, dataRetentionDays } = settings.privacy!;
  if (lacksKey(settings) && (anonymizeData || enableEncryption))
    problems.add(
      'config.privacy.key',
      placeOf(anonymizeData ? 'anonymize_data' : 'enable_encryption'),
      LACKS_KEY,
      { suggestion: 'key: ${secret:privacy_key}' },
    );
  const sinks = nodes.flatMap(({ draft, inputs }) =>
    draft.component?.kind === 'sink'
      ? [{ id: draft.id, promises: draft.component.privacy ?? [], type: draft.component.name, inputs }]
      : [],
  );
  if (anonymizeData)
    for (const fault of anonymityFaults(sinks, environments))
      problems.add('config.privacy.anonymity', placeOf('anonymize_data'), fault);
  for (const { id, type, promises } of sinks) {
    if (dataRetentionDays !== null && !promises.includes('retention'))
      problems.add(
        'config.privacy.retention',
        placeOf('data_retention_days'),
        `\`${id}\` (${type}) does not delete what is older: see to it where it writes to`,
        { severity: 'warning' },
      );
    if (enableEncryption && !promises.includes('encryption'))
      problems.add(
        'config.privacy.encryption',
        placeOf('enable_encryption'),
        `\`${id}\` (${type}) does not encrypt what it keeps: see to it where it writes to`,
        { severity: 'warning' },
      );
  }
}

/** Processes would each make a secret of their own. */
export const lacksKey = ({ scaleOut, privacy }: Settings): boolean =>
  scaleOut === true && (privacy?.key ?? null) === null;

export const LACKS_KEY = 'processes that share the input need one secret, and none is given';

/** What keeps records from being made anonymous, each in a sentence; none where all can be. */
export function anonymityFaults(
  sinks: readonly ReadingSink[],
  environments: readonly Environment[],
): readonly string[] {
  const raw = sinks.flatMap(({ id, type, inputs }) =>
    [...new Set(inputs.flatMap(({ ports }) => ports))]
      .filter((port) => port === 'csi' || port === 'window')
      .map((port) => `\`${id}\` (${type}) takes ${port} records, which cannot be made anonymous`),
  );
  const numbered = environments.flatMap(({ id, zones, links }) =>
    [...zones, ...links]
      .filter((each) => /^\d+$/.test(each.id))
      .map(
        (each) =>
          `\`${each.id}\` of environment ${id} could not be told from a person's number: give it a name with a letter`,
      ),
  );
  return [...raw, ...numbered];
}

interface ReadingSink {
  readonly id: string;
  readonly type: string;
  readonly inputs: readonly { readonly ports: readonly string[] }[];
}
