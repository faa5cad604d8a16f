import type { Environment } from '../../model/index.js';
import type { ProblemCode } from '../problems/codes.js';
import type { LinkedNode } from './nodes.js';
import type { Location, Problems } from '../problems/problem.js';
import type { CheckedTopology, PrivacySettings, Settings } from '../topology/topology.js';
import type { Path } from '../reading/tree.js';

/** `settings.privacy` as written in the file, with defaults. */
export interface WrittenPrivacy {
  readonly data_retention_days: number | null;
  readonly anonymize_data: boolean;
  readonly enable_encryption: boolean;
  readonly key?: string;
}

/** Undefined if nothing is requested and no key is set for a later request. */
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

/** Checks that the topology can keep the promises of its `settings.privacy`. */
export function checkPrivacy(
  nodes: readonly LinkedNode[],
  environments: readonly Environment[],
  settings: Settings,
  locationOf: (field: string) => Location,
  problems: Problems,
): void {
  const { anonymizeData, enableEncryption, dataRetentionDays } = settings.privacy!;
  if (lacksKey(settings) && (anonymizeData || enableEncryption))
    problems.add(
      'config.privacy.key',
      locationOf(anonymizeData ? 'anonymize_data' : 'enable_encryption'),
      LACKS_KEY,
      { suggestion: 'key: ${secret:privacy_key}' },
    );
  const sinks = nodes.flatMap(({ draft, inputs }) =>
    draft.component?.kind === 'sink'
      ? [{ id: draft.id, promises: draft.component.privacy ?? [], type: draft.component.name, inputs }]
      : [],
  );
  if (anonymizeData)
    for (const { message } of anonymityFaults(sinks, environments))
      problems.add('config.privacy.anonymity', locationOf('anonymize_data'), message);
  for (const { id, type, promises } of sinks) {
    if (dataRetentionDays !== null && !promises.includes('retention'))
      problems.add(
        'config.privacy.retention',
        locationOf('data_retention_days'),
        `\`${id}\` (${type}) does not delete older data: delete it at its destination`,
        { severity: 'warning' },
      );
    if (enableEncryption && !promises.includes('encryption'))
      problems.add(
        'config.privacy.encryption',
        locationOf('enable_encryption'),
        `\`${id}\` (${type}) does not encrypt what it stores: encrypt it at its destination`,
        { severity: 'warning' },
      );
  }
}

/** Each process would create its own secret. */
export const lacksKey = ({ scaleOut, privacy }: Settings): boolean =>
  scaleOut === true && (privacy?.key ?? null) === null;

const LACKS_KEY = 'processes that share the input need a common secret, and none is set';

/** Why a topology cannot keep its promise to people. */
export interface PrivacyFault {
  readonly code: ProblemCode;
  readonly message: string;
  /** Where it is in the topology. */
  readonly path: Path;
}

type Promises = Pick<PrivacySettings, 'anonymizeData' | 'enableEncryption'>;

/** Why a topology cannot keep such promises, whatever its own are; empty if it can. */
export function privacyFaults(
  { nodes, environments, settings }: Pick<CheckedTopology, 'nodes' | 'environments' | 'settings'>,
  { anonymizeData, enableEncryption }: Promises,
): readonly PrivacyFault[] {
  const faults: PrivacyFault[] = [];
  if ((anonymizeData || enableEncryption) && lacksKey(settings))
    faults.push({
      code: 'config.privacy.key',
      message: `${LACKS_KEY}; set settings.privacy.key in the topology file`,
      path: ['settings', 'privacy', 'key'],
    });
  if (!anonymizeData) return faults;
  const sinks = nodes
    .filter(({ component }) => component.kind === 'sink')
    .map(({ id, component, inputs }) => ({ id, type: component.name, inputs }));
  return [...faults, ...anonymityFaults(sinks, environments)];
}

/**
 * Why a topology cannot keep what another one promises for all topologies that run with it, beyond its own
 * promises.
 */
export function unheld(promising: CheckedTopology, topology: CheckedTopology): readonly PrivacyFault[] {
  const [all, own] = [promising.settings.privacy, topology.settings.privacy];
  const isNew = (promise: keyof Promises) => all?.[promise] === true && own?.[promise] !== true;
  return privacyFaults(topology, {
    anonymizeData: isNew('anonymizeData'),
    enableEncryption: isNew('enableEncryption'),
  });
}

/** Why records cannot be made anonymous, one sentence each; empty if all can. */
function anonymityFaults(
  sinks: readonly ReadingSink[],
  environments: readonly Environment[],
): readonly PrivacyFault[] {
  const code: ProblemCode = 'config.privacy.anonymity';
  const raw = sinks.flatMap(({ id, type, inputs }) =>
    [...new Set(inputs.flatMap(({ ports }) => ports))]
      .filter((port) => port === 'csi' || port === 'window')
      .map((port) => ({
        code,
        message: `\`${id}\` (${type}) takes ${port} records, which cannot be made anonymous`,
        path: ['sinks', id],
      })),
  );
  const numbered = environments.flatMap(({ id, zones, links }, index) =>
    [...zones, ...links]
      .filter((each) => /^\d+$/.test(each.id))
      .map((each) => ({
        code,
        message: `\`${each.id}\` of environment ${id} could be mistaken for a person's number: give it a name with a letter`,
        path: ['environments', index],
      })),
  );
  return [...raw, ...numbered];
}

interface ReadingSink {
  readonly id: string;
  readonly type: string;
  readonly inputs: readonly { readonly ports: readonly string[] }[];
}
