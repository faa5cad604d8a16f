import {
  lacksKey,
  withOverrides,
  type CheckedTopology,
  type Overrides,
  type Problem,
} from '../../../pipeline/config/index.js';
import type { Field, Value } from './field.js';

/** A field that cannot have the requested value. */
export interface Refusal {
  readonly field: Field;
  readonly message: string;
  readonly received: Value;
}

export class RefusedError extends Error {
  readonly refusals: readonly Refusal[];
  /** From the problem of a topology beside the main one, if that is the cause. */
  readonly ofOther: Problem['code'] | null;

  constructor(refusals: readonly Refusal[], ofOther: Problem['code'] | null = null) {
    super(refusals.map(({ field, message }) => `${field.name} ${message}`).join('; '));
    this.refusals = refusals;
    this.ofOther = ofOther;
  }
}

/** For a promise that the main topology, or one beside it, cannot meet. */
export function problemOf({ message, ofOther }: RefusedError, topology: CheckedTopology): Problem {
  if (ofOther !== null)
    return problemAt(ofOther, `its privacy applies to all topologies, and ${message}`, topology);
  const code = lacksKey(topology.settings) ? 'config.privacy.key' : 'config.privacy.anonymity';
  return problemAt(code, `the configuration overrides it, and ${message}`, topology);
}

export const problemAt = (
  code: Problem['code'],
  message: string,
  { id, file }: CheckedTopology,
): Problem => ({
  code,
  severity: 'error',
  message,
  suggestion: null,
  docs: 'docs/errors.md',
  file: file ?? id,
  line: 1,
  column: 1,
  length: 1,
});

/** Why a field cannot have the value, although something applies it; null if it can. */
export function whyNot(field: Field, received: Value, topology: CheckedTopology): string | null {
  const why = field.fixed?.(topology) ?? field.refuse?.(received, topology) ?? null;
  if (why !== null || typeof received !== 'number' || field.missing(topology) !== null) return why;
  const { minimum = -Infinity, maximum = Infinity } = field.bounds?.(topology) ?? {};
  if (received > maximum) return `must be <= ${maximum} in the topology ${topology.id}`;
  return received < minimum ? `must be >= ${minimum} in the topology ${topology.id}` : null;
}

/** Why a topology cannot apply a change, in words. */
export function tryOver(topology: CheckedTopology, overrides: Overrides): CheckedTopology | string {
  try {
    return withOverrides(topology, overrides);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
