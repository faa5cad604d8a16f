import { layOut, type Layout, type Point } from './layout.js';
import { escapeHtml } from '../../../base/escape-html.js';

export interface Picture {
  /** Read by screen readers. */
  readonly title: string;
  readonly nodes: readonly {
    readonly id: string;
    readonly label: string;
    /** A second, smaller line. */
    readonly detail?: string;
    readonly kind: 'source' | 'operator' | 'sink';
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label?: string;
    readonly dashed?: boolean;
  }[];
}

type Node = Picture['nodes'][number];

/** Pixels; widths of letters are estimates for the fonts of common systems. */
const SIZE = { height: 46, padding: 14, label: 7.6, detail: 6.4, lid: 5 } as const;
const FILLS = { source: '#d9f0e3', operator: '#dce9f7', sink: '#fbe9c8' } as const;
const STROKES = { source: '#2d7a55', operator: '#3a6ea5', sink: '#a06a10' } as const;

/**
 * An SVG file: sources are stadiums, operators boxes, sinks cylinders. It has colours of its own, so that it can
 * be shown on any ground.
 * @throws Error for a ring of edges, or an edge of an unknown node
 */
export function drawSvg({ title, nodes, edges }: Picture): string {
  const widths = new Map(nodes.map((node) => [node.id, widthOf(node)]));
  const layout = layOut(
    nodes.map(({ id }) => ({ id, width: widths.get(id)!, height: SIZE.height })),
    edges,
  );
  const labelled = new Set<string>();
  const lines = edges.map((edge, index) => {
    const path = pathOf(edge, layout, index, widths);
    const said = `${edge.from} ${edge.label ?? ''}`;
    const isNew = edge.label !== undefined && !labelled.has(said);
    labelled.add(said);
    return `${arrow(path, edge.dashed === true)}${isNew ? labelOf(edge.label, path) : ''}`;
  });
  const [width, height] = [Math.ceil(layout.width), Math.ceil(layout.height)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif">`,
    `<title>${escapeHtml(title)}</title>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#5b6b78"/></marker></defs>',
    `<rect width="${width}" height="${height}" rx="8" fill="#fff"/>`,
    ...lines,
    ...nodes.map((node) => boxOf(node, layout.middles.get(node.id)!, widths.get(node.id)!)),
    '</svg>',
    '',
  ].join('\n');
}

const widthOf = ({ label, detail = '' }: Node): number =>
  Math.max(label.length * SIZE.label, detail.length * SIZE.detail) + 2 * SIZE.padding;

/** From the right of a box, by the bends, to the left of another. */
function pathOf(
  { from, to }: { readonly from: string; readonly to: string },
  { middles, bends }: Layout,
  index: number,
  widths: ReadonlyMap<string, number>,
): readonly Point[] {
  const [start, end] = [middles.get(from)!, middles.get(to)!];
  return [
    { x: start.x + widths.get(from)! / 2, y: start.y },
    ...bends[index]!,
    { x: end.x - widths.get(to)! / 2 - 1, y: end.y },
  ];
}

function arrow(points: readonly Point[], dashed: boolean): string {
  const [start, ...rest] = points;
  let at = start!;
  const curves = rest.map((next) => {
    const middle = round((at.x + next.x) / 2);
    at = next;
    return `C${middle} ${round(previousY(points, next))} ${middle} ${round(next.y)} ${round(next.x)} ${round(next.y)}`;
  });
  const dash = dashed ? ' stroke-dasharray="5 4"' : '';
  return `<path d="M${round(start!.x)} ${round(start!.y)}${curves.join('')}" fill="none" stroke="#5b6b78" stroke-width="1.4"${dash} marker-end="url(#tip)"/>`;
}

const previousY = (points: readonly Point[], point: Point): number => points[points.indexOf(point) - 1]!.y;

/** Over the first part of the line, with a rim so that it can be read over other lines. */
function labelOf(label: string, [start, next]: readonly Point[]): string {
  const [x, y] = [(start!.x + next!.x) / 2, (start!.y + next!.y) / 2 - 4];
  return `<text x="${round(x)}" y="${round(y)}" font-size="10" text-anchor="middle" fill="#3d4c58" stroke="#fff" stroke-width="3" paint-order="stroke">${escapeHtml(label)}</text>`;
}

function boxOf({ label, detail, kind }: Node, { x, y }: Point, width: number): string {
  const text = (content: string, size: number, below: number, weight: number): string =>
    `<text x="${round(x)}" y="${round(y + below)}" font-size="${size}" font-weight="${weight}" text-anchor="middle" fill="#10222f">${escapeHtml(content)}</text>`;
  const words =
    detail === undefined ? text(label, 13, 5, 600) : text(label, 13, 1, 600) + text(detail, 11, 15, 400);
  return `${shapeOf(kind, x - width / 2, y - SIZE.height / 2, width)}${words}`;
}

function shapeOf(kind: Node['kind'], left: number, top: number, width: number): string {
  const paint = `fill="${FILLS[kind]}" stroke="${STROKES[kind]}" stroke-width="1.4"`;
  const [x, y, wide] = [round(left), round(top), round(width)];
  if (kind !== 'sink') {
    const rounding = kind === 'source' ? SIZE.height / 2 : 6;
    return `<rect x="${x}" y="${y}" width="${wide}" height="${SIZE.height}" rx="${rounding}" ${paint}/>`;
  }
  const arc = (sweep: 0 | 1, across: number): string =>
    `a${round(wide / 2)} ${SIZE.lid} 0 0 ${sweep} ${across} 0`;
  const body = SIZE.height - 2 * SIZE.lid;
  return `<path d="M${x} ${y + SIZE.lid}${arc(1, wide)}v${body}${arc(1, -wide)}zm0 0${arc(0, wide)}" ${paint}/>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
