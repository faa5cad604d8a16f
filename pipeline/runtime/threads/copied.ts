import { inspect } from 'node:util';
import type { CheckedNode } from '../../config/topology/topology.js';
import { passes } from '../signals/edges.js';
import type { Signal } from '../signals/signal.js';
import { NOT_COPIED, notCopied } from './copying.js';
import type { Fields, FromThread, NodeUpdate, SentFailure, ThreadEvent } from './messages.js';

/** An answer with what its nodes have produced. */
export type Answer = Extract<FromThread, { readonly events: readonly ThreadEvent[] }>;

/**
 * An answer without what cannot be copied: such records have failed, state ends the topology, and logs and reports
 * name it.
 */
export function copiedAnswer<A extends Answer>(answer: A): A {
  const events = answer.events.flatMap(copiedEvent);
  if (!('updates' in answer)) return { ...answer, events };
  return { ...answer, events, updates: answer.updates.map(copiedUpdate) };
}

function copiedEvent(event: ThreadEvent): readonly ThreadEvent[] {
  const what = notCopied(event);
  if (what === null) return [event];
  switch (event.kind) {
    case 'signal':
      return [
        failureOf(event.node, notCopied(event.signal.kind === 'data' ? event.signal.data : event.signal)!),
      ];
    case 'shown':
      // Its signal has failed, or never leaves the thread.
      return [];
    case 'failures':
      return [{ ...event, failed: event.failed.map(copiedFailure) }];
    case 'log':
      return [{ ...event, fields: copiedFields(event.fields) }];
    case 'passed': {
      const state = notCopied(event.snapshot.own) ?? what;
      const message = `${event.node} has a snapshot that cannot be copied: ${state}. Return plain data from \`snapshot\`.`;
      return [{ kind: 'fail', message, final: true }];
    }
    default:
      return [{ kind: 'fail', message: `a thread reported what cannot be copied: ${what}`, final: true }];
  }
}

/** Signals without the records that cannot be copied, which have failed in the nodes that would read them. */
export function copiedSignals(
  signals: readonly Signal[],
  nodes: readonly CheckedNode[],
): { readonly copied: readonly Signal[]; readonly failures: readonly ThreadEvent[] } {
  const failures: ThreadEvent[] = [];
  const copied = signals.filter((signal) => {
    const what = signal.kind === 'data' ? notCopied(signal.data) : null;
    if (what === null) return true;
    const readers = nodes.filter(({ inputs }) =>
      inputs.some((edge) => edge.from === signal.from && passes(edge, signal)),
    );
    failures.push(...readers.map(({ id }) => failureOf(id, what)));
    return false;
  });
  return { copied, failures };
}

const failureOf = (node: string, what: string): ThreadEvent => ({
  kind: 'failures',
  node,
  stage: 'process',
  failed: [
    {
      record: null,
      code: NOT_COPIED,
      reason: `the record has ${what}, which cannot be copied to another thread: use plain data, or set \`settings.threads\` to 0`,
      retriable: false,
    },
  ],
});

function copiedFailure(failure: SentFailure): SentFailure {
  return notCopied(failure.record) === null ? failure : { ...failure, record: null };
}

const copiedFields = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, notCopied(value) === null ? value : textOf(value)]),
  );

/** An object's own `inspect` may throw. */
function textOf(value: unknown): string {
  try {
    return inspect(value);
  } catch {
    return notCopied(value)!;
  }
}

function copiedUpdate(update: NodeUpdate): NodeUpdate {
  const what = notCopied(update.described);
  return what === null ? update : { ...update, described: { error: `\`describe\` returned ${what}` } };
}
