import type { LinkedNode } from './nodes.js';
import type { Problems } from '../problems/problem.js';

/** Ports with the amplitudes of links. */
const MEASURED: readonly string[] = ['csi', 'window'];

/** Warns of nodes that need the levels of their links, and read them behind a node that removes them. */
export function warnOfLostLevels(nodes: readonly LinkedNode[], problems: Problems): void {
  /** For each node without levels, the node that removed them. */
  const without = new Map<string, string>();
  for (const { draft, inputs } of nodes) {
    const { component, config, id } = draft;
    if (component?.kind !== 'operator' || !config) continue;
    const level = component.level?.(config as never);
    const measured = inputs.filter(({ ports }) => ports.some((port) => MEASURED.includes(port)));
    const remover = measured.map(({ from }) => without.get(from)).find((one) => one !== undefined);
    if (level === 'removes') without.set(id, id);
    else if (remover !== undefined) without.set(id, remover);
    if (level !== 'needs' || remover === undefined) continue;
    const message =
      `\`${id}\` (${component.name}) needs the levels of its links, which \`${remover}\` removes: it will see ` +
      'nobody';
    problems.add('config.measurement.level', draft.from[0]?.location ?? draft.location, message, {
      severity: 'warning',
      component,
    });
  }
}
