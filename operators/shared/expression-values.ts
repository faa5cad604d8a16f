import type { ASTNode } from '@marcbachmann/cel-js';
import { nearest } from '../../pipeline/base/nearest.js';
import { RECORD_SCHEMAS, RESULT_PORTS, type ResultPort } from '../../pipeline/model/index.js';
import { ExpressionFault, MACROS, nodesIn, type CallArguments, type PlainNode } from './expression-tree.js';
import { capital, RECORD_TYPES } from './record-views.js';

/** Literals that a field of a record can never equal, by the values that the schema of the records lists. */

/** Values by the type of the record or map, then by field. */
const VALUES = new Map<string, Map<string, readonly string[]>>();

interface Schema {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

for (const port of RESULT_PORTS) collect(RECORD_TYPES.of[port], RECORD_SCHEMAS[port] as Schema);

/** Types are named as `record-views.ts` names them; plain records have the fields of the provenance themselves. */
function collect(type: string, { properties = {} }: Schema): void {
  for (const [property, schema] of Object.entries(properties)) {
    const field = property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const words = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
    const texts = words.filter((word) => typeof word === 'string');
    if (texts.length > 0)
      VALUES.set(type, (VALUES.get(type) ?? new Map<string, readonly string[]>()).set(field, texts));
    const inner = `${type}${capital(field)}`;
    if (schema.items) collect(`${inner}Entry`, schema.items);
    for (const map of [schema, ...(schema.anyOf ?? [])]) collect(field === 'provenance' ? type : inner, map);
  }
}

/** Types of the variables in reach. */
type Variables = ReadonlyMap<string, string>;

/**
 * Compares no field with a text that it never has: `event.type == "fall"`.
 * @throws ExpressionFault
 */
export function checkValues(ast: ASTNode, latest: ResultPort | undefined): void {
  const variables = new Map<string, string>(RESULT_PORTS.map((port) => [port, RECORD_TYPES.of[port]]));
  if (latest) variables.set('latest', RECORD_TYPES.of[latest]);
  visit(ast, variables);
}

function visit(ast: ASTNode, variables: Variables): void {
  const { op, args } = ast as unknown as PlainNode;
  if (op === 'rcall') {
    const [method, receiver, rest] = args as CallArguments;
    visit(receiver, variables);
    const inner = MACROS.has(method) ? withElement(receiver, rest[0], variables) : variables;
    for (const one of rest) visit(one, inner);
    return;
  }
  if (op === '==' || op === '!=') {
    const [left, right] = args as readonly [ASTNode, ASTNode];
    requirePossible(left, right, variables);
    requirePossible(right, left, variables);
  }
  if (op === 'in') {
    const [field, list] = args as readonly [ASTNode, ASTNode];
    const { op: kind, args: items } = list as unknown as PlainNode;
    if (kind === 'list')
      for (const item of items as readonly ASTNode[]) requirePossible(field, item, variables);
  }
  for (const child of nodesIn(args)) visit(child, variables);
}

/** The variables within a loop over `list`. */
function withElement(list: ASTNode, variable: ASTNode | undefined, variables: Variables): Variables {
  const inner = new Map(variables);
  const { op, args } = (variable ?? list) as unknown as PlainNode;
  if (op === 'id') inner.set(args as string, elementOf(typeOf(list, variables)));
  return inner;
}

const elementOf = (type: string): string => /^list<(.+)>$/.exec(type)?.[1] ?? '';

/** The type of a part of a record; empty for anything else. */
function typeOf(ast: ASTNode, variables: Variables): string {
  const { op, args } = ast as unknown as PlainNode;
  if (op === 'id') return variables.get(args as string) ?? '';
  if (op === '[]') return elementOf(typeOf((args as readonly ASTNode[])[0]!, variables));
  if (op === 'rcall') {
    const [method, receiver] = args as CallArguments;
    return method === 'filter' ? typeOf(receiver, variables) : '';
  }
  if (op !== '.') return '';
  const [receiver, field] = args as readonly [ASTNode, string];
  const type = typeOf(receiver, variables);
  return RECORD_TYPES.all.find(({ name }) => name === type)?.fields[field] ?? '';
}

function requirePossible(ast: ASTNode, literal: ASTNode, variables: Variables): void {
  const { op, args } = ast as unknown as PlainNode;
  const { op: kind, args: written, start, end } = literal as unknown as PlainNode;
  if (op !== '.' || kind !== 'value' || typeof written !== 'string') return;
  const [receiver, field] = args as readonly [ASTNode, string];
  const values = VALUES.get(typeOf(receiver, variables))?.get(field);
  if (!values || values.includes(written)) return;
  throw new ExpressionFault(
    `\`${field}\` is never ${JSON.stringify(written)}: it is one of ${values.join(', ')}`,
    // Without its quotes, as the suggestion is.
    start + 1,
    end - 1,
    nearest(written, values) ??
      (written === '' ? undefined : values.find((value) => value.startsWith(written))),
  );
}
