import { read } from './yaml-edit.js';
import { isRecord } from '../../../../pipeline/base/is-record.js';

export type Point2 = readonly [x: number, y: number];
export type Point3 = readonly [x: number, y: number, z: number];

export interface DraftLink {
  readonly id: string;
  readonly transmitter: Point3;
  readonly receiver: Point3;
  readonly sender: string;
}
export interface DraftWall {
  readonly from: Point2;
  readonly to: Point2;
}
export interface DraftZone {
  readonly id: string;
  readonly name?: string | undefined;
  readonly polygon: readonly Point2[];
  readonly kind?: string | undefined;
  readonly min_height?: number | undefined;
  readonly max_height?: number | undefined;
}

/** What can be drawn of an environment file; its other fields are kept as they are. */
export interface Draft {
  readonly id: string;
  readonly name?: string | undefined;
  readonly size: { readonly x: number; readonly y: number; readonly z: number };
  readonly links: readonly DraftLink[];
  readonly walls?: readonly DraftWall[] | undefined;
  readonly zones?: readonly DraftZone[] | undefined;
}

/** @throws Error that names the first value that cannot be drawn; csiflow itself checks the rest */
export function readDraft(text: string): Draft {
  const content: unknown = read(text).toJS();
  if (!isRecord(content)) throw new Error('the file is not a map of fields');
  const { size, links, walls, zones } = content;
  if (!isRecord(size)) throw new Error('`size` is not { x, y, z }');
  for (const axis of ['x', 'y', 'z']) requireNumber(size[axis], `size.${axis}`);
  each(links, 'links', (link, at) => {
    requirePoint(link['transmitter'], 3, `${at}.transmitter`);
    requirePoint(link['receiver'], 3, `${at}.receiver`);
  });
  each(walls, 'walls', (wall, at) => {
    requirePoint(wall['from'], 2, `${at}.from`);
    requirePoint(wall['to'], 2, `${at}.to`);
  });
  each(zones, 'zones', (zone, at) => {
    const { polygon } = zone;
    if (!Array.isArray(polygon)) throw new Error(`\`${at}.polygon\` is not a list of corners`);
    polygon.forEach((corner, index) => {
      requirePoint(corner, 2, `${at}.polygon.${index}`);
    });
  });
  return content as unknown as Draft;
}

function each(
  list: unknown,
  name: string,
  check: (item: Readonly<Record<string, unknown>>, at: string) => void,
) {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list)) throw new Error(`\`${name}\` is not a list`);
  list.forEach((item: unknown, index) => {
    if (!isRecord(item)) throw new Error(`\`${name}.${index}\` is not a map of fields`);
    check(item, `${name}.${index}`);
  });
}

function requirePoint(value: unknown, length: number, at: string): void {
  if (!Array.isArray(value) || value.length !== length)
    throw new Error(`\`${at}\` is not a list of ${length} numbers`);
  value.forEach((number) => {
    requireNumber(number, at);
  });
}

function requireNumber(value: unknown, at: string): void {
  if (typeof value === 'number' && Number.isFinite(value)) return;
  throw new Error(
    `\`${at}\` is not a number that can be drawn (${String(value)}): edit the file on the host`,
  );
}

/** To whole centimetres. */
export const rounded = (metres: number): number => Math.round(metres * 100) / 100;
