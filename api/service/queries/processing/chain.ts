import type { CheckedNode, CheckedTopology } from '../../../../pipeline/config/topology/topology.js';

/** The pose chain of a topology. */
export interface PoseChain {
  /** Operators between the source and the network, in data order; the last one outputs windows. */
  readonly before: readonly CheckedNode[];
  /** The network: it works beside the stream, so it can be called directly. */
  readonly network: CheckedNode;
  /** Tracks the persons of its poses; null if the topology has no tracker. */
  readonly tracker: CheckedNode | null;
  readonly sources: readonly CheckedNode[];
}

/** The first network of a topology with everything before it; null if it infers no poses. */
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

/** The previous node; with several, the first, because submitted frames come from one place. */
const inputOf = (node: CheckedNode, byId: ReadonlyMap<string, CheckedNode>): CheckedNode | undefined =>
  byId.get(node.inputs[0]?.from ?? '');

/** Timing of a chain's window operator, microseconds: its length and its hop. */
export function windowTimes({ before }: PoseChain): { readonly length: number; readonly hop: number } {
  const config = before.at(-1)?.config ?? {};
  const us = (field: string): number => (typeof config[field] === 'number' ? 1000 * config[field] : 0);
  return { length: us('length_ms'), hop: us('hop_ms') };
}
