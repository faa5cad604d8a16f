import type { CheckedNode, CheckedTopology } from '../../config/topology/topology.js';

/**
 * The nodes that each thread of a topology runs, in topological order; empty without `settings.threads`. A
 * chain begins behind a source: operators with one input that name their module, and that return their
 * results at once.
 */
export function chainsOf({ nodes, settings }: CheckedTopology): readonly (readonly CheckedNode[])[] {
  const most = settings.threads ?? 0;
  if (most === 0) return [];
  const chains = new Map<string, CheckedNode[]>();
  /** The source of each node of a chain. */
  const sourceOf = new Map<string, string>();
  for (const node of nodes) {
    if (node.component.kind === 'source') sourceOf.set(node.id, node.id);
    const source = canMove(node) ? sourceOf.get(node.inputs[0]!.from) : undefined;
    if (source === undefined) continue;
    sourceOf.set(node.id, source);
    const chain = chains.get(source);
    if (chain) chain.push(node);
    else chains.set(source, [node]);
  }
  const threads: CheckedNode[][] = [];
  for (const [index, chain] of [...chains.values()].entries()) (threads[index % most] ??= []).push(...chain);
  return threads;
}

const canMove = ({ component, inputs }: CheckedNode): boolean =>
  component.kind === 'operator' &&
  component.module !== undefined &&
  component.asynchronous === undefined &&
  inputs.length === 1;
