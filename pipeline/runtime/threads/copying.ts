import { types } from 'node:util';

/** The code of records that cannot be copied to another thread. */
export const NOT_COPIED = 'thread.not_copied';

const KINDS: Readonly<Record<string, string>> = { function: 'a function', symbol: 'a symbol' };

/**
 * What of a value a structured clone cannot copy, such as ``a function in `details.send` ``; null: nothing. Slow: it
 * copies the value several times. A plugin's objects may throw when they are read: such a field is named too.
 */
export const notCopied = (value: unknown, path = ''): string | null => find(value, path, new Set());

function find(value: unknown, path: string, seen: Set<unknown>): string | null {
  if (isCopied(value) || seen.has(value)) return null;
  seen.add(value);
  for (const { name, read } of childrenOf(value, path)) {
    let child: unknown;
    try {
      child = read();
    } catch {
      return located('a field that throws an error when it is read', name);
    }
    const found = find(child, name, seen);
    if (found !== null) return found;
  }
  return located(kindOf(value), path);
}

const located = (what: string, path: string): string => (path === '' ? what : `${what} in \`${path}\``);

function isCopied(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function kindOf(value: unknown): string {
  if (types.isProxy(value)) return 'a proxy';
  const kind = KINDS[typeof value];
  if (kind !== undefined) return kind;
  const { constructor: made } = (Object.getPrototypeOf(value) ?? { constructor: null }) as {
    readonly constructor?: unknown;
  };
  return typeof made === 'function' && made.name !== ''
    ? `an object of class ${made.name}`
    : 'an object without a class';
}

interface Child {
  readonly name: string;
  readonly read: () => unknown;
}

function* childrenOf(value: unknown, path: string): Generator<Child> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || types.isProxy(value))
    return;
  if (types.isMap(value) || types.isSet(value)) {
    let index = 0;
    const children: Iterable<unknown> = types.isMap(value)
      ? Map.prototype.values.call(value)
      : Set.prototype.values.call(value);
    for (const child of children) yield { name: `${path}[${index++}]`, read: () => child };
    return;
  }
  for (const key of Object.keys(value)) {
    const name = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    yield { name, read: () => (value as Readonly<Record<string, unknown>>)[key] };
  }
}
