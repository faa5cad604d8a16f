import type { CheckedNode, CheckedTopology } from '../../../../pipeline/config/topology/topology.js';

/** What makes poses of frames in a topology. */
export interface PoseChain {
  /** Operators between the source and the network, in the order in which data meets them; the last gives windows. */
  readonly before: readonly CheckedNode[];
  /** The network: works beside the stream, so it can be asked. */
  readonly network: CheckedNode;
  /** Follows the persons of its poses; null where the topology has none. */
  readonly tracker: CheckedNode | null;
  readonly sources: readonly CheckedNode[];
}

/** The first network of a topology with all that lies before it; null where it infers no poses. */
export function poseChain({ nodes }: CheckedTopology): PoseChain | null {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const network = nodes.find(isNetwork);
  if (!network) return null;
  const before: CheckedNode[] = [];
  let node = inputOf(network, byId);
  while (node?.component.kind === 'operator') {
    before.unshift(node);
    node = inputOf(node, byId);
  }
  const reads = (one: CheckedNode): boolean => one.inputs.some(({ from }) => from === network.id);
  return {
    before,
    network,
    tracker: nodes.find((one) => followsPersons(one) && reads(one)) ?? null,
    sources: nodes.filter(({ component }) => component.kind === 'source'),
  };
}

const isNetwork = ({ component }: CheckedNode): boolean =>
  component.kind === 'operator' &&
  component.asynchronous !== undefined &&
  component.inputs.includes('window') &&
  component.outputs.includes('pose');

const followsPersons = ({ component }: CheckedNode): boolean =>
  component.kind === 'operator' && component.inputs.includes('pose') && component.outputs.includes('pose');

/** The node before, of several the first: submitted frames come from one place. */
const inputOf = (node: CheckedNode, byId: ReadonlyMap<string, CheckedNode>): CheckedNode | undefined =>
  byId.get(node.inputs[0]?.from ?? '');

/** What the window operator of a chain needs, microseconds: its length, and how far apart windows begin. */
export function windowTimes({ before }: PoseChain): { readonly length: number; readonly hop: number } {
  const config = before.at(-1)?.config ?? {};
  const us = (field: string): number => (typeof config[field] === 'number' ? 1000 * config[field] : 0);
  return { length: us('length_ms'), hop: us('hop_ms') };
}
