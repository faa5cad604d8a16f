import type { Environment } from '../../../pipeline/model/index.js';
import { isRecord } from '../../../pipeline/base/is-record.js';

/** A part of an environment that differs: `zones/bed`, `links/door-desk`, `walls/0`, `size`. */
export interface ChangedPart {
  readonly part: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Names of fields with another value. */
  readonly fields: readonly string[];
}

/** The differences between two versions of an environment, in the order of the file's fields. */
export function changedParts(before: Environment, after: Environment): readonly ChangedPart[] {
  const { links, zones, walls, ...rest } = before;
  const { links: newLinks, zones: newZones, walls: newWalls, ...newRest } = after;
  return [
    ...between(partsOf(rest), partsOf(newRest), ''),
    ...between(byId(links), byId(newLinks), 'links/'),
    ...between(byIndex(walls), byIndex(newWalls), 'walls/'),
    ...between(byId(zones), byId(newZones), 'zones/'),
  ];
}

type Named = ReadonlyMap<string, unknown>;

const partsOf = (value: object): Named => new Map(Object.entries(value));
const byId = (items: readonly { readonly id: string }[]): Named =>
  new Map(items.map((item) => [item.id, item]));
const byIndex = (items: readonly unknown[]): Named =>
  new Map(items.map((item, index) => [String(index), item]));

function between(before: Named, after: Named, prefix: string): readonly ChangedPart[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): readonly ChangedPart[] => {
    const [one, other] = [before.get(name), after.get(name)];
    const part = prefix + name;
    if (one === undefined) return [{ part, change: 'added', fields: [] }];
    if (other === undefined) return [{ part, change: 'removed', fields: [] }];
    if (isSame(one, other)) return [];
    return [{ part, change: 'changed', fields: fieldsOf(one, other) }];
  });
}

function fieldsOf(one: unknown, other: unknown): readonly string[] {
  if (!isRecord(one) || !isRecord(other)) return [];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !isSame(one[name], other[name]));
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
