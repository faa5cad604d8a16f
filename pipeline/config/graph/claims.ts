import type { Claim, Component } from '../../component/index.js';
import type { LinkedNode } from './nodes.js';
import { SECTIONS } from './nodes.js';
import type { Problems } from '../problems/problem.js';
import { locationOf, type Path, type Tree } from '../reading/tree.js';

/** A resource that a node uses exclusively, and its location in the topology file. */
export interface NodeClaim extends Claim {
  readonly node: string;
  readonly path: Path;
}

interface Claimant {
  readonly id: string;
  readonly component: Component;
  readonly config: Readonly<Record<string, unknown>>;
}

/** @param folder that relative paths are resolved against */
export const claimsOf = ({ id, component, config }: Claimant, folder: string): readonly NodeClaim[] =>
  (component.claims?.(config as never, folder) ?? []).map((claim) => ({
    ...claim,
    node: id,
    path: [SECTIONS[component.kind], id, claim.field],
  }));

/** Whether the claims conflict: they are equal, and neither is for another part. */
export const clash = (one: Claim, other: Claim): boolean =>
  one.what === other.what && (one.part === undefined || other.part === undefined || one.part === other.part);

/** Conflicts among the nodes of one topology. */
export function checkClaims(
  nodes: readonly LinkedNode[],
  folder: string,
  root: Tree,
  problems: Problems,
): void {
  const taken: NodeClaim[] = [];
  for (const { draft } of nodes) {
    const { id, component, config } = draft;
    if (!component || !config) continue;
    for (const claim of claimsOf({ id, component, config }, folder)) {
      const first = taken.find((other) => clash(claim, other));
      if (!first) taken.push(claim);
      else
        problems.add(
          'config.claim.taken',
          locationOf(root, claim.path),
          `${claim.what} is already used by \`${first.node}\``,
          { component },
        );
    }
  }
}
