import { Composer, CST, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml';
import type { Document, Node, ParsedNode, YAMLError } from 'yaml';
import type { ProblemCode } from '../problems/codes.js';
import type { Location, Problems } from '../problems/problem.js';
import type { Field, MapTree, ScalarTree, Tree } from './tree.js';

const DEEPEST = 64;
const MAX_VALUES = 100_000;
const MAX_ANCHORS = 10_000;

/**
 * YAML 1.2 (core schema) with merge keys into a tree with locations. Problems go to `problems`. Nesting is
 * limited, and so is the number of values with all aliases expanded.
 * @returns undefined if the text as a whole cannot be used.
 */
export function readYaml(text: string, file: string, problems: Problems): Tree | undefined {
  const lines = linesOf(text);
  const location = (start: number, end: number): Location => {
    const from = Math.max(0, Math.min(start, text.length));
    const { line, col } = lines.linePos(from);
    const shown = text.slice(from, Math.max(from, end)).split(/\r?\n/, 1)[0] ?? '';
    return {
      file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      length: Math.max(1, shown.trimEnd().length),
    };
  };
  const tokens = readTokens(text);
  if (!Array.isArray(tokens)) {
    const { code, message, offset } = tokens;
    problems.add(code, location(offset, offset + 1), message);
    return undefined;
  }
  // Our own check of keys: the library's compares each key with all others.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  const [document, second] = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  if (!document) return undefined;
  for (const error of withoutCascade(document.errors)) reportSyntax(error, text, location, problems);
  for (const warning of document.warnings) {
    problems.add('config.yaml.tag', location(...warning.pos), firstLine(warning.message));
  }
  if (second) {
    const at = second.range[0];
    problems.add(
      'config.yaml.documents',
      location(at, at + 3),
      'a second YAML document begins here; one file is one topology',
    );
  }
  if (document.errors.length > 0) return undefined;
  if (!document.contents || (isScalar(document.contents) && document.contents.value === null)) {
    problems.add('config.file.empty', location(0, 1), 'the file is empty');
    return undefined;
  }
  return new TreeBuilder(text, location, problems).build(document.contents);
}

/** The starts of all lines: the reading may end early at a limit. */
function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}

interface TooMuch {
  readonly code: ProblemCode;
  readonly message: string;
  readonly offset: number;
}

/**
 * Tokens of the text, or the limit that it exceeds: checked before the costly steps, which also protects
 * recursions.
 */
function readTokens(text: string): CST.Token[] | TooMuch {
  const lexemes = readLexemes(text);
  if (!Array.isArray(lexemes)) return lexemes;
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let offset = 0;
  for (const lexeme of lexemes) {
    tokens.push(...parser.next(lexeme));
    // A value that begins here is one level deeper than the open ones.
    if (parser.stack.length + 1 > DEEPEST)
      return { code: 'config.yaml.too_deep', message: `values are nested more than ${DEEPEST} deep`, offset };
    offset += lengthOf(lexeme);
  }
  tokens.push(...parser.end());
  return tokens;
}

/** The words and marks of the text, or the limit that they exceed, before the parser takes most of the time. */
function readLexemes(text: string): string[] | TooMuch {
  const lexemes: string[] = [];
  let [values, anchors, offset] = [0, 0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme);
    if (type === 'anchor' || type === 'alias') anchors++;
    if (type !== 'space' && type !== 'comment') values++;
    const message = tooMany(values, anchors);
    if (message !== undefined) return { code: 'config.yaml.too_large', message, offset };
    lexemes.push(lexeme);
    offset += lengthOf(lexeme);
  }
  return lexemes;
}

/** Marks of the lexer between the words are not in the text. */
const lengthOf = (lexeme: string): number =>
  lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END || lexeme === CST.SCALAR ? 0 : lexeme.length;

function tooMany(values: number, anchors: number): string | undefined {
  if (anchors > MAX_ANCHORS) return `more than ${MAX_ANCHORS} anchors and aliases`;
  // A value comes with a key, a colon and a line break.
  return values > 4 * MAX_VALUES ? `more than ${4 * MAX_VALUES} words and marks` : undefined;
}

/** After one invalid token or indentation the parser reports errors for all that follow: the first is enough. */
function withoutCascade(errors: readonly YAMLError[]): readonly YAMLError[] {
  const token = errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN');
  const indent = errors.findIndex(({ code }) => code === 'BAD_INDENT' || code === 'TAB_AS_INDENT');
  return errors.filter(
    ({ code }, index) =>
      (code !== 'UNEXPECTED_TOKEN' || index === token) && (code !== 'BAD_INDENT' || index === indent),
  );
}

function reportSyntax(
  error: YAMLError,
  text: string,
  location: (start: number, end: number) => Location,
  problems: Problems,
): void {
  const variable = /(?=\$\{)(?:\$\{[^{}\n]*\}?|[^,[\]{}\n])+/y;
  const start = Math.max(0, error.pos[0] - 1);
  variable.lastIndex = start;
  const rest = variable.exec(text)?.[0].trimEnd();
  if (rest !== undefined) {
    const message = 'within `{ }` and `[ ]` a value with `${...}` needs quotes';
    const begin = valueBefore(text, start);
    const value = `${begin}${rest}`;
    problems.add('config.variable.unquoted', location(start - begin.length, start + rest.length), message, {
      suggestion: `"${value}"`,
    });
    return;
  }
  const code = error.code === 'MULTIPLE_DOCS' ? 'config.yaml.documents' : 'config.yaml.syntax';
  const message = firstLine(error.message);
  problems.add(code, location(...error.pos), message.charAt(0).toLowerCase() + message.slice(1));
}

/** What precedes a position in the same unquoted value of `{ }` or `[ ]`. */
const valueBefore = (text: string, end: number): string =>
  text
    .slice(text.lastIndexOf('\n', end - 1) + 1, end)
    .split(/[,[\]{}]|:\s/)
    .at(-1)!
    .trimStart();

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;

class TreeBuilder {
  readonly #text: string;
  readonly #location: (start: number, end: number) => Location;
  readonly #problems: Problems;
  /** Complete values only: a value that contains itself finds no anchor. */
  readonly #anchors = new Map<string, Tree>();
  #full = false;

  constructor(text: string, location: (start: number, end: number) => Location, problems: Problems) {
    this.#text = text;
    this.#location = location;
    this.#problems = problems;
  }

  /** Undefined if the tree became too large. */
  build(root: ParsedNode): Tree | undefined {
    const tree = this.#node(root, this.#location(0, 1));
    return this.#full ? undefined : tree;
  }

  #node(node: Node | null | undefined, around: Location): Tree {
    if (!node) return this.#null(around);
    const location = node.range ? this.#location(node.range[0], node.range[1]) : around;
    if (isAlias(node)) return this.#alias(node.source, location);
    const tree = this.#value(node, location);
    if ('anchor' in node && typeof node.anchor === 'string') this.#anchors.set(node.anchor, tree);
    return tree;
  }

  #value(node: Node, location: Location): Tree {
    if (isMap(node)) return this.#map(node.items, location);
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#node(item as Node | null, location));
      return { kind: 'list', location, items, size: this.#size(items, location) };
    }
    if (!isScalar(node)) return this.#null(location);
    const text = node.range ? this.#text.slice(node.range[0], node.range[1]) : '';
    const { value } = node;
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return { kind: 'scalar', location, size: 1, value: known ? value : null, text };
  }

  #map(items: readonly { key: unknown; value: unknown }[], location: Location): Tree {
    const fields = new Map<string, Field>();
    const merged: Tree[] = [];
    for (const item of items) {
      const key = item.key as Node | null;
      const keyLocation = key?.range ? this.#location(key.range[0], key.range[1]) : location;
      const value = this.#node(item.value as Node | null, keyLocation);
      const name = this.#key(key, keyLocation);
      if (name === undefined) continue;
      if (name === '<<') merged.push(...this.#mergedMaps(value));
      else this.#set(fields, name, { location: keyLocation, value });
    }
    for (const map of merged) {
      if (map.kind !== 'map') continue;
      for (const [name, field] of map.fields) if (!fields.has(name)) fields.set(name, field);
    }
    return {
      kind: 'map',
      location,
      fields,
      size: this.#size(
        [...fields.values()].map((field) => field.value),
        location,
      ),
    };
  }

  #key(key: Node | null, location: Location): string | undefined {
    if (!key) {
      this.#problems.add('config.yaml.key', location, 'a key is missing before the colon');
      return undefined;
    }
    if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
    this.#problems.add('config.yaml.key', location, 'a key must be a word, not a list, a map or an alias');
    return undefined;
  }

  #set(fields: Map<string, Field>, name: string, field: Field): void {
    const first = fields.get(name);
    if (!first) fields.set(name, field);
    else {
      const message = `\`${name}\` is here twice, first in line ${first.location.line}`;
      this.#problems.add('config.key.duplicate', field.location, message);
    }
  }

  #mergedMaps(value: Tree): readonly Tree[] {
    const maps = value.kind === 'list' ? value.items : [value];
    for (const map of maps) {
      if (map.kind === 'map') continue;
      this.#problems.add(
        'config.yaml.merge',
        map.location,
        '`<<` requires a map, an alias of a map, or a list of these',
      );
    }
    return maps.filter((map): map is MapTree => map.kind === 'map');
  }

  #alias(name: string, location: Location): Tree {
    const target = this.#anchors.get(name);
    if (target) return target;
    const nearest =
      this.#anchors.size === 0
        ? 'there is none yet'
        : `known: ${[...this.#anchors.keys()].slice(0, 10).join(', ')}`;
    this.#problems.add(
      'config.yaml.alias',
      location,
      `no anchor \`&${name}\` is complete above this alias; ${nearest}`,
    );
    return { ...this.#null(location), broken: true };
  }

  #null(location: Location): ScalarTree {
    return { kind: 'scalar', location, size: 1, value: null, text: '' };
  }

  #size(children: readonly Tree[], location: Location): number {
    const size = children.reduce((sum, tree) => sum + tree.size, 1);
    if (size <= MAX_VALUES) return size;
    if (!this.#full) {
      const message = `with its aliases expanded this has more than ${MAX_VALUES.toLocaleString('en')} values`;
      this.#problems.add('config.yaml.too_large', location, message);
    }
    this.#full = true;
    return MAX_VALUES;
  }
}
