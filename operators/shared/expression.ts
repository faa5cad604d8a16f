import { Environment, type ParseResult } from '@marcbachmann/cel-js';
import { errorText } from '../../pipeline/base/error-text.js';
import type { Complaint } from '../../pipeline/component/index.js';
import {
  plainResult,
  RESULT_PORTS,
  type Data,
  type PlainRecord,
  type Port,
  type ResultPort,
} from '../../pipeline/model/index.js';
import { checkLiterals, ExpressionFault, inspect, TYPED_HAS, withTypedHas } from './expression-tree.js';
import { checkValues } from './expression-values.js';
import { faultOf, SAMPLES, type Scope } from './expression-fault.js';
import { RECORD_TYPES, viewOf } from './record-views.js';

export { ExpressionFault };
export type { Scope };

/**
 * Expressions over records, in the Common Expression Language (CEL, https://cel.dev): no loops, no side
 * effects, types are checked before anything runs. A record is a variable with the name of its port (`event`,
 * `measure`, `pose`), with the fields that `csiflow test` and `csiflow tap` show. Numbers of records are
 * `double`; whole numbers may be mixed with them.
 */
export interface Expression<Of extends Value = Value> {
  /** The port of the record that it reads; null if it reads none. */
  readonly port: ResultPort | null;
  /** @throws Error if a field is absent, or values of unknown type do not fit. */
  evaluate(record: Data<ResultPort>, beside?: Beside): Of;
}

export type Value = string | number | boolean | Date | null;

/**
 * Result types of expressions. A number is accepted as a text. A subject is a text or null, a key a scalar or
 * null, like many fields of records.
 */
export type Wanted = keyof Values;

interface Values {
  readonly boolean: boolean;
  readonly number: number;
  readonly text: string;
  readonly subject: string | null;
  readonly time: Date;
  readonly scalar: Scalar;
  readonly key: Scalar | null;
}

type Scalar = string | number | boolean;

/** Additional variables. */
export interface Beside {
  /** The latest record of another stream. */
  readonly latest?: Data<ResultPort>;
  /** A row of a table. */
  readonly row?: Readonly<Record<string, unknown>>;
}

/** Limit of an expression, characters. */
export const MAX_EXPRESSION = 2000;

/** Small enough that no expression takes a noticeable time: nested lists are evaluated element by element. */
const LIMITS = {
  maxAstNodes: 500,
  maxDepth: 32,
  maxListElements: 64,
  maxMapEntries: 16,
  maxCallArguments: 8,
};

/** @throws ExpressionFault */
export const compileExpression = <W extends Wanted>(
  text: string,
  wanted: W,
  scope: Scope = {},
): Expression<Values[W]> => compiled(text, wanted, scope);

function compiled<W extends Wanted>(text: string, wanted: W, scope: Scope): Compiled<W> {
  const environment = environmentOf(scope);
  const checked = environment.check(text);
  if (!checked.valid) throw faultOf(text, checked.error, scope);
  const parsed = environment.parse(text);
  const read = inspect(parsed.ast);
  const asked = environment.check(withTypedHas(text, parsed.ast));
  if (!asked.valid) throw faultOf(text, asked.error, scope);
  checkLiterals(text, parsed.ast, environment);
  checkValues(parsed.ast, scope.latest);
  requireType(text, checked.type ?? 'dyn', wanted);
  // Without `samples` no other port is a variable.
  return new Compiled(text, parsed, ([...read][0] ?? null) as ResultPort | null, wanted);
}

/**
 * Whether a record is one that an expression asks for, of any port: those of other ports are not.
 * @throws ExpressionFault
 */
export function compileRecordFilter(text: string): (record: PlainRecord) => boolean {
  const expression = compiled(text, 'boolean', { samples: true });
  const port: Port | null = expression.port;
  return (record) => (port === null || record.port === port) && expression.ofPlain(record);
}

/** Faults of a configuration's expressions, each at its field. */
export function expressionComplaints(
  fields: readonly (readonly [path: Complaint['path'], text: string | undefined, wanted: Wanted])[],
  scope: Scope = {},
): readonly Complaint[] {
  return fields.flatMap(([path, text, wanted]) => {
    if (text === undefined) return [];
    try {
      compileExpression(text, wanted, scope);
      return [];
    } catch (error) {
      if (!(error instanceof ExpressionFault)) throw error;
      const { message, span, suggestion } = error;
      return [{ path, message, span, code: 'config.expression', ...(suggestion && { suggestion }) }];
    }
  });
}

class Compiled<W extends Wanted> implements Expression<Values[W]> {
  readonly port: ResultPort | null;
  readonly #text: string;
  readonly #parsed: ParseResult;
  readonly #wanted: W;

  constructor(text: string, parsed: ParseResult, port: ResultPort | null, wanted: W) {
    this.port = port;
    this.#text = text;
    this.#parsed = parsed;
    this.#wanted = wanted;
  }

  evaluate(record: Data<ResultPort>, { latest, row }: Beside = {}): Values[W] {
    return this.ofPlain(plainResult(record), { ...(latest && { latest }), ...(row && { row }) });
  }

  ofPlain(record: PlainRecord, { latest, row }: Beside = {}): Values[W] {
    const variables: Record<string, unknown> = { [record.port]: viewOf(record.port, record) };
    if (latest) variables['latest'] = viewOf(latest.port, plainResult(latest));
    if (row) variables['row'] = row;
    const plain = plainOf(this.#run(variables));
    const value = READ[this.#wanted](plain);
    if (value === undefined)
      throw new Error(
        `the expression returned ${shown(plain)} instead of ${NAMES[this.#wanted]}, in \`${this.#shown}\``,
      );
    return value;
  }

  #run(variables: Readonly<Record<string, unknown>>): unknown {
    try {
      return this.#parsed(variables);
    } catch (error) {
      throw new Error(`${reasonOf(error)}, in \`${this.#shown}\``, { cause: error });
    }
  }

  get #shown(): string {
    return this.#text.length > SHOWN ? `${this.#text.slice(0, SHOWN - 3)}...` : this.#text;
  }
}

/** Converts whole numbers to numbers; the language wraps unsigned ones in an object. */
function plainOf(value: unknown): unknown {
  const inner: unknown = value === null || value === undefined ? value : value.valueOf();
  return typeof inner === 'bigint' ? Number(inner) : value;
}

/** Characters of an expression that the reason of a failure shows. */
const SHOWN = 80;

/** The failure of a record, in words that help to fix the expression. */
function reasonOf(error: unknown): string {
  const { summary = errorText(error) } = error as { readonly summary?: string };
  const missing = /^No such key: (\w+)$/.exec(summary)?.[1];
  if (missing !== undefined) return `the record has no \`${missing}\`; test \`has(...)\` first`;
  const hint = summary.includes('null') ? '; test `!= null` first' : '';
  return `${summary}${hint}`;
}

const NAMES: Readonly<Record<Wanted, string>> = {
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
  time: 'a time',
  scalar: 'a text, a number, or true or false',
  subject: 'a text',
  key: 'a text, a number, or true or false',
};

const scalarOf = (value: unknown): Scalar | undefined =>
  typeof value === 'string' || typeof value === 'boolean' ? value : numberOf(value);
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const textOf = (value: unknown): string | undefined => {
  const scalar = scalarOf(value);
  return scalar === undefined ? undefined : String(scalar);
};

/** The value of each type; undefined if a result is of another one. */
const READ: { readonly [W in Wanted]: (value: unknown) => Values[W] | undefined } = {
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  number: numberOf,
  text: textOf,
  subject: (value) => (value === null ? null : textOf(value)),
  time: (value) => (value instanceof Date && Number.isFinite(value.getTime()) ? value : undefined),
  scalar: scalarOf,
  key: (value) => (value === null ? null : scalarOf(value)),
};

const shown = (value: unknown): string =>
  value === null || typeof value !== 'object' ? String(value) : Array.isArray(value) ? 'a list' : 'a map';

// ------------------------------------------------------------------- types

const environments = new Map<string, Environment>();

function environmentOf({ latest, row, samples }: Scope): Environment {
  const key = `${latest ?? ''} ${row ?? ''} ${samples ?? ''}`;
  const known = environments.get(key);
  if (known) return known;
  const made = new Environment({ limits: LIMITS, homogeneousAggregateLiterals: false });
  for (const { name, constructor, fields } of RECORD_TYPES.all)
    made.registerType(name, { ctor: constructor, fields });
  for (const port of [...RESULT_PORTS, ...(samples ? SAMPLES : [])])
    made.registerVariable(port, RECORD_TYPES.of[port]);
  if (latest) made.registerVariable('latest', RECORD_TYPES.of[latest]);
  if (row) made.registerVariable('row', 'map<string, dyn>');
  for (const [sign, work] of ARITHMETIC) {
    made.registerOperator(`double ${sign} int: double`, work);
    made.registerOperator(`int ${sign} double: double`, work);
  }
  made.registerOperator('double == int: bool', (a: number, b: bigint) => a === Number(b));
  // Makes the argument of `has` visible to the type checker, like in any other call. See `withTypedHas`.
  made.registerFunction(`${TYPED_HAS}(dyn): bool`, () => true);
  environments.set(key, made);
  return made;
}

/** CEL has no arithmetic between its two number types; people write `measure.value * 60`. */
const ARITHMETIC: readonly (readonly [string, (a: number | bigint, b: number | bigint) => number])[] = [
  ['+', (a, b) => Number(a) + Number(b)],
  ['-', (a, b) => Number(a) - Number(b)],
  ['*', (a, b) => Number(a) * Number(b)],
  ['/', (a, b) => Number(a) / Number(b)],
];

const RESULTS: Readonly<Record<Wanted, readonly string[]>> = {
  boolean: ['bool'],
  number: ['double', 'int', 'uint'],
  text: ['string', 'double', 'int', 'uint', 'bool'],
  time: ['google.protobuf.Timestamp'],
  scalar: ['string', 'double', 'int', 'uint', 'bool'],
  subject: ['string', 'double', 'int', 'uint', 'bool', 'null'],
  key: ['string', 'double', 'int', 'uint', 'bool', 'null'],
};

function requireType(text: string, type: string, wanted: Wanted): void {
  if (type === 'dyn' || RESULTS[wanted].includes(type)) return;
  const what = RECORD_TYPES.words.get(type) ?? type;
  throw new ExpressionFault(
    `the expression returns ${what}, but must return ${NAMES[wanted]}`,
    0,
    text.length,
  );
}

/** Ports of the records that expressions read; invalid expressions are skipped, because their check reports them. */
export function portsRead(texts: readonly (string | undefined)[], scope: Scope = {}): readonly ResultPort[] {
  const read = texts.flatMap((text) => {
    if (text === undefined) return [];
    try {
      return [...inspect(environmentOf(scope).parse(text).ast)].filter((port) =>
        RESULT_PORTS.some((known) => known === port),
      ) as ResultPort[];
    } catch {
      return [];
    }
  });
  return [...new Set(read)];
}
