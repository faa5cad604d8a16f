import { useEffect, useRef, useState } from 'preact/hooks';
import { numberText, lagText } from '../state/poll.js';
import type { Graph, Node, Topology } from './asked.js';
import { bottleneckOf, figuresOf, isFailing, type Figures } from './figures.js';
import { layOut, NODE, type Placed } from './layout.js';

interface Shown {
  readonly graph: Graph;
  readonly now: Topology;
  readonly before: Topology | null;
  /** How many dead letters there are; null if unknown. */
  readonly letters: number | null;
}

/** A wide graph shrinks to the page, but at most to this share of its size, so that it stays legible. */
const SMALLEST = 0.75;

/** Nodes from sources to sinks, with their throughput. */
export function GraphPicture({ graph, now, before, letters }: Shown) {
  // Graph and figures are asked for apart: in between, a node can be added or removed.
  const known = graph.nodes.map(({ id }) => id).filter((id) => now.nodes.some((node) => node.id === id));
  const edges = graph.edges.filter(({ from, to }) => known.includes(from) && known.includes(to));
  const container = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState(Infinity);
  // After each answer: the page may have become wider or narrower.
  useEffect(() => {
    setVisible(container.current!.clientWidth / SMALLEST);
  });
  const { nodes, width, height } = layOut(known, edges, visible);
  const figures = figuresOf(now, before);
  const slowest = bottleneckOf(now, figures);
  const at = new Map(nodes.map((placed) => [placed.id, placed]));
  return (
    <div ref={container} class="scroll" role="region" aria-label="Graph of nodes" tabIndex={0}>
      <svg
        id="graph"
        width={width}
        height={height}
        style={{ minWidth: `${Math.round(width * SMALLEST)}px` }}
        viewBox={`0 0 ${width} ${height}`}
      >
        <title>Nodes of the topology {now.id}, from sources at the top to sinks at the bottom</title>
        {edges.map(({ from, to, ports }) => (
          <Line
            key={`${from} ${to}`}
            from={at.get(from)}
            to={at.get(to)}
            words={`${from} gives ${ports.join(', ')} to ${to}`}
          />
        ))}
        {nodes.map((placed) => {
          const node = now.nodes.find(({ id }) => id === placed.id)!;
          return (
            <Box
              key={placed.id}
              placed={placed}
              node={node}
              figures={figures.get(placed.id)!}
              isSlowest={placed.id === slowest}
              letters={letters}
            />
          );
        })}
      </svg>
    </div>
  );
}

function Line({
  from,
  to,
  words,
}: {
  readonly from: Placed | undefined;
  readonly to: Placed | undefined;
  readonly words: string;
}) {
  if (!from || !to) return null;
  const [x1, y1] = [from.x + NODE.width / 2, from.y + NODE.height];
  const [x2, y2] = [to.x + NODE.width / 2, to.y];
  const bend = Math.min(60, (y2 - y1) / 2);
  return (
    <path class="edge" d={`M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`}>
      <title>{words}</title>
    </path>
  );
}

function Box({
  placed: { x, y },
  node,
  figures,
  isSlowest,
  letters,
}: {
  readonly placed: Placed;
  readonly node: Node;
  readonly figures: Figures;
  readonly isSlowest: boolean;
  readonly letters: number | null;
}) {
  const { inRate, outRate, lagMs, waiting, lost } = figures;
  const rate = node.kind === 'source' ? outRate : inRate;
  const trouble = [
    ...(isSlowest || node.undelivered > 0 ? [`${waiting} waiting`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(isFailing(node.failed, letters) ? [`${node.failed} failed`] : []),
  ];
  return (
    <g
      class={`node ${node.kind} ${isSlowest ? 'slowest' : ''}`}
      data-node={node.id}
      transform={`translate(${x} ${y})`}
    >
      <rect width={NODE.width} height={NODE.height} rx="8" />
      <circle class={`light ${node.status}`} cx={NODE.width - 14} cy="16" r="5">
        <title>{node.status}</title>
      </circle>
      <text x="10" y="20" class="name">
        {node.id}
      </text>
      <text x="10" y="36" class="type">
        {node.type}
      </text>
      <text x="10" y="56">
        {numberText(rate, 1)}/s
        {lagMs !== null && ` · ${lagText(lagMs)} behind`}
      </text>
      {trouble.length > 0 && (
        <text x={NODE.width - 10} y="36" class="trouble" text-anchor="end">
          {trouble.join(', ')}
        </text>
      )}
    </g>
  );
}
