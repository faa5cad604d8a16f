import { encode } from 'fast-png';
import { colourAt, type Scale } from './colours.js';
import { escapeHtml } from '../../../../pipeline/base/escape-html.js';

/** A rectangle of the drawing, pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const INK = '#1f2430';
export const FAINT = '#6b7280';
const GRID = '#d8dce3';

const rounded = (value: number): number => Math.round(value * 100) / 100;

interface TextStyle {
  readonly size?: number;
  readonly colour?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly bold?: boolean;
  /** Rotation in degrees around its position. */
  readonly turn?: number;
}

export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { size = 13, colour = INK, anchor = 'start', bold = false, turn } = style;
  const turned = turn === undefined ? '' : ` transform="rotate(${turn} ${rounded(x)} ${rounded(y)})"`;
  const weight = bold ? ' font-weight="700"' : '';
  return `<text x="${rounded(x)}" y="${rounded(y)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}"${weight}${turned}>${escapeHtml(content)}</text>`;
}

export const line = (x1: number, y1: number, x2: number, y2: number, colour: string, thick = 1): string =>
  `<line x1="${rounded(x1)}" y1="${rounded(y1)}" x2="${rounded(x2)}" y2="${rounded(y2)}" stroke="${colour}" stroke-width="${thick}"/>`;

export const rectangle = ({ left, top, width, height }: Box, attributes: string): string =>
  `<rect x="${rounded(left)}" y="${rounded(top)}" width="${rounded(width)}" height="${rounded(height)}" ${attributes}/>`;

/** A line through points; one with a NaN interrupts it. */
export function curve(points: readonly (readonly [number, number])[], colour: string): string {
  let path = '';
  let isDown = false;
  for (const [x, y] of points) {
    const isPoint = !Number.isNaN(y);
    if (isPoint) path += `${isDown ? 'L' : 'M'}${rounded(x)} ${rounded(y)}`;
    isDown = isPoint;
  }
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linejoin="round"/>`;
}

/** Round numbers of `from` to `to`, some `wanted` of them. */
export function ticks(from: number, to: number, wanted: number): readonly number[] {
  const rough = (to - from) / wanted;
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** The frame of a panel with the ticks of its axes; `across` is null if the caller labels that one. */
export function axes(
  box: Box,
  across: { readonly from: number; readonly to: number; readonly label?: string } | null,
  up: { readonly marks: readonly { readonly at: number; readonly label: string }[]; readonly label: string },
): string {
  const { left, top, width, height } = box;
  const parts = [rectangle(box, `fill="none" stroke="${FAINT}"`)];
  for (const tick of across ? ticks(across.from, across.to, 10) : []) {
    const x = left + ((tick - across!.from) / (across!.to - across!.from || 1)) * width;
    parts.push(line(x, top + height, x, top + height + 5, FAINT));
    parts.push(text(x, top + height + 19, String(tick), { anchor: 'middle', size: 12, colour: FAINT }));
  }
  for (const { at, label } of up.marks) {
    parts.push(line(left - 5, at, left, at, FAINT));
    parts.push(text(left - 9, at + 4, label, { anchor: 'end', size: 12, colour: FAINT }));
  }
  parts.push(text(left - 58, top + height / 2, up.label, { anchor: 'middle', turn: -90, colour: FAINT }));
  if (across?.label !== undefined)
    parts.push(text(left + width / 2, top + height + 38, across.label, { anchor: 'middle', colour: FAINT }));
  return parts.join('\n');
}

/** Horizontal lines behind a panel. */
export const grid = ({ left, width }: Box, heights: readonly number[]): string =>
  heights.map((y) => line(left, y, left + width, y, GRID)).join('\n');

/** Values of `rows` by `columns`, the first row at the bottom; NaN is blank. */
export interface Heat {
  readonly columns: number;
  readonly rows: number;
  /** [column, row] */
  readonly values: Float32Array;
  readonly least: number;
  readonly most: number;
  readonly colours: Scale;
}

/** A picture of numbers, with a colour bar. */
export function heat(box: Box, { columns, rows, values, least, most, colours }: Heat, label: string): string {
  const data = new Uint8Array(columns * rows * 4);
  for (let column = 0; column < columns; column++)
    for (let row = 0; row < rows; row++) {
      const value = values[column * rows + row]!;
      if (Number.isNaN(value)) continue;
      const at = 4 * ((rows - 1 - row) * columns + column);
      data.set(colourAt(colours, (value - least) / (most - least || 1)), at);
      data[at + 3] = 255;
    }
  return [
    rectangle(box, 'fill="#eef0f3"'),
    picture(box, columns, rows, data),
    colourBar(
      { left: box.left + box.width + 16, top: box.top, width: 14, height: box.height },
      { least, most, colours },
      label,
    ),
  ].join('\n');
}

function picture({ left, top, width, height }: Box, columns: number, rows: number, data: Uint8Array): string {
  const png = Buffer.from(encode({ width: columns, height: rows, data, channels: 4, depth: 8 }));
  const where = `x="${left}" y="${top}" width="${width}" height="${height}"`;
  return `<image ${where} preserveAspectRatio="none" image-rendering="pixelated" style="image-rendering:pixelated" href="data:image/png;base64,${png.toString('base64')}"/>`;
}

function colourBar(
  box: Box,
  { least, most, colours }: Pick<Heat, 'least' | 'most' | 'colours'>,
  label: string,
): string {
  const steps = 64;
  const data = new Uint8Array(steps * 4);
  for (let i = 0; i < steps; i++) data.set([...colourAt(colours, 1 - i / (steps - 1)), 255], 4 * i);
  const marks = ticks(least, most, 4).map((tick) => {
    const y = box.top + box.height * (1 - (tick - least) / (most - least || 1));
    return text(box.left + box.width + 6, y + 4, String(tick), { size: 12, colour: FAINT });
  });
  const middle = box.top + box.height / 2;
  return [
    picture(box, 1, steps, data),
    rectangle(box, `fill="none" stroke="${FAINT}"`),
    ...marks,
    text(box.left + box.width + 58, middle, label, { anchor: 'middle', turn: -90, colour: FAINT }),
  ].join('\n');
}

/** The whole drawing. */
export const drawing = (width: number, height: number, parts: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="PT Sans, Helvetica, Arial, sans-serif">`,
    rectangle({ left: 0, top: 0, width, height }, 'fill="#ffffff"'),
    ...parts,
    '</svg>\n',
  ].join('\n');
