import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { errorText } from '../../pipeline/base/error-text.js';
import { isTimeZone, PLAIN_SHAPES, type Port } from '../../pipeline/model/index.js';

/** Checks of an expression's tree that the type checker of the language does not perform. */

/** An invalid expression: position and suggestion. */
export class ExpressionFault extends Error {
  readonly span: { readonly start: number; readonly length: number };
  readonly suggestion: string | undefined;

  constructor(message: string, start: number, end: number, suggestion?: string) {
    super(message);
    this.span = { start, length: end - start };
    this.suggestion = suggestion;
  }
}

export interface CelFault {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

const MAX_NESTED_LISTS = 2;

/** Same length as `has`, so that positions stay. */
export const TYPED_HAS = '_h_';

/**
 * The same expression with a call instead of each `has`, which CEL does not check: a misspelt field would
 * just be absent.
 */
export function withTypedHas(text: string, ast: ASTNode): string {
  let typed = text;
  for (const { op, args, start } of nodesOf(ast))
    if (op === 'call' && (args as CallOfFunction)[0] === 'has')
      typed = typed.slice(0, start) + TYPED_HAS + typed.slice(start + TYPED_HAS.length);
  return typed;
}

/** Literal times are checked before any record arrives. */
export function checkLiterals(text: string, ast: ASTNode, environment: Environment): void {
  for (const { op, args, start, end } of nodesOf(ast)) {
    if (op !== 'call') continue;
    const [name, [first]] = args as CallOfFunction;
    if (!LITERALS.has(name) || (first as PlainNode | undefined)?.op !== 'value') continue;
    try {
      environment.evaluate(text.slice(start, end), {});
    } catch (error) {
      const { summary = errorText(error) } = error as CelFault;
      throw new ExpressionFault(`${summary}; written as ${LITERALS.get(name)}`, start, end);
    }
  }
}

const LITERALS: ReadonlyMap<string, string> = new Map([
  ['timestamp', '`timestamp("2026-01-31T12:00:00Z")`'],
  ['duration', '`duration("1h30m")`'],
]);

type CallOfFunction = readonly [name: string, rest: readonly ASTNode[]];

/** A node and everything below it. */
function nodesOf(ast: ASTNode): readonly PlainNode[] {
  const node = ast as unknown as PlainNode;
  return [node, ...nodesIn(node.args).flatMap(nodesOf)];
}

/**
 * Checks what the type checker accepts.
 * @returns ports of the records that it reads, at most one @throws ExpressionFault
 */
export function inspect(ast: ASTNode): ReadonlySet<Port> {
  const read = new Set<Port>();
  const visit = (node: ASTNode, lists: number): void => {
    const { op, args, start, end } = node as unknown as PlainNode;
    if (op === 'id' && isPort(args)) read.add(args);
    const isMacro = op === 'rcall' && MACROS.has(String((args as readonly unknown[])[0]));
    if (isMacro && lists === MAX_NESTED_LISTS)
      throw new ExpressionFault('nests three loops over lists: at most two are allowed', start, end);
    if (op === 'rcall') checkCall(args as CallArguments, start, end, lists);
    for (const child of nodesIn(args)) visit(child, lists + (isMacro ? 1 : 0));
  };
  visit(ast, 0);
  if (read.size <= 1) return read;
  const { start, end } = ast as unknown as PlainNode;
  const message = `an expression reads one kind of record, but this one reads ${[...read].join(' and ')}`;
  throw new ExpressionFault(message, start, end);
}

export interface PlainNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

export type CallArguments = readonly [method: string, receiver: ASTNode, rest: readonly ASTNode[]];

export const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

const isPort = (name: unknown): name is Port => typeof name === 'string' && Object.hasOwn(PLAIN_SHAPES, name);

export function nodesIn(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(nodesIn);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}

/** Regular expressions can run forever, and a time zone would be checked only at the first record. */
function checkCall([method, , rest]: CallArguments, start: number, end: number, lists: number): void {
  // Each name could be twice the size of the previous one, until memory runs out.
  if (method === 'bind') throw new ExpressionFault('`cel.bind` is not available', start, end);
  if (method === 'split' && lists === MAX_NESTED_LISTS)
    throw new ExpressionFault('`split` is not available in nested lists', start, end);
  if (method === 'matches') {
    const message = '`matches` is not available: use ==, `startsWith`, `endsWith` or `contains`';
    throw new ExpressionFault(message, start, end);
  }
  const [first] = rest as unknown as readonly (PlainNode | undefined)[];
  const isZoned = method.startsWith('get') && first?.op === 'value' && typeof first.args === 'string';
  if (isZoned && !isTimeZone(first.args)) {
    const message = `unknown time zone \`${first.args}\`; names look like \`Europe/Berlin\``;
    throw new ExpressionFault(message, first.start, first.end);
  }
}
