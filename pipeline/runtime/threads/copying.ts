/** The code of records that cannot be copied to another thread. */
export const NOT_COPIED = 'thread.not_copied';

/**
 * What of a value a structured clone cannot copy, such as ``a function in `details.send` ``; null: nothing. Slow: it
 * copies the value several times.
 */
export function notCopied(value: unknown, path = ''): string | null {
  const kinds: Readonly<Record<string, string>> = { function: 'a function', symbol: 'a symbol' };
  return find(value, path, new Set(), kinds);
}

function find(
  value: unknown,
  path: string,
  seen: Set<unknown>,
  kinds: Readonly<Record<string, string>>,
): string | null {
  if (isCopied(value) || seen.has(value)) return null;
  seen.add(value);
  for (const [name, child] of childrenOf(value, path)) {
    const found = find(child, name, seen, kinds);
    if (found !== null) return found;
  }
  const what = kinds[typeof value] ?? `an object of class ${(value as object).constructor.name}`;
  return path === '' ? what : `${what} in \`${path}\``;
}

function isCopied(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function* childrenOf(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (value instanceof Map || value instanceof Set) {
    let index = 0;
    for (const child of value.values()) yield [`${path}[${index++}]`, child];
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    if (Array.isArray(value)) yield [`${path}[${key}]`, child];
    else yield [path === '' ? key : `${path}.${key}`, child];
  }
}
