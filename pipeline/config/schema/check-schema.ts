import type { ErrorObject } from 'ajv';
import type { Component } from '../../component/index.js';
import { ID_PATTERN } from './topology-schema.js';
import { describeRange, describeType, type JsonSchema } from './json-schema.js';
import { nearest } from '../../base/nearest.js';
import type { Finding, Location, Problems } from '../problems/problem.js';
import {
  asWritten,
  keyLocationOf,
  locationOf,
  plain,
  valueAt,
  type Path,
  type Tree,
} from '../reading/tree.js';
import { plainSchema, schemaErrors } from './schema-errors.js';
import { coerce } from './coerce.js';
import { withUnit, fixType, describeForm, sentence } from './schema-words.js';

/** The context of a check. */
export interface Subject {
  /** In messages: `udp`, `the topology`. */
  readonly name: string;
  /** Location for errors that have no more precise one. */
  readonly location: Location;
  readonly component?: Component | undefined;
  /** Fields allowed beside those of the schema, for suggestions. */
  readonly beside?: readonly string[] | undefined;
}

/** Up to this many parts, all errors of a value are collected. */
const MAX_PARTS = 5_000;

/**
 * Checks `tree` by a schema. Text with substituted variables is read as the number, boolean or null that the
 * schema requires.
 * @returns the value with defaults filled in, or undefined if there were errors.
 */
export function checkSchema(tree: Tree, schema: object, subject: Subject, problems: Problems): unknown {
  const read = coerce(tree, plainSchema(schema));
  const value = plain(read);
  const found = schemaErrors(value, schema, tree.size > MAX_PARTS ? 'first' : 'all');
  if (found.length === 0) return value;
  const reporter = new Reporter(read, subject, problems);
  const errors = innermost(found);
  // Unknown fields first: a misspelled field explains a missing one.
  for (const error of errors) if (error.keyword === 'additionalProperties') reporter.report(error);
  for (const error of errors) if (error.keyword !== 'additionalProperties') reporter.report(error);
  return undefined;
}

/** The errors of the branch of a union that was meant, or the union's own if that is unclear. */
function innermost(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf' || error.keyword === 'oneOf');
  const dropped = new Set<ErrorObject>();
  for (const union of unions) {
    const inner = errors.filter((error) => error.schemaPath.startsWith(`${union.schemaPath}/`));
    const branchOf = (error: ErrorObject) =>
      error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0];
    // A branch whose own type does not match was not intended.
    const wrongType = new Set(
      inner
        .filter((error) => error.keyword === 'type' && error.instancePath === union.instancePath)
        .map(branchOf),
    );
    const meant = [...new Set(inner.map(branchOf))].filter((branch) => !wrongType.has(branch));
    if (meant.length === 1) dropped.add(union);
    for (const error of inner) if (meant.length !== 1 || branchOf(error) !== meant[0]) dropped.add(error);
  }
  // A value of the wrong type is not one of the words either.
  const wrongType = new Set(
    errors.filter((error) => error.keyword === 'type').map((error) => error.instancePath),
  );
  return errors.filter(
    (error) => !dropped.has(error) && !(error.keyword === 'enum' && wrongType.has(error.instancePath)),
  );
}

class Reporter {
  readonly #tree: Tree;
  readonly #subject: Subject;
  readonly #problems: Problems;
  /** Required fields that a misspelled one explains: not reported as missing too. */
  readonly #meant = new Set<string>();

  constructor(tree: Tree, subject: Subject, problems: Problems) {
    this.#tree = tree;
    this.#subject = subject;
    this.#problems = problems;
  }

  report(error: ErrorObject): void {
    const path = steps(error.instancePath);
    const at = valueAt(this.#tree, path);
    if (at?.kind === 'scalar' && at.broken) return;
    const schema = error.parentSchema as JsonSchema;
    const params = error.params as Readonly<Record<string, unknown>>;
    switch (error.keyword) {
      case 'additionalProperties':
        this.#unknown(path, String(params['additionalProperty']), schema);
        return;
      case 'required':
        this.#missing(path, String(params['missingProperty']), schema);
        return;
      case 'type':
      case 'anyOf':
      case 'oneOf':
        this.#type(path, schema);
        return;
      case 'enum':
      case 'const':
        this.#choice(path, schema);
        return;
      case 'minimum':
      case 'maximum':
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
      case 'multipleOf':
        this.#range(path, schema);
        return;
      case 'minItems':
      case 'maxItems':
        this.#say(
          'config.list.length',
          path,
          `must be ${describeType(schema)}, but has ${at?.kind === 'list' ? at.items.length : 0}`,
        );
        return;
      case 'uniqueItems':
        this.#say('config.list.length', path, 'holds the same value twice');
        return;
      case 'minProperties':
        this.#say('config.field.missing', path, 'is empty');
        return;
      case 'pattern':
        this.#pattern(path, schema);
        return;
      case 'format':
      case 'minLength':
      case 'maxLength':
        this.#say('config.value.format', path, `is ${this.#shown(path)}, but ${describeForm(error, schema)}`);
        return;
      default:
        this.#say('config.value.invalid', path, error.message ?? 'is not valid');
    }
  }

  #say(code: Parameters<Problems['add']>[0], path: Path, text: string, finding: Finding = {}): void {
    const field = label(path);
    const message = field === '' ? `${this.#subject.name} ${text}` : `\`${field}\` ${text}`;
    this.#problems.add(code, this.#at(path), message, { component: this.#subject.component, ...finding });
  }

  #at(path: Path): Location {
    return path.length === 0 ? this.#subject.location : locationOf(this.#tree, path, this.#subject.location);
  }

  #unknown(path: Path, name: string, schema: JsonSchema): void {
    const known = [
      ...Object.keys(schema.properties ?? {}),
      ...(path.length === 0 ? (this.#subject.beside ?? []) : []),
    ];
    const location = keyLocationOf(this.#tree, [...path, name], this.#subject.location);
    const value = valueAt(this.#tree, [...path, name]);
    const fix = value && withUnit(name, value, known);
    const near = fix?.field ?? nearest(name, known);
    if (near !== undefined) this.#meant.add(label([...path, near]));
    const where = path.length === 0 ? this.#subject.name : `\`${label(path)}\``;
    const { component } = this.#subject;
    if (fix) {
      const message = `${where} has no field \`${name}\`; the unit is in the name: \`${fix.field}\``;
      this.#problems.add('config.field.unit', location, message, { component, suggestion: fix.text });
    } else {
      const choices =
        near === undefined && known.length > 0 ? `; known: ${known.slice(0, 12).join(', ')}` : '';
      const message = `${where} has no field \`${name}\`${choices}`;
      this.#problems.add('config.field.unknown', location, message, { component, suggestion: near });
    }
  }

  #missing(path: Path, name: string, schema: JsonSchema): void {
    if (this.#meant.has(label([...path, name]))) return;
    const location =
      path.length === 0 ? this.#subject.location : keyLocationOf(this.#tree, path, this.#subject.location);
    const where = path.length === 0 ? this.#subject.name : `\`${label(path)}\``;
    const part = schema.properties?.[name];
    const what = part?.description === undefined ? '' : `: ${sentence(part.description)}`;
    const message = `${where} needs the field \`${name}\`${what}`;
    this.#problems.add('config.field.missing', location, message, { component: this.#subject.component });
  }

  #type(path: Path, schema: JsonSchema): void {
    const tree = valueAt(this.#tree, path);
    const field = path.at(-1);
    const fix = tree && field !== undefined ? fixType(tree, schema, String(field)) : undefined;
    const text = `must be ${describeType(schema)}, but is ${this.#shown(path)}`;
    this.#say(fix?.unit === true ? 'config.value.unit' : 'config.value.type', path, text, {
      suggestion: fix?.text,
    });
  }

  #choice(path: Path, schema: JsonSchema): void {
    const words = (schema.enum ?? [schema.const]).map(String);
    const tree = valueAt(this.#tree, path);
    const written = tree?.kind === 'scalar' && tree.origin === undefined ? String(tree.value) : '';
    const text = `must be one of ${words.join(', ')}, but is ${this.#shown(path)}`;
    this.#say('config.value.choice', path, text, { suggestion: nearest(written, words) });
  }

  #range(path: Path, schema: JsonSchema): void {
    const text = `must be a number ${describeRange(schema)}, but is ${this.#shown(path)}`;
    // The nearest bound is no suggestion: nobody who wrote port 70000 meant 65535.
    this.#say('config.value.range', path, text);
  }

  #pattern(path: Path, schema: JsonSchema): void {
    const id = schema.pattern === ID_PATTERN;
    const form = id
      ? 'must be a letter, then at most 63 letters, digits, `_` and `-`'
      : ((schema['x-expected'] as string | undefined) ?? `must match ${schema.pattern ?? ''}`);
    this.#say(id ? 'config.id.invalid' : 'config.value.format', path, `is ${this.#shown(path)}, but ${form}`);
  }

  /** The value as a message can show it: short, and without secrets. */
  #shown(path: Path): string {
    const tree = valueAt(this.#tree, path);
    if (!tree) return 'missing';
    if (tree.kind !== 'scalar') return tree.kind === 'list' ? 'a list' : 'a map of fields';
    if (tree.origin === 'secret') return 'a secret that does not fit';
    if (tree.value === null) return tree.text === '' ? 'empty' : 'null';
    if (typeof tree.value !== 'string') return String(tree.value);
    const text = tree.origin ? asWritten(tree) : tree.value;
    const short = text.length > 60 ? `${text.slice(0, 57)}...` : text;
    return `the text ${JSON.stringify(short)}`;
  }
}

/** A JSON pointer as path. */
const steps = (pointer: string): Path =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `queue.capacity`, `links[2].id`. */
export const label = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (/^\d+$/.test(String(step))) return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${step}`;
  }, '');
