import type { Source } from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology } from '../../../pipeline/config/index.js';
import { errorText } from '../../../pipeline/base/error-text.js';
import type { NodeStatus } from '../../../pipeline/runtime/status.js';
import { linkStates, unknownSenders } from '../../service/queries/link-states.js';
import { nodeContext } from './context.js';
import { linksHeard } from './links.js';
import { wrong, type Finding } from './finding.js';

/** Listens on the UDP ports of a topology: which links are heard, and who else sends. */
export async function sendersHeard(
  topology: CheckedTopology,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const sources = topology.nodes.filter(({ component }) => component.name === 'udp');
  if (sources.length === 0) return [];
  const findings: Finding[] = [];
  const heard = await Promise.all(
    sources.map(async (node) => {
      try {
        return await listen(topology, node, signal);
      } catch (error) {
        findings.push(notHeard(node, error));
        return undefined;
      }
    }),
  );
  const status = heard.filter((one) => one !== undefined);
  if (status.length < sources.length) return findings;
  return [...undecodable(status), ...linksHeard(linkStates(topology, status), unknownSenders(status))];
}

/** What a status page would show of the source after this time. */
async function listen(
  topology: CheckedTopology,
  node: CheckedNode,
  signal: AbortSignal,
): Promise<NodeStatus> {
  const { component, config } = node;
  if (component.kind !== 'source') throw new TypeError(`${node.id} is not a source`);
  const source: Source = component.create(config as never, nodeContext(topology, node));
  const count = { received: 0, failed: 0 };
  await source.open(null, {
    signal,
    offer: ({ raw }) => {
      if (!raw || !source.decode) return true;
      count.received += raw.count;
      count.failed += source.decode(raw).failed?.length ?? 0;
      return true;
    },
  });
  return {
    ...{ id: node.id, type: component.name, kind: 'source', status: 'active', problem: null },
    ...{ ...count, sent: 0, dropped: {}, missing: 0, queueDepth: 0, undelivered: 0 },
    ...{ lastRecord: null, lagMs: null },
    details: source.describe?.() ?? {},
  };
}

const notHeard = ({ id }: CheckedNode, error: unknown): Finding =>
  wrong(
    'senders',
    'unknown',
    `the source ${id} cannot listen: ${errorText(error)}`,
    'free its port; if a csiflow listens on it, ask that one with --url',
  );

const undecodable = (status: readonly NodeStatus[]): readonly Finding[] =>
  status
    .filter(({ failed }) => failed > 0)
    .map(({ id, received, failed }) =>
      wrong(
        'senders',
        'failed',
        `${failed} of ${received} datagrams that reached the source ${id} are not of its format`,
        'set `format` of the source to what they are: `csiflow inspect udp://HOST:PORT` tells',
      ),
    );
