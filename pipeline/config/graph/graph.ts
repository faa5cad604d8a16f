import { portsOf, requiredPorts, routesOf, type Component, type Registry } from '../../component/index.js';
import type { Port } from '../../model/index.js';
import { nearest } from '../../base/nearest.js';
import { reportCycles } from './cycles.js';
import { GivenPorts } from './given-ports.js';
import { MAX_NODES, type DraftNode, type LinkedNode, type Reference } from './nodes.js';
import type { Problems } from '../problems/problem.js';
import type { Edge } from '../topology/topology.js';

export const inputsOf = (component: Component): readonly Port[] =>
  component.kind === 'source' ? [] : component.inputs;

const MAX_EDGES = 10_000;
/** For messages. */
const MAX_NAMES = 20;

/** Connects nodes: names, ports, cycles, unused nodes. In topological order; sinks come last, as declared. */
export function linkNodes(
  drafts: readonly DraftNode[],
  registry: Registry,
  problems: Problems,
): readonly LinkedNode[] {
  const byId = new Map<string, DraftNode>();
  // Of two nodes with one id, the first counts.
  for (const draft of drafts) if (!byId.has(draft.id)) byId.set(draft.id, draft);
  const edges = drafts.reduce((sum, { from }) => sum + from.length, 0);
  if (drafts.length > MAX_NODES || edges > MAX_EDGES) {
    const message = `a topology may have ${MAX_NODES} nodes and ${MAX_EDGES} edges`;
    problems.add('config.graph.too_large', drafts[0]!.location, message);
    return [];
  }
  const graph: Graph = { byId, given: new GivenPorts(byId), registry, problems };
  const linked = drafts.map((draft) => ({ draft, inputs: edgesOf(draft, graph) }));
  reportCycles(linked, problems);
  reportCounts(linked, graph);
  reportMissing(linked, graph);
  reportUnused(drafts, graph);
  return inOrder(linked);
}

/** The context for connecting one node. */
interface Graph {
  readonly byId: ReadonlyMap<string, DraftNode>;
  readonly given: GivenPorts;
  readonly registry: Registry;
  readonly problems: Problems;
}

function edgesOf(draft: DraftNode, graph: Graph): readonly Edge[] {
  const edges = new Map<string, Edge>();
  for (const reference of draft.from) {
    const upstream = graph.byId.get(reference.id);
    if (!upstream) reportUnknown(draft, reference, graph);
    else if (upstream.kind === 'sink') {
      const suggestion = upstream.from.find((from) => from.id !== draft.id)?.id;
      const message = `\`${draft.id}\` reads from \`${upstream.id}\`, which is a sink and has no output`;
      graph.problems.add('config.from.sink', reference.location, message, { suggestion });
    } else addEdge(edges, draft, upstream, reference, graph);
  }
  return [...edges.values()];
}

/** One edge for each upstream node, regardless of its routes. */
function addEdge(
  edges: Map<string, Edge>,
  draft: DraftNode,
  upstream: DraftNode,
  { id, route, location }: Reference,
  graph: Graph,
): void {
  const before = edges.get(id);
  if (before && (!before.routes || route === undefined)) {
    const message = `\`${draft.id}\` reads all of \`${id}\` and one of its routes, which is part of that`;
    graph.problems.add('config.from.duplicate', location, message);
    return;
  }
  if (route !== undefined && !reportRoute(upstream, route, location, graph.problems)) return;
  const routes = route === undefined ? {} : { routes: [...(before?.routes ?? []), route] };
  edges.set(id, {
    from: id,
    ports: before?.ports ?? portsBetween(upstream, draft, location, graph),
    ...routes,
  });
}

function portsBetween(
  upstream: DraftNode,
  draft: DraftNode,
  location: Reference['location'],
  graph: Graph,
): Edge['ports'] {
  if (!upstream.component || !draft.component) return [];
  const taken = inputsOf(draft.component);
  const ports = graph.given.of(upstream).filter((port) => taken.includes(port));
  if (ports.length > 0) return ports;
  const { problems } = graph;
  if (problems.full) {
    const message = `\`${draft.id}\` cannot read what \`${upstream.id}\` outputs`;
    problems.add('config.port.mismatch', location, message);
  } else reportPorts(draft, upstream, location, graph);
  return [];
}

/** False if the node has no such route. */
function reportRoute(
  { id, component, config }: DraftNode,
  route: string,
  location: Reference['location'],
  problems: Problems,
): boolean {
  const routes = routesOf(component!, config);
  // Errors of the node itself are reported elsewhere.
  if (routes.includes(route) || !component || !config) return true;
  const near = nearest(route, routes);
  const [message, suggestion] =
    routes.length === 0
      ? [`\`${id}\` (${component.name}) has no routes: read it as a whole`, id]
      : [
          `\`${id}\` has no route \`${route}\`; routes: ${routes.slice(0, MAX_NAMES).join(', ')}`,
          near && `${id}.${near}`,
        ];
  problems.add('config.from.route', location, message, { suggestion });
  return false;
}

function reportUnknown(draft: DraftNode, { id, location }: Reference, { byId, problems }: Graph): void {
  const message = `\`${draft.id}\` reads from \`${id}\`, which is not a node`;
  if (problems.full) {
    problems.add('config.from.unknown', location, message);
    return;
  }
  const suggestion = nearestReadable(id, draft, byId);
  const known =
    suggestion === undefined ? `; nodes: ${readableFrom(draft, byId).slice(0, MAX_NAMES).join(', ')}` : '';
  problems.add('config.from.unknown', location, `${message}${known}`, { suggestion });
}

function reportPorts(
  draft: DraftNode,
  upstream: DraftNode,
  location: DraftNode['location'],
  { byId, given: givenPorts, registry, problems }: Graph,
): void {
  const component = draft.component!;
  const taken = inputsOf(component);
  const given = givenPorts.of(upstream);
  const reads = `\`${draft.id}\` (${component.name}) reads ${taken.join(' or ')}`;
  const outputs = `\`${upstream.id}\` (${upstream.component!.name}) outputs ${given.length === 0 ? 'nothing' : given.join(' and ')}`;
  const fitting = [...byId.values()].filter(
    (node) => node !== draft && givenPorts.of(node).some((port) => taken.includes(port)),
  );
  const between = registry
    .list('operator')
    .filter(
      (op) =>
        inputsOf(op).some((port) => given.includes(port)) && portsOf(op).some((port) => taken.includes(port)),
    )
    .map((op) => op.name);
  const fixes = [
    fitting.length > 0
      ? `matching nodes: ${fitting
          .map((node) => node.id)
          .slice(0, MAX_NAMES)
          .join(', ')}`
      : '',
    between.length > 0 ? `operators to put between them: ${between.join(', ')}` : '',
  ].filter(Boolean);
  const fix = fixes.length > 0 ? `; ${fixes.join('; ')}` : '';
  problems.add('config.port.mismatch', location, `${reads}, but ${outputs}${fix}`, {
    component,
    suggestion: fitting[0]?.id,
  });
}

/** Operators that compare a fixed number of nodes, and read fewer or more. */
function reportCounts(nodes: readonly LinkedNode[], { given: givenPorts, problems }: Graph): void {
  for (const { draft, inputs } of nodes) {
    const { component, from, id } = draft;
    if (component?.kind !== 'operator' || component.nodesRead === undefined) continue;
    // Wrong edges are reported on their own.
    if (from.length === component.nodesRead || hasWrongEdges(draft, inputs)) continue;
    const named = new Set(from.map((reference) => reference.id));
    const others = nodes
      .filter((node) => node.draft !== draft && !named.has(node.draft.id))
      .filter((node) => givenPorts.of(node.draft).some((port) => component.inputs.includes(port)))
      .map((node) => node.draft.id);
    const isFewer = from.length < component.nodesRead;
    const fix = isFewer && others.length > 0 ? `: add one of ${others.slice(0, MAX_NAMES).join(', ')}` : '';
    const message = `\`${id}\` (${component.name}) must read ${component.nodesRead} nodes with ${component.inputs.join(' or ')} records, but \`from\` names ${from.length}${fix}`;
    const { location } = from[isFewer ? 0 : component.nodesRead]!;
    problems.add('config.from.count', location, message, { component });
  }
}

const hasWrongEdges = ({ from }: DraftNode, inputs: readonly Edge[]): boolean =>
  inputs.length === 0 ||
  inputs.length < new Set(from.map((reference) => reference.id)).size ||
  inputs.some(({ ports }) => ports.length === 0);

/** Operators without a required input: they would run and never output anything. */
function reportMissing(nodes: readonly LinkedNode[], { given: givenPorts, problems }: Graph): void {
  for (const { draft, inputs } of nodes) {
    const { component, config, from, id } = draft;
    if (component?.kind !== 'operator' || !config || hasWrongEdges(draft, inputs)) continue;
    const given = new Set(inputs.flatMap(({ ports }) => ports));
    const missing = requiredPorts(component, config).filter((port) => !given.has(port));
    if (missing.length === 0) continue;
    const fitting = nodes.filter((node) => givenPorts.of(node.draft).includes(missing[0]!));
    const names = fitting.map((node) => node.draft.id).slice(0, MAX_NAMES);
    const fix = names.length > 0 ? `: add a node with them to \`from\` (${names.join(', ')})` : '';
    const message = `\`${id}\` (${component.name}) outputs nothing without ${missing.join(' and ')} records${fix}`;
    problems.add('config.port.missing', from[0]!.location, message, { component });
  }
}

function reportUnused(drafts: readonly DraftNode[], { byId, given, problems }: Graph): void {
  // If a node's inputs are unclear, unused nodes cannot be determined.
  const clear = drafts.every(
    ({ kind, component, from }) =>
      component && (kind === 'source' || (from.length > 0 && from.every(({ id }) => byId.has(id)))),
  );
  if (!clear) return;
  // Without sections there are no nodes: the check of sections reports that.
  if (!drafts.some(({ kind }) => kind === 'sink')) return;
  const read = new Set(
    drafts.flatMap(({ from }) => from.map(({ id, route }) => (route === undefined ? id : `${id}.${route}`))),
  );
  const report = (location: DraftNode['location'], what: string): void => {
    problems.add('config.node.unused', location, `nothing reads from the ${what}`, { severity: 'warning' });
  };
  for (const draft of drafts) {
    const { id, kind, location } = draft;
    if (kind === 'sink' || read.has(id)) continue;
    if (draft.component && given.of(draft).length === 0) continue;
    const routes = draft.component ? routesOf(draft.component, draft.config) : [];
    const unread = routes.filter((route) => !read.has(`${id}.${route}`));
    if (unread.length === routes.length) report(location, `${kind} \`${id}\``);
    else for (const route of unread) report(location, `route \`${id}.${route}\``);
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
 * Sorts each node after all of its inputs; nodes of a cycle are omitted. Sinks keep their declared order: the
 * first store answers queries, however close to the source it is.
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
