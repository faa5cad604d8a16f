import { Type, type TArray, type TEnum, type TSchema, type TSchemaOptions, type TString } from 'typebox';

/**
 * One of several words, each with its meaning. Use it instead of a union of literals: a wrong word then
 * produces one error with the nearest right word, and docs and editors show what each word does.
 *
 * `method: choice({ hampel: 'Median of a window.', off: 'Nothing.' }, { default: 'hampel', description: '...'
 * })`
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
 * A file or folder of the host, relative to the folder of the topology. Use it for every such field:
 * topologies that arrive over the network may name files in that folder only, and this marks the fields to
 * check.
 */
export const filePath = (options: TSchemaOptions & { readonly description: string }): TString =>
  Type.String({ minLength: 1, ...options, filePath: true });

/**
 * A {@link filePath} whose code csiflow runs. Topologies that arrive over the network may name only scripts
 * that the owner's files name too.
 */
export const scriptFile = (options: TSchemaOptions & { readonly description: string }): TString =>
  filePath({ ...options, scriptFile: true });

/**
 * A {@link filePath} that is read at startup: validation warns if the file does not exist. With `orName`, a
 * text of lower-case letters, digits and hyphens is a name and not a path.
 */
export const inputFile = (
  options: TSchemaOptions & { readonly description: string; readonly orName?: true },
): TString => filePath({ ...options, inputFile: true });

/**
 * The field `ca` of a component that connects by TLS.
 * @param whose the certificate that the authority signed: `server`
 */
export const authorityFile = (whose: string) =>
  Type.Optional(
    inputFile({
      description: `PEM file of the authority that signed the ${whose}'s certificate, if the system does not know it. Relative to the folder of the topology.`,
    }),
  );

/**
 * An {@link inputFile} that may be a pattern (`recordings/*.pcap`): it names all files that match.
 * `awaitedWith`: field beside it that, where it is true, lets the files appear after the start.
 */
export const inputFiles = (
  options: TSchemaOptions & { readonly description: string; readonly awaitedWith?: string },
): TString => inputFile({ ...options, filePattern: true });

/**
 * A program of the host to run, and its arguments. Use it for every such field: topologies that arrive over
 * the network may name only programs that the owner's files name too, and this marks the fields to check.
 */
export const commandLine = (options: TSchemaOptions & { readonly description: string }): TArray<TString> =>
  Type.Array(Type.String({ description: 'A word of it.' }), {
    minItems: 1,
    maxItems: 256,
    ...options,
    commandLine: true,
  });

/** Marks, for the compiler, a field that every configuration must have. */
export interface RequiredField {
  readonly '~required': true;
}

const requiredFields = new WeakSet<object>();

/**
 * A field without a default, which every configuration must have. A topology in TypeScript that omits it does not
 * compile; YAML is checked by the schema alone.
 *
 * `path: required(filePath({ description: '...' }))`
 * @throws Error if the field has a default
 */
export function required<S extends TSchema>(schema: S): S & RequiredField {
  if ('default' in schema) throw new Error('a field with a default is not required');
  requiredFields.add(schema);
  return schema as S & RequiredField;
}

/** Whether `required` has marked this field. */
export const isRequired = (schema: object): boolean => requiredFields.has(schema);
