import type { Shape } from '../../model/index.js';
import { nearest } from '../../base/nearest.js';
import type { Problems } from '../problems/problem.js';
import type { MapTree, Tree } from '../reading/tree.js';

/**
 * What a record must match: fields by name, each a value to equal, a nested pattern, or a comparison. Unnamed
 * fields are ignored.
 */
export type Pattern = Readonly<Record<string, unknown>>;

/** Words that compare rather than name a field, with their operands. A map of only these is a comparison. */
export const COMPARISONS = {
  between: 'two numbers, the lower first; both are included',
  at_least: 'a number',
  at_most: 'a number',
  one_of: 'a list of values',
  matches: 'a regular expression',
  not: 'a pattern that it must not match',
  size: 'a number of entries, or a comparison of it',
  any: 'a pattern that at least one entry of a list must match',
  all: 'a pattern that every entry of a list must match',
} as const;

export type Comparison = keyof typeof COMPARISONS;

export const isComparison = (fields: readonly string[]): boolean =>
  fields.length > 0 && fields.every((field) => Object.hasOwn(COMPARISONS, field));

/** Checks a pattern against the shapes of records: at least one shape must have each field. */
export function checkPattern(tree: Tree, shapes: readonly Shape[], what: string, problems: Problems): void {
  if (tree.kind === 'scalar') return;
  if (tree.kind === 'list') {
    for (const item of tree.items) checkPattern(item, shapes.flatMap(entryOf), what, problems);
    return;
  }
  const names = [...tree.fields.keys()];
  const fields = fieldsOf(shapes);
  if (isComparison(names) && !names.some((name) => fields.has(name)))
    checkComparison(tree, shapes, what, problems);
  else if (!shapes.includes('any')) checkFields(tree, shapes, what, problems);
}

function checkFields(tree: MapTree, shapes: readonly Shape[], what: string, problems: Problems): void {
  const known = fieldsOf(shapes);
  for (const [name, { location, value }] of tree.fields) {
    const inner = known.get(name);
    if (inner) {
      checkPattern(value, inner, what, problems);
      continue;
    }
    const words = known.size > 0 ? [...known.keys()] : Object.keys(COMPARISONS);
    const suggestion = nearest(name, words);
    const choices = suggestion === undefined ? `; known: ${words.join(', ')}` : '';
    const message =
      known.size > 0
        ? `${what} have no field \`${name}\` here${choices}`
        : `\`${name}\` is not a comparison${choices}`;
    problems.add('config.field.unknown', location, message, { suggestion });
  }
}

function checkComparison(tree: MapTree, shapes: readonly Shape[], what: string, problems: Problems): void {
  for (const [name, { value }] of tree.fields) {
    const word = name as Comparison;
    if (word === 'not') checkPattern(value, shapes, what, problems);
    else if (word === 'any' || word === 'all') checkPattern(value, shapes.flatMap(entryOf), what, problems);
    else if (!takes(word, value)) {
      const message = `\`${word}\` takes ${COMPARISONS[word]}`;
      problems.add('config.test.comparison', value.location, message);
    } else if (word === 'size') checkPattern(value, ['value'], what, problems);
  }
}

/** Whether a comparison accepts that value. */
function takes(word: Comparison, tree: Tree): boolean {
  switch (word) {
    case 'between': {
      const [low, high] = tree.kind === 'list' ? tree.items.map(numberOf) : [];
      const two = tree.kind === 'list' && tree.items.length === 2;
      return two && low !== undefined && high !== undefined && low <= high;
    }
    case 'at_least':
    case 'at_most':
      return numberOf(tree) !== undefined;
    case 'one_of':
      return tree.kind === 'list' && tree.items.length > 0;
    case 'matches':
      return tree.kind === 'scalar' && typeof tree.value === 'string' && isExpression(tree.value);
    case 'size':
      return tree.kind === 'map' || numberOf(tree) !== undefined;
    default:
      return true;
  }
}

const numberOf = (tree: Tree): number | undefined =>
  tree.kind === 'scalar' && typeof tree.value === 'number' ? tree.value : undefined;

function isExpression(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const entryOf = (shape: Shape): readonly Shape[] =>
  shape === 'any' ? ['any'] : Array.isArray(shape) ? [(shape as readonly [Shape])[0]] : [];

/** Fields of all the shapes, each with the shapes that it may have. */
function fieldsOf(shapes: readonly Shape[]): ReadonlyMap<string, readonly Shape[]> {
  const fields = new Map<string, Shape[]>();
  for (const shape of shapes) {
    if (typeof shape === 'string' || Array.isArray(shape)) continue;
    for (const [name, inner] of Object.entries(shape)) fields.set(name, [...(fields.get(name) ?? []), inner]);
  }
  return fields;
}
