import type { CheckedTopology } from '../../pipeline/config/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { anonymiserOf } from '../../pipeline/runtime/privacy/privacy.js';

/**
 * What people may see of a node's records. A sink has got them anonymous already; within the process they are as they
 * were inferred.
 */
export function shownOf({ nodes, settings }: CheckedTopology, node: string): (record: Data) => Data {
  const anonymiser = anonymiserOf(settings);
  const isSink = nodes.find(({ id }) => id === node)?.component.kind === 'sink';
  return anonymiser && !isSink ? (record) => anonymiser.told(record) : (record) => record;
}

/** The same for what was kept of a record: it may be less than one. */
export function shownLetter<L extends { readonly node: string; readonly record: unknown }>(
  topology: CheckedTopology,
  letter: L,
): L {
  const { record, node } = letter;
  const isResult =
    typeof record === 'object' &&
    record !== null &&
    (('persons' in record && Array.isArray(record.persons)) || 'metadata' in record || 'subject' in record);
  return isResult ? { ...letter, record: shownOf(topology, node)(record as Data) } : letter;
}
