import { recoveryOf } from '../../component/index.js';
import type { Problems } from '../problems/problem.js';
import { keyLocationOf, locationOf, type MapTree } from '../reading/tree.js';
import type { Settings } from '../topology/topology.js';
import type { LinkedNode } from './nodes.js';

/** Not if the sections themselves are wrong. */
export function warnOfNoSinks(root: MapTree, nodes: readonly LinkedNode[], problems: Problems): void {
  const written = root.fields.get('sinks');
  if (nodes.length === 0 || nodes.some(({ draft }) => draft.kind === 'sink')) return;
  if (written && written.value.kind !== 'map') return;
  const location = written?.location ?? keyLocationOf(root, ['id'], { ...root.location, length: 1 });
  const message = 'the topology has no sink: its results go nowhere';
  problems.add('config.sinks.missing', location, message, { severity: 'warning' });
}

/** Without a journal, a crash loses what a live source read since the last checkpoint, and rewinding sinks delete it. */
export function warnOfLoss(
  nodes: readonly LinkedNode[],
  settings: Settings,
  root: MapTree,
  problems: Problems,
): void {
  if (settings.journal) return;
  const live = new Map<string, string>();
  for (const { draft, inputs } of nodes) {
    const { component, id } = draft;
    if (component?.kind === 'source' && !component.replayable) live.set(id, id);
    const behind = inputs.map((edge) => live.get(edge.from)).find((source) => source !== undefined);
    if (behind !== undefined) live.set(id, behind);
    if (behind === undefined || component?.kind !== 'sink' || draft.config === undefined) continue;
    const recovery = recoveryOf(component, draft.config);
    if (recovery === 'at-least-once') continue;
    const message =
      `\`${id}\` (${component.name}) recovers by ${recovery}, but \`${behind}\` cannot be read again ` +
      'and the journal is off: a crash loses the input since the last checkpoint';
    const location = locationOf(root, ['settings', 'journal']);
    problems.add('config.journal.needed', location, message, {
      severity: 'warning',
      suggestion: 'journal: true',
    });
  }
}
