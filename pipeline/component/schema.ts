import { Type, type TArray, type TEnum, type TSchemaOptions, type TString } from 'typebox';

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

/**
 * A file or folder of the host, relative to the folder of the topology. Use it for every such field: topologies that
 * come over the network may name files in that folder alone, and this is how they are known.
 */
export const filePath = (options: TSchemaOptions & { readonly description: string }): TString =>
  Type.String({ minLength: 1, ...options, filePath: true });

/** A {@link filePath} that is read at the start: validation warns where nothing is there. */
export const inputFile = (options: TSchemaOptions & { readonly description: string }): TString =>
  filePath({ ...options, inputFile: true });

/**
 * A program of the host that is started, and its arguments. Use it for every such field: topologies that come over the
 * network may not name one that the owner's files do not, and this is how they are known.
 */
export const commandLine = (options: TSchemaOptions & { readonly description: string }): TArray<TString> =>
  Type.Array(Type.String({ description: 'A word of it.' }), {
    minItems: 1,
    maxItems: 256,
    ...options,
    commandLine: true,
  });
