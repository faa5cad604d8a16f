import { Type } from 'typebox';
import {
  privacyFaults,
  unheld,
  withOverrides,
  type CheckedTopology,
  type Overrides,
  type PrivacyFault,
  type PrivacySettings,
} from '../../../pipeline/config/index.js';
import { always, type Field } from './field.js';

const NOTHING: PrivacySettings = {
  dataRetentionDays: null,
  anonymizeData: false,
  enableEncryption: false,
  key: null,
};

const privacyOf = ({ settings }: CheckedTopology): PrivacySettings => settings.privacy ?? NOTHING;

const write = (topology: CheckedTopology, change: Partial<PrivacySettings>): Overrides => ({
  settings: { privacy: { ...privacyOf(topology), ...change } },
});

/** A topology that cannot meet the promises of another one. */
export class UnheldError extends RangeError {
  readonly code: PrivacyFault['code'];

  constructor({ id }: CheckedTopology, { code, message }: PrivacyFault) {
    super(`the topology ${id} cannot meet it: ${message}`);
    this.code = code;
  }
}

/**
 * A topology that also meets the promises of another one: the shorter retention, and everything that either
 * of them keeps anonymous or encrypted.
 * @throws UnheldError if that is impossible
 */
export function heldTo(promises: CheckedTopology, topology: CheckedTopology): CheckedTopology {
  const [all, own] = [privacyOf(promises), privacyOf(topology)];
  const days = [all.dataRetentionDays, own.dataRetentionDays].filter((one) => one !== null);
  const change = {
    dataRetentionDays: days.length > 0 ? Math.min(...days) : null,
    anonymizeData: all.anonymizeData || own.anonymizeData,
    enableEncryption: all.enableEncryption || own.enableEncryption,
  };
  if (
    change.dataRetentionDays === own.dataRetentionDays &&
    change.anonymizeData === own.anonymizeData &&
    change.enableEncryption === own.enableEncryption
  )
    return topology;
  const [fault] = unheld(promises, topology);
  if (fault) throw new UnheldError(topology, fault);
  return withOverrides(topology, write(topology, change));
}

/** How long and in which form data about people is stored: `settings.privacy` of the topology. */
export const privacy: readonly Field[] = [
  {
    name: 'privacy.data_retention_days',
    views: {
      b: {
        path: 'privacy.data_retention_days',
        schema: Type.Integer({
          minimum: 0,
          maximum: 36_500,
          description: 'Stores delete older data, by event time; 0: nothing is deleted.',
        }),
      },
    },
    absent: 0,
    missing: (topology) =>
      topology.nodes.some(
        ({ component }) => component.kind === 'sink' && component.privacy?.includes('retention'),
      )
        ? null
        : `the topology ${topology.id} has no sink that deletes old records`,
    // A file may have fractions of a day.
    read: ({ topology }) => Math.ceil(privacyOf(topology).dataRetentionDays ?? 0),
    write: (value, topology) =>
      write(topology, { dataRetentionDays: value === 0 ? null : (value as number) }),
  },
  {
    name: 'privacy.anonymize_data',
    views: {
      b: {
        path: 'privacy.anonymize_data',
        schema: Type.Boolean({
          description: 'Whether sinks receive pseudonyms, no skeletons, and positions on a grid.',
        }),
      },
    },
    absent: false,
    missing: always,
    read: ({ topology }) => privacyOf(topology).anonymizeData,
    refuse: (value, topology) =>
      value === true ? whyNot(topology, { anonymizeData: true, enableEncryption: false }) : null,
    isPromise: true,
    write: (value, topology) => write(topology, { anonymizeData: value === true }),
  },
  {
    name: 'privacy.enable_encryption',
    views: {
      b: {
        path: 'privacy.enable_encryption',
        schema: Type.Boolean({
          description:
            'Whether stores and state are encrypted on disk. The next start converts existing data.',
        }),
      },
    },
    absent: false,
    missing: always,
    read: ({ topology }) => privacyOf(topology).enableEncryption,
    refuse: (value, topology) =>
      value === true ? whyNot(topology, { anonymizeData: false, enableEncryption: true }) : null,
    isPromise: true,
    write: (value, topology) => write(topology, { enableEncryption: value === true }),
  },
];

function whyNot(topology: CheckedTopology, promises: Parameters<typeof privacyFaults>[1]): string | null {
  const [fault] = privacyFaults(topology, promises);
  return fault ? `is not possible: ${fault.message}` : null;
}
