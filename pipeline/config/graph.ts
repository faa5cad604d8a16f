import { portsOf, type Component, type Registry } from '../component/index.js';
import type { Port } from '../model/index.js';
import { nearest } from './nearest.js';
import { MAX_NODES, type DraftNode } from './nodes.js';
import type { Problems } from './problem.js';
import type { Edge } from './topology.js';

/** A draft node with its edges. */
export interface LinkedNode {
  readonly draft: DraftNode;
  readonly inputs: readonly Edge[];
}

export const inputsOf = (component: Component): readonly Port[] =>
  component.kind === 'source' ? [] : component.inputs;

const MAX_EDGES = 10_000;
/** In a message. */
const MAX_NAMES = 20;

/** Connects nodes: names, ports, cycles, nodes that nobody reads. In topological order; sinks, which nobody reads, last and as declared. */
export function linkNodes(
  drafts: readonly DraftNode[],
  registry: Registry,
  problems: Problems,
): readonly LinkedNode[] {
  const byId = new Map<string, DraftNode>();
  // Of two nodes with one id the first counts.
  for (const draft of drafts) if (!byId.has(draft.id)) byId.set(draft.id, draft);
  const edges = drafts.reduce((sum, { from }) => sum + from.length, 0);
  if (drafts.length > MAX_NODES || edges > MAX_EDGES) {
    const message = `a topology may have ${MAX_NODES} nodes and ${MAX_EDGES} edges`;
    problems.add('config.graph.too_large', drafts[0]!.location, message);
    return [];
  }
  const linked = drafts.map((draft) => ({ draft, inputs: edgesOf(draft, byId, registry, problems) }));
  reportCycles(linked, problems);
  reportMissing(linked, problems);
  reportUnused(drafts, byId, problems);
  return inOrder(linked);
}

function edgesOf(
  draft: DraftNode,
  byId: ReadonlyMap<string, DraftNode>,
  registry: Registry,
  problems: Problems,
): readonly Edge[] {
  const edges: Edge[] = [];
  for (const { id, location } of draft.from) {
    const upstream = byId.get(id);
    if (!upstream) {
      if (problems.full) {
        problems.add(
          'config.from.unknown',
          location,
          `\`${draft.id}\` reads from \`${id}\`, which is no node`,
        );
        continue;
      }
      const suggestion = nearestReadable(id, draft, byId);
      const known =
        suggestion === undefined
          ? `; nodes: ${readableFrom(draft, byId).slice(0, MAX_NAMES).join(', ')}`
          : '';
      const message = `\`${draft.id}\` reads from \`${id}\`, which is no node${known}`;
      problems.add('config.from.unknown', location, message, { suggestion });
    } else if (upstream.kind === 'sink') {
      const suggestion = upstream.from.find((from) => from.id !== draft.id)?.id;
      const message = `\`${draft.id}\` reads from \`${id}\`, which is a sink and gives nothing on`;
      problems.add('config.from.sink', location, message, { suggestion });
    } else if (!upstream.component || !draft.component) {
      edges.push({ from: id, ports: [] });
    } else {
      const taken = inputsOf(draft.component);
      const ports = portsOf(upstream.component, upstream.config).filter((port) => taken.includes(port));
      if (ports.length === 0 && problems.full)
        problems.add('config.port.mismatch', location, `\`${draft.id}\` does not take what \`${id}\` gives`);
      else if (ports.length === 0)
        reportPorts(draft, upstream, location, [...byId.values()], registry, problems);
      edges.push({ from: id, ports });
    }
  }
  return edges;
}

function reportPorts(
  draft: DraftNode,
  upstream: DraftNode,
  location: DraftNode['location'],
  drafts: readonly DraftNode[],
  registry: Registry,
  problems: Problems,
): void {
  const component = draft.component!;
  const taken = inputsOf(component);
  const given = portsOf(upstream.component!, upstream.config);
  const takes = `\`${draft.id}\` (${component.name}) takes ${taken.join(' or ')}`;
  const gives = `\`${upstream.id}\` (${upstream.component!.name}) gives ${given.length === 0 ? 'nothing' : given.join(' and ')}`;
  const fitting = drafts.filter(
    (node) =>
      node !== draft &&
      node.component &&
      portsOf(node.component, node.config).some((port) => taken.includes(port)),
  );
  const between = registry
    .list('operator')
    .filter(
      (op) =>
        inputsOf(op).some((port) => given.includes(port)) && portsOf(op).some((port) => taken.includes(port)),
    )
    .map((op) => op.name);
  const mends = [
    fitting.length > 0
      ? `nodes that fit: ${fitting
          .map((node) => node.id)
          .slice(0, MAX_NAMES)
          .join(', ')}`
      : '',
    between.length > 0 ? `operators to put between them: ${between.join(', ')}` : '',
  ].filter(Boolean);
  const mend = mends.length > 0 ? `; ${mends.join('; ')}` : '';
  problems.add('config.port.mismatch', location, `${takes}, but ${gives}${mend}`, {
    component,
    suggestion: fitting[0]?.id,
  });
}

/** Names each cycle once, at the edge that closes it. */
function reportCycles(nodes: readonly LinkedNode[], problems: Problems): void {
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

/** Operators without an input that they cannot do without: they would run, and never give anything. */
function reportMissing(nodes: readonly LinkedNode[], problems: Problems): void {
  for (const { draft, inputs } of nodes) {
    const { component, from, id } = draft;
    // Edges that are wrong are told of by themselves.
    if (component?.kind !== 'operator' || inputs.length === 0 || inputs.length < from.length) continue;
    if (inputs.some(({ ports }) => ports.length === 0)) continue;
    const given = new Set(inputs.flatMap(({ ports }) => ports));
    const missing = (component.requires ?? []).filter((port) => !given.has(port));
    if (missing.length === 0) continue;
    const fitting = nodes.filter(
      ({ draft: { component: other, config } }) => other && portsOf(other, config).includes(missing[0]!),
    );
    const names = fitting.map((node) => node.draft.id).slice(0, MAX_NAMES);
    const mend = names.length > 0 ? `: add a node that gives them to \`from\` (${names.join(', ')})` : '';
    const message = `\`${id}\` (${component.name}) gives nothing without ${missing.join(' and ')} records${mend}`;
    problems.add('config.port.missing', from[0]!.location, message, { component });
  }
}

function reportUnused(
  drafts: readonly DraftNode[],
  byId: ReadonlyMap<string, DraftNode>,
  problems: Problems,
): void {
  // Where a node does not say clearly what it reads, nobody knows what is unused.
  const clear = drafts.every(
    ({ kind, component, from }) =>
      component && (kind === 'source' || (from.length > 0 && from.every(({ id }) => byId.has(id)))),
  );
  if (!clear) return;
  // Then nothing is: the check of the sections says so once.
  if (!drafts.some(({ kind }) => kind === 'sink')) return;
  const read = new Set(drafts.flatMap((draft) => draft.from.map((from) => from.id)));
  for (const draft of drafts) {
    if (draft.kind === 'sink' || read.has(draft.id)) continue;
    if (draft.component && portsOf(draft.component, draft.config).length === 0) continue;
    const message = `nothing reads from the ${draft.kind} \`${draft.id}\``;
    problems.add('config.node.unused', draft.location, message, { severity: 'warning' });
  }
}

const readableFrom = (reader: DraftNode, byId: ReadonlyMap<string, DraftNode>): readonly string[] =>
  [...byId.values()].filter((node) => node.kind !== 'sink' && node !== reader).map((node) => node.id);

const nearestReadable = (
  id: string,
  reader: DraftNode,
  byId: ReadonlyMap<string, DraftNode>,
): string | undefined => nearest(id, readableFrom(reader, byId));

/**
 * Each node after all that it reads from; nodes of a cycle are left out. Sinks come as they are declared: the first
 * store answers questions, however near to the source it is.
 */
function inOrder(nodes: readonly LinkedNode[]): readonly LinkedNode[] {
  const ordered: LinkedNode[] = [];
  const readers = new Map<string, LinkedNode[]>();
  const waiting = new Map<LinkedNode, number>();
  for (const node of nodes) {
    waiting.set(node, node.inputs.length);
    for (const { from } of node.inputs) readers.set(from, [...(readers.get(from) ?? []), node]);
  }
  let ready = nodes.filter((node) => node.inputs.length === 0);
  while (ready.length > 0) {
    const next: LinkedNode[] = [];
    for (const node of ready) {
      ordered.push(node);
      for (const reader of readers.get(node.draft.id) ?? []) {
        const left = waiting.get(reader)! - 1;
        waiting.set(reader, left);
        if (left === 0) next.push(reader);
      }
    }
    ready = next;
  }
  const isSink = ({ draft }: LinkedNode): boolean => draft.kind === 'sink';
  const linked = new Set(ordered);
  return [
    ...ordered.filter((node) => !isSink(node)),
    ...nodes.filter((node) => isSink(node) && linked.has(node)),
  ];
}
