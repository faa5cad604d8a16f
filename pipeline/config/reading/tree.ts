import type { Location } from '../problems/problem.js';

/**
 * A file's content with the location of each value. Immutable; values reached through an alias are shared,
 * so it is a graph without cycles, and `size` counts it written out.
 */
export type Tree = ScalarTree | MapTree | ListTree;

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly location: Location;
  readonly size: number;
  readonly value: string | number | boolean | null;
  /** As written in the file, with quotes. */
  readonly text: string;
  /** Set if variables were substituted: a schema may then read the text as a number. */
  readonly origin?: 'variable' | 'secret';
  /** The content was unreadable, which was reported: it causes no further problems. */
  readonly broken?: true;
}

/** The content of the file, without quotes: `${NAME}` rather than its value. */
export const asWritten = ({ text }: ScalarTree): string => text.replace(/^(["'])(.*)\1$/s, '$2');

export interface MapTree {
  readonly kind: 'map';
  readonly location: Location;
  readonly size: number;
  readonly fields: ReadonlyMap<string, Field>;
}

export interface Field {
  /** Location of the key. */
  readonly location: Location;
  readonly value: Tree;
}

export interface ListTree {
  readonly kind: 'list';
  readonly location: Location;
  readonly size: number;
  readonly items: readonly Tree[];
}

export type Path = readonly (string | number)[];

/** The bare value. Own properties only, whatever the keys are called. */
export function plain(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plain);
  return Object.fromEntries([...tree.fields].map(([key, field]) => [key, plain(field.value)]));
}

/** The value at `path`, or undefined. */
export function valueAt(tree: Tree, path: Path): Tree | undefined {
  let at: Tree | undefined = tree;
  for (const step of path) at = at && child(at, step);
  return at;
}

function child(tree: Tree, step: string | number): Tree | undefined {
  if (tree.kind === 'map') return tree.fields.get(String(step))?.value;
  if (tree.kind === 'list') return tree.items[Number(step)];
  return undefined;
}

/** Location of the value at `path`, or of the nearest one around it that is in the file (a default is not). */
export function locationOf(tree: Tree, path: Path, fallback: Location = tree.location): Location {
  let location = fallback;
  let at: Tree | undefined = tree;
  for (const step of path) {
    at = child(at, step);
    if (!at) return location;
    location = at.location;
  }
  return location;
}

/** Location of the key of the last field on `path`, for problems of a map as a whole. */
export function keyLocationOf(tree: Tree, path: Path, fallback: Location): Location {
  const parent = path.length === 0 ? undefined : valueAt(tree, path.slice(0, -1));
  const field = parent?.kind === 'map' ? parent.fields.get(String(path.at(-1))) : undefined;
  return field?.location ?? locationOf(tree, path, fallback);
}

/** The same tree with `change` applied to its scalars; shared parts are changed once and stay shared. */
export function mapScalars(tree: Tree, change: (scalar: ScalarTree) => ScalarTree): Tree {
  const done = new Map<Tree, Tree>();
  const walk = (at: Tree): Tree => {
    const changed = done.get(at) ?? walkNew(at);
    done.set(at, changed);
    return changed;
  };
  const walkNew = (at: Tree): Tree => {
    if (at.kind === 'scalar') return change(at);
    if (at.kind === 'list') return { ...at, items: at.items.map(walk) };
    const fields = new Map<string, Field>();
    for (const [key, field] of at.fields) fields.set(key, { ...field, value: walk(field.value) });
    return { ...at, fields };
  };
  return walk(tree);
}

/** A map without some of its fields. */
export function without(map: MapTree, names: readonly string[]): MapTree {
  return { ...map, fields: new Map([...map.fields].filter(([name]) => !names.includes(name))) };
}
