import { Type, type TEnum, type TSchemaOptions } from 'typebox';

/**
 * One of several words, each with what it means. Use it rather than a union of literals: a wrong word
 * then gives one error with the nearest right word, and docs and editors show what each word does.
 *
 * `method: choice({ hampel: 'Median of a window.', off: 'Nothing.' }, { default: 'hampel', description: '...' })`
 */
export function choice<W extends string>(
  words: Readonly<Record<W, string>>,
  options: TSchemaOptions & { readonly default?: NoInfer<W>; readonly description: string },
): TEnum<W[]> {
  const values = Object.keys(words) as W[];
  const meanings = values.map((word) => words[word]);
  return Type.Enum<W[]>(values, { type: 'string', ...options, markdownEnumDescriptions: meanings });
}
