import type { Picture } from '../../pipeline/config/topology/svg/picture.js';

const NODE = /^(\w+)(?:\(\[([^\])]+)\]\)|\[\(([^\])]+)\)\]|\[\[([^\]]+)\]\]|\[([^\]]+)\])?$/;
const ARROW = / (-->|-\. [^.]+ \.->) /;

/** Shapes of Mermaid in the order of NODE. */
const KINDS = ['source', 'sink', 'operator', 'operator'] as const;

/** What a Mermaid flowchart of our pages draws. @throws Error for a line that is no chain of nodes */
export function pictureOf(text: string, title: string): Picture {
  const [head, ...lines] = text.trim().split('\n');
  if (!/^flowchart (LR|TD)$/.test(head!)) throw new Error(`not a flowchart: ${head}`);
  const nodes = new Map<string, Picture['nodes'][number]>();
  const edges: Picture['edges'][number][] = [];
  const nodeOf = (written: string): string => {
    const match = NODE.exec(written);
    if (!match) throw new Error(`not a node of a flowchart: ${written}`);
    const [, id, ...shapes] = match as readonly (string | undefined)[];
    const shape = shapes.findIndex((label) => label !== undefined);
    if (shape >= 0 || !nodes.has(id!)) {
      nodes.set(id!, { id: id!, label: shapes[shape] ?? id!, kind: KINDS[shape] ?? 'operator' });
    }
    return id!;
  };
  for (const line of lines) {
    const parts = line.trim().split(ARROW);
    let from = nodeOf(parts[0]!);
    for (let i = 1; i < parts.length; i += 2) {
      const to = nodeOf(parts[i + 1]!);
      const label = /^-\. (.+) \.->$/.exec(parts[i]!)?.[1];
      edges.push(label === undefined ? { from, to } : { from, to, label, dashed: true });
      from = to;
    }
  }
  return { title, nodes: [...nodes.values()], edges };
}
