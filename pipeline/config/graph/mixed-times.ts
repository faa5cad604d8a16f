import { timingOf, type Timing } from '../../component/index.js';
import type { LinkedNode } from './nodes.js';
import type { Problems } from '../problems/problem.js';

/**
 * Warns of each node that merges live input with a recording: it orders records by event time, so the input
 * that is ahead is held back until the other has caught up or ended.
 */
export function warnOfMixedTimes(nodes: readonly LinkedNode[], problems: Problems): void {
  /** For each node, an upstream source of each timing. */
  const behind = new Map<string, Partial<Record<Timing, string>>>();
  for (const { draft, inputs } of nodes) {
    const { component, config, id } = draft;
    if (component?.kind === 'source') {
      if (config) behind.set(id, { [timingOf(component, config)]: id });
      continue;
    }
    const all = inputs.map(({ from }) => behind.get(from) ?? {});
    const merged = all.reduce((sum, one) => ({ ...sum, ...one }), {});
    behind.set(id, merged);
    const { now, recorded } = merged;
    if (component?.kind !== 'operator' || now === undefined || recorded === undefined) continue;
    // Only at the node that merges them: it reports the problem for all nodes downstream.
    if (all.some((one) => one.now !== undefined && one.recorded !== undefined)) continue;
    const message =
      `\`${id}\` merges \`${now}\`, which is live, with \`${recorded}\`, which is recorded: by event time, ` +
      `one is held back until the other catches up`;
    problems.add('config.time.mixed', draft.from[0]?.location ?? draft.location, message, {
      severity: 'warning',
    });
  }
}
