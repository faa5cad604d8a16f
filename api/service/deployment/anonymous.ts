import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { RECORD_SCHEMAS, type Data } from '../../../pipeline/model/index.js';
import type { Anonymiser } from '../../../pipeline/runtime/privacy/anonymise.js';
import { anonymiserOf } from '../../../pipeline/runtime/privacy/privacy.js';

/**
 * A node's records as shown to people. A sink receives anonymous ones already; inside the process they are as
 * inferred.
 */
export function shownOf(topology: CheckedTopology, node: string): (record: Data) => Data {
  const anonymiser = anonymiserFor(topology, node);
  return anonymiser ? (record) => anonymiser.apply(record) : (record) => record;
}

/**
 * The same for the record of a dead letter, which may be incomplete, or raw input. Null if it is unknown how
 * to anonymise it.
 */
export function shownLetter<L extends { readonly node: string; readonly record: unknown }>(
  topology: CheckedTopology,
  letter: L,
): L {
  const anonymiser = anonymiserFor(topology, letter.node);
  if (!anonymiser) return letter;
  const { record } = letter;
  return { ...letter, record: isWhole(record) ? anonymiser.apply(record) : null };
}

/** Null if a node's records are shown unchanged. */
function anonymiserFor({ nodes, settings }: CheckedTopology, node: string): Anonymiser | null {
  const isSink = nodes.find(({ id }) => id === node)?.component.kind === 'sink';
  return isSink ? null : anonymiserOf(settings);
}

/** Records whose fields an anonymiser knows completely: an unknown field may contain anything. */
const WHOLE = Type.Union(Object.values(RECORD_SCHEMAS));

const isWhole = (record: unknown): record is Data => Check(WHOLE, record);
