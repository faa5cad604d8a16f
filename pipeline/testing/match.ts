import { isComparison, type Comparison, type Pattern } from '../config/index.js';
import { isRecord } from '../base/is-record.js';

/** Where a value differs from a pattern. */
export interface Difference {
  /** `persons[0].posture`; empty for the whole. */
  readonly path: string;
  /** The expected value, in words. */
  readonly expected: string;
  /** The actual value; undefined if there is none. */
  readonly received: unknown;
}

export const matches = (value: unknown, pattern: unknown): boolean =>
  differences(value, pattern).length === 0;

/** All differences between `value` and `pattern`; empty if it matches. */
export function differences(value: unknown, pattern: unknown, path = ''): readonly Difference[] {
  if (Array.isArray(pattern)) return listDifferences(value, pattern, path);
  if (!isRecord(pattern))
    return value === pattern ? [] : [{ path, expected: JSON.stringify(pattern), received: value }];
  if (isComparison(Object.keys(pattern)) && !ownsAny(value, pattern)) {
    return Object.entries(pattern).flatMap(([word, operand]) =>
      compare(word as Comparison, value, operand, path),
    );
  }
  if (!isRecord(value)) return [{ path, expected: JSON.stringify(pattern), received: value }];
  return Object.entries(pattern).flatMap(([field, inner]) =>
    differences(
      Object.hasOwn(value, field) ? value[field] : undefined,
      inner,
      path === '' ? field : `${path}.${field}`,
    ),
  );
}

/** The nearest of `values` to `pattern`; undefined if there are none. */
export function nearestTo<T>(
  values: readonly T[],
  pattern: Pattern,
): { readonly value: T; readonly index: number; readonly differences: readonly Difference[] } | undefined {
  let best: { value: T; index: number; differences: readonly Difference[]; far: number } | undefined;
  values.forEach((value, index) => {
    const found = differences(value, pattern);
    const far = found.length + found.reduce((sum, difference) => sum + distance(difference), 0) / 1e3;
    if (!best || far < best.far) best = { value, index, differences: found, far };
  });
  return best;
}

function listDifferences(value: unknown, pattern: readonly unknown[], path: string): readonly Difference[] {
  if (!Array.isArray(value) || value.length !== pattern.length)
    return [{ path, expected: `a list like ${JSON.stringify(pattern)}`, received: value }];
  return pattern.flatMap((inner, index) => differences(value[index], inner, `${path}[${index}]`));
}

function compare(word: Comparison, value: unknown, operand: unknown, path: string): readonly Difference[] {
  const must = (holds: boolean, expected: string): readonly Difference[] =>
    holds ? [] : [{ path, expected, received: value }];
  switch (word) {
    case 'between': {
      const [low, high] = operand as readonly [number, number];
      return must(typeof value === 'number' && value >= low && value <= high, `from ${low} to ${high}`);
    }
    case 'at_least':
      return must(typeof value === 'number' && value >= (operand as number), `at least ${String(operand)}`);
    case 'at_most':
      return must(typeof value === 'number' && value <= (operand as number), `at most ${String(operand)}`);
    case 'one_of': {
      const choices = operand as readonly unknown[];
      return must(
        choices.some((choice) => matches(value, choice)),
        `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`,
      );
    }
    case 'matches':
      return must(
        typeof value === 'string' && new RegExp(operand as string, 'u').test(value),
        `a text that matches ${String(operand)}`,
      );
    case 'not':
      return must(!matches(value, operand), `not ${JSON.stringify(operand)}`);
    case 'size': {
      const size = sizeOf(value);
      if (size === undefined) return must(false, `${JSON.stringify(operand)} entries`);
      return differences(size, operand, `size of ${path}`);
    }
    case 'any':
      return anyDifferences(value, operand, path);
    case 'all': {
      if (!Array.isArray(value))
        return must(false, `a list whose entries are all like ${JSON.stringify(operand)}`);
      return value.flatMap((entry, index) => differences(entry, operand, `${path}[${index}]`));
    }
  }
}

/** The differences of the nearest entry. */
function anyDifferences(value: unknown, operand: unknown, path: string): readonly Difference[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const each = entries.map((entry, index) => differences(entry, operand, `${path}[${index}]`));
  const [best] = [...each].sort((a, b) => a.length - b.length);
  return (
    best ?? [{ path, expected: `a list with an entry like ${JSON.stringify(operand)}`, received: value }]
  );
}

function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value) || typeof value === 'string') return value.length;
  return isRecord(value) ? Object.keys(value).length : undefined;
}

/** A map with one of the words as a field is compared field by field. */
const ownsAny = (value: unknown, pattern: Readonly<Record<string, unknown>>): boolean =>
  isRecord(value) && Object.keys(pattern).some((field) => Object.hasOwn(value, field));

/** How far numbers are apart, from 0 to 1; 2 if one is missing: with equally many differences, the smaller one is nearer. */
function distance({ expected, received }: Difference): number {
  if (received === undefined) return 2;
  const number = Number(/-?\d+(\.\d+)?/.exec(expected)?.[0] ?? NaN);
  if (typeof received !== 'number' || Number.isNaN(number)) return 1;
  const away = Math.abs(received - number);
  return away / (1 + away);
}
