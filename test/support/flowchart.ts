const NODE = /^(\w+)(?:\(\[([^\])]+)\]\)|\[\(([^\])]+)\)\]|\[\[([^\]]+)\]\]|\[([^\]]+)\])?$/;
const ARROW = / (?:-->|-\. [^.]+ \.->) /;

/** What a Mermaid flowchart draws. @throws Error for a line that is no chain of nodes */
export function drawnIn(text: string): {
  /** `from to`. */
  readonly edges: readonly string[];
  readonly labels: ReadonlyMap<string, string>;
} {
  const [head, ...lines] = text.trim().split('\n');
  if (!/^flowchart (LR|TD)$/.test(head!)) throw new Error(`not a flowchart: ${head}`);
  const edges: string[] = [];
  const labels = new Map<string, string>();
  for (const line of lines) {
    const chain = line
      .trim()
      .split(ARROW)
      .map((node) => {
        const match = NODE.exec(node);
        if (!match) throw new Error(`not a node of a flowchart: ${node}`);
        const [, id, ...given] = match;
        const label = given.find(Boolean);
        if (label) labels.set(id!, label);
        return id!;
      });
    for (let i = 1; i < chain.length; i++) edges.push(`${chain[i - 1]} ${chain[i]}`);
  }
  return { edges, labels };
}
