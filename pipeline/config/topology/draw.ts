import { drawSvg } from './svg/picture.js';
import type { CheckedTopology, Edge } from './topology.js';

/** A topology as a Mermaid flow chart: sources as stadiums, operators as boxes, sinks as cylinders. */
export function toMermaid(topology: CheckedTopology): string {
  const shapes = { source: ['([', '])'], operator: ['[', ']'], sink: ['[(', ')]'] } as const;
  const name = numbered(topology);
  const nodes = topology.nodes.map(({ id, component }) => {
    const [open, close] = shapes[component.kind];
    return `  ${name(id)}${open}"${id}<br/>${component.name}"${close}`;
  });
  const edges = topology.nodes.flatMap(({ id, inputs }) =>
    inputs.map((edge) => `  ${name(edge.from)} -->|${labelOf(edge)}| ${name(id)}`),
  );
  return ['flowchart LR', ...nodes, ...edges, ''].join('\n');
}

/** The same in Graphviz' language. */
export function toDot(topology: CheckedTopology): string {
  const shapes = { source: 'oval', operator: 'box', sink: 'cylinder' } as const;
  const nodes = topology.nodes.map(
    ({ id, component }) => `  "${id}" [label="${id}\\n${component.name}", shape=${shapes[component.kind]}];`,
  );
  const edges = topology.nodes.flatMap(({ id, inputs }) =>
    inputs.map((edge) => `  "${edge.from}" -> "${id}" [label="${labelOf(edge)}"];`),
  );
  return [`digraph "${topology.id}" {`, '  rankdir=LR;', ...nodes, ...edges, '}', ''].join('\n');
}

/** The same as a picture that browsers show. */
export const toSvg = (topology: CheckedTopology): string =>
  drawSvg({
    title: `The topology ${topology.id}`,
    nodes: topology.nodes.map(({ id, component }) => ({
      id,
      label: id,
      detail: component.name,
      kind: component.kind,
    })),
    edges: topology.nodes.flatMap(({ id, inputs }) =>
      inputs.map((edge) => ({ from: edge.from, to: id, label: labelOf(edge) })),
    ),
  });

/** What goes along an edge: by which routes, and of which ports. */
const labelOf = ({ ports, routes }: Edge): string =>
  routes ? `${routes.join(', ')}: ${ports.join(', ')}` : ports.join(', ');

/** Mermaid gives words like `end` a meaning of their own: its names are numbers, the ids labels. */
function numbered(topology: CheckedTopology): (id: string) => string {
  const numbers = new Map(topology.nodes.map((node, index) => [node.id, `n${index}`]));
  return (id) => numbers.get(id) ?? id;
}
