import type { AnySource } from '../../component/index.js';
import type { CheckedNode, CheckedTopology, Settings } from '../../config/topology/topology.js';
import type { Environment } from '../../model/index.js';
import { compiledUrl } from '../../base/paths.js';
import type { SentNode, ThreadSetup } from './messages.js';

/** What a thread is started with. @param sources ids of those that its nodes read */
export function setupOf(
  topology: CheckedTopology,
  nodes: readonly CheckedNode[],
  sources: readonly string[],
  environments: readonly Environment[],
): ThreadSetup {
  const read = readOutside(topology, nodes);
  return {
    topology: topology.id,
    folder: topology.folder,
    settings: withoutPrivacy(topology.settings),
    environments,
    sources: topology.nodes
      .filter(({ id }) => sources.includes(id))
      .map(({ id, component }) => ({
        id,
        name: component.name,
        replayable: (component as AnySource).replayable,
      })),
    nodes: nodes.map(sentNode),
    exported: nodes.map(({ id }) => id).filter((id) => read.has(id)),
  };
}

/** Ids of the nodes that others than these read. */
function readOutside(topology: CheckedTopology, nodes: readonly CheckedNode[]): ReadonlySet<string> {
  const inside = new Set(nodes.map(({ id }) => id));
  const readers = topology.nodes.filter(({ id }) => !inside.has(id));
  return new Set(readers.flatMap(({ inputs }) => inputs.map(({ from }) => from)));
}

/** A node without its code. */
export function sentNode({ component, ...node }: CheckedNode): SentNode {
  const module = component.kind === 'operator' ? component.module : undefined;
  if (module === undefined) throw new Error(`${node.id} (${component.name}) does not name its module`);
  return { ...node, module: compiledUrl(module), name: component.name };
}

/** No operator stores anything, so none needs the secret. */
function withoutPrivacy(settings: Settings): Settings {
  const { privacy, ...others } = settings;
  return privacy ? others : settings;
}
