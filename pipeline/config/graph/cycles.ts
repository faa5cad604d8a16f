import type { LinkedNode } from './nodes.js';
import type { Problems } from '../problems/problem.js';

/** Names each cycle once, at the edge that closes it. */
export function reportCycles(nodes: readonly LinkedNode[], problems: Problems): void {
  const byId = new Map(nodes.map((node) => [node.draft.id, node]));
  const state = new Map<string, 'open' | 'done'>();
  for (const start of nodes) {
    if (state.has(start.draft.id)) continue;
    // A loop with its own stack: a chain of nodes may be as long as the file.
    const path: { readonly node: LinkedNode; next: number }[] = [{ node: start, next: 0 }];
    state.set(start.draft.id, 'open');
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const edge = top.node.inputs[top.next++];
      if (!edge) {
        state.set(top.node.draft.id, 'done');
        path.pop();
        continue;
      }
      const upstream = byId.get(edge.from);
      if (!upstream) continue;
      const seen = state.get(edge.from);
      if (seen === undefined) {
        state.set(edge.from, 'open');
        path.push({ node: upstream, next: 0 });
      } else if (seen === 'open')
        reportCycle(
          path.map((step) => step.node),
          upstream,
          problems,
        );
    }
  }
}

function reportCycle(path: readonly LinkedNode[], closing: LinkedNode, problems: Problems): void {
  const cycle = path.slice(path.indexOf(closing));
  const last = cycle.at(-1)!;
  const location =
    last.draft.from.find((from) => from.id === closing.draft.id)?.location ?? last.draft.location;
  // Read along the data: upstream first.
  const ids = [closing, ...cycle.slice(1).reverse(), closing].map((node) => node.draft.id);
  const shown = ids.length > 12 ? [...ids.slice(0, 6), '...', ...ids.slice(-5)] : ids;
  problems.add(
    'config.graph.cycle',
    location,
    `nodes read from each other in a circle: ${shown.join(' -> ')}`,
  );
}
