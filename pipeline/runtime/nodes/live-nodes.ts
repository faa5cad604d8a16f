import { timingOf } from '../../component/index.js';
import type { CheckedNode } from '../../config/topology/topology.js';
import type { Provenance } from '../../model/index.js';

/**
 * Ids of the nodes whose input arrives now, so that event time far behind the clock means that they are late: live
 * sources, and nodes that read nothing else. A recording may be of any age.
 * @param nodes in topological order @param originOf what a source's newest records are
 */
export function liveNodes(
  nodes: readonly Pick<CheckedNode, 'id' | 'component' | 'config' | 'inputs'>[],
  originOf: (source: string) => Provenance['origin'],
): ReadonlySet<string> {
  const live = new Set<string>();
  for (const { id, component, config, inputs } of nodes) {
    const isLive =
      component.kind === 'source'
        ? timingOf(component, config) === 'now' && (originOf(id) !== 'replay' || !component.replayable)
        : inputs.every(({ from }) => live.has(from));
    if (isLive) live.add(id);
  }
  return live;
}
