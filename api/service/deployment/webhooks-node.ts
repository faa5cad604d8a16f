import { withHash, withHashes } from '../../../pipeline/config/topology/hash.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/topology/topology.js';
import { webhooks } from '../../../sinks/webhook/webhooks.js';
import { Value } from 'typebox/value';

/** The node that serves the endpoints registered by the service interface. */
export const webhooksNode = ({ nodes }: CheckedTopology): CheckedNode | undefined =>
  nodes.find(({ component }) => component === webhooks);

/**
 * Adds such a node to a topology without one, behind the operators whose events reach a sink. A scaled-out
 * topology gets none, because its processes share no state folder.
 */
export function withWebhooks(topology: CheckedTopology): CheckedTopology {
  const from = tellers(topology);
  if (from.length === 0 || topology.settings.scaleOut || webhooksNode(topology)) return topology;
  const taken = new Set(topology.nodes.map(({ id }) => id));
  const id = taken.has('webhooks') ? 'registered-webhooks' : 'webhooks';
  if (taken.has(id)) return topology;
  const node = withHashes({
    id,
    component: webhooks,
    config: Value.Default(webhooks.config, {}) as Readonly<Record<string, unknown>>,
    inputs: from.map((operator) => ({ from: operator, ports: ['event'] as const })),
    queue: null,
    secrets: [],
  });
  return withHash({ ...topology, nodes: [...topology.nodes, node] });
}

/** Operators whose events reach a sink: other events are never sent to people. */
function tellers({ nodes }: CheckedTopology): readonly string[] {
  const operators = new Set(
    nodes.filter(({ component }) => component.kind === 'operator').map(({ id }) => id),
  );
  const told = nodes
    .filter(({ component }) => component.kind === 'sink')
    .flatMap(({ inputs }) => inputs)
    .filter(({ from, ports }) => operators.has(from) && ports.includes('event'))
    .map(({ from }) => from);
  return [...new Set(told)];
}
