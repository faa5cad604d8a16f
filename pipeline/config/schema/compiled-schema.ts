import { Ajv, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { jsonSchema, type JsonSchema } from './json-schema.js';

const ajv = ajvWith({ allErrors: true });
/** For large values: there can be as many errors as parts. */
let ajvForLarge: Ajv | undefined;
/** Knows what a schema may contain. */
let ajvOfSchemas: Ajv | undefined;
/** Up to this many parts, all errors of a value are collected. */
export const MAX_PARTS = 5_000;

function ajvWith(options: Options): Ajv {
  const made = new Ajv({
    ...{ strict: true, allowUnionTypes: true, verbose: true, useDefaults: true },
    // The conformance kit does that. At each start it takes 6 % of the processor time of `csiflow validate`.
    ...{ validateSchema: false, meta: false },
    ...options,
    // A schema checks only a few values: optimizing its code takes ajv longer than that saves.
    code: { optimize: false },
  });
  addFormats.default(made);
  const files = ['filePath', 'scriptFile', 'inputFile', 'filePattern', 'awaitedWith'];
  made.addVocabulary(['markdownEnumDescriptions', ...files, 'commandLine', 'x-expected']);
  return made;
}

interface Compiled {
  readonly schema: JsonSchema;
  readonly validate: ValidateFunction;
  /** The same, but it stops at the first error. */
  readonly validateLarge: () => ValidateFunction;
}

export const compiled = new WeakMap<object, Compiled>();

/** A schema compiles once. @throws Error if ajv's strict mode rejects the schema. */
export function compileSchema(schema: object): Compiled {
  const known = compiled.get(schema);
  if (known) return known;
  const json = jsonSchema(schema);
  let large: ValidateFunction | undefined;
  const fresh: Compiled = {
    schema: json,
    validate: ajv.compile(json),
    validateLarge: () => (large ??= (ajvForLarge ??= ajvWith({ allErrors: false })).compile(json)),
  };
  compiled.set(schema, fresh);
  return fresh;
}

/** @throws Error if a schema is not JSON Schema, with the keyword that is wrong */
export function requireSchema(schema: object): void {
  ajvOfSchemas ??= ajvWith({ meta: true });
  void ajvOfSchemas.validateSchema(jsonSchema(schema), true);
}
