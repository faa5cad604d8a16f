import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { errorText } from '../../pipeline/base/error-text.js';
import { isTimeZone, RESULT_PORTS, type ResultPort } from '../../pipeline/model/index.js';

/** Checks of an expression's tree that the type checker of the language does not make. */

/** An expression that is wrong: where, and what may have been meant. */
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

/** As long as `has`, so that positions stay. */
export const TYPED_HAS = '_h_';

/** The same expression with a call in the place of each `has`, which CEL does not check: a misspelt field is never there. */
export function withTypedHas(text: string, ast: ASTNode): string {
  let typed = text;
  for (const { op, args, start } of nodesOf(ast))
    if (op === 'call' && (args as CallOfFunction)[0] === 'has')
      typed = typed.slice(0, start) + TYPED_HAS + typed.slice(start + TYPED_HAS.length);
  return typed;
}

/** Times that are written out are right or wrong before any record comes. */
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

/** A node and all that it is made of. */
function nodesOf(ast: ASTNode): readonly PlainNode[] {
  const node = ast as unknown as PlainNode;
  return [node, ...nodesIn(node.args).flatMap(nodesOf)];
}

/**
 * What the type checker lets through.
 * @returns ports of the records that it reads, one at most @throws ExpressionFault
 */
export function inspect(ast: ASTNode): ReadonlySet<ResultPort> {
  const read = new Set<ResultPort>();
  const visit = (node: ASTNode, lists: number): void => {
    const { op, args, start, end } = node as unknown as PlainNode;
    if (op === 'id' && isPort(args)) read.add(args);
    const isMacro = op === 'rcall' && MACROS.has(String((args as readonly unknown[])[0]));
    if (isMacro && lists === MAX_NESTED_LISTS)
      throw new ExpressionFault(
        'goes through lists three times, one within or after the other: twice at most',
        start,
        end,
      );
    if (op === 'rcall') checkCall(args as CallArguments, start, end, lists);
    for (const child of nodesIn(args)) visit(child, lists + (isMacro ? 1 : 0));
  };
  visit(ast, 0);
  if (read.size <= 1) return read;
  const { start, end } = ast as unknown as PlainNode;
  const message = `an expression reads one kind of record, but this one reads ${[...read].join(' and ')}`;
  throw new ExpressionFault(message, start, end);
}

interface PlainNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

type CallArguments = readonly [method: string, receiver: ASTNode, rest: readonly ASTNode[]];

const MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

const isPort = (name: unknown): name is ResultPort => RESULT_PORTS.some((port) => port === name);

function nodesIn(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(nodesIn);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}

/** Regular expressions can take for ever, and a time zone is looked up only when a record comes. */
function checkCall([method, , rest]: CallArguments, start: number, end: number, lists: number): void {
  // Each name could stand for twice what the one before does: as long as memory lasts.
  if (method === 'bind') throw new ExpressionFault('`cel.bind` is not available', start, end);
  if (method === 'split' && lists === MAX_NESTED_LISTS)
    throw new ExpressionFault('`split` is not available in a list within a list', start, end);
  if (method === 'matches') {
    const message = '`matches` is not available: compare with ==, `startsWith`, `endsWith` or `contains`';
    throw new ExpressionFault(message, start, end);
  }
  const [first] = rest as unknown as readonly (PlainNode | undefined)[];
  const isZoned = method.startsWith('get') && first?.op === 'value' && typeof first.args === 'string';
  if (isZoned && !isTimeZone(first.args)) {
    const message = `there is no time zone \`${first.args}\`; names are as \`Europe/Berlin\``;
    throw new ExpressionFault(message, first.start, first.end);
  }
}
