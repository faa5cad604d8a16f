import { isAlias, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from 'yaml';
import type { CST, Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { flow } from './flow.js';
import { isRecord } from '../../../../pipeline/base/is-record.js';

type Path = readonly (string | number)[];
type Items = readonly unknown[];
type Fields = Readonly<Record<string, unknown>>;

/** Text to put in place of the characters from `start` to `end`. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The YAML of `next`, made from that of `before` by changing nothing but the values that differ: comments,
 * order, line breaks and spaces stay. Items of lists are the same if they are the same object.
 * @throws Error if a value that differs cannot be changed where it is written, such as one from a merge key
 */
export function edited(text: string, before: object, next: object): string {
  const edit = new Edit(text);
  edit.map([], before as Fields, next as Fields);
  return edit.done();
}

/** The structure is changed step by step, each in a new reading of the text; scalars all at the end. */
class Edit {
  #text: string;
  #document: Document.Parsed;
  readonly #scalars: { readonly path: Path; readonly value: unknown }[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#document = read(text);
  }

  map(path: Path, before: Fields, next: Fields): void {
    for (const key of Object.keys(before)) if (next[key] === undefined) this.#remove(path, key);
    for (const [key, value] of Object.entries(next)) {
      if (value === undefined) continue;
      if (Object.hasOwn(before, key)) this.#value([...path, key], before[key], value);
      else this.#step(pairAdded(this.#text, this.#find(path) as YAMLMap, key, value));
    }
  }

  #value(path: Path, before: unknown, next: unknown): void {
    if (before === next || JSON.stringify(before) === JSON.stringify(next)) return;
    const node = this.#find(path);
    if (isMap(node) && isRecord(before) && isRecord(next)) this.map(path, before, next);
    else if (isSeq(node) && Array.isArray(before) && Array.isArray(next)) this.#list(path, before, next);
    else this.#scalars.push({ path, value: next });
  }

  #list(path: Path, before: Items, next: Items): void {
    const now = [...before];
    while (now.length > next.length) {
      const index = firstDifference(now, next);
      this.#remove(path, index);
      now.splice(index, 1);
    }
    while (now.length < next.length) {
      const index = firstDifference(now, next);
      const list = this.#find(path);
      if (!isSeq(list)) throw new Error(`\`${path.join('.')}\` is not a list any more`);
      this.#step(itemAdded(this.#text, list, index, next[index], path.length === 1));
      now.splice(index, 0, next[index]);
    }
    now.forEach((item, index) => {
      this.#value([...path, index], item, next[index]);
    });
  }

  #remove(path: Path, key: string | number): void {
    this.#step(removed(this.#text, this.#find(path) as YAMLMap | YAMLSeq, key));
  }

  #find(path: Path): Node {
    let node: unknown = this.#document.contents;
    for (const key of path) {
      const found: unknown = isMap(node) || isSeq(node) ? node.get(key, true) : undefined;
      if (!isNode(found))
        throw new Error(`\`${path.join('.')}\` is not written there: edit the file on the host`);
      node = found;
    }
    return node as Node;
  }

  #step({ start, end, text }: Splice): void {
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
    this.#document = read(this.#text);
  }

  done(): string {
    const splices = this.#scalars.map(({ path, value }) => replaced(this.#text, this.#find(path), value));
    for (const { start, end, text } of splices.sort((one, other) => other.start - one.start))
      this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
    return this.#text;
  }
}

/** @throws Error with the location of the first error */
export function read(text: string): Document.Parsed {
  const document = parseDocument(text, { merge: true, keepSourceTokens: true });
  const [error] = document.errors;
  if (error) throw new Error(error.message.split('\n', 1)[0]);
  return document;
}

/** The first index at which two lists hold different objects, or the end of the shorter one. */
function firstDifference(one: Items, other: Items): number {
  const index = one.findIndex((item, at) => at >= other.length || item !== other[at]);
  return index < 0 ? one.length : index;
}

const rangeOf = (node: Node): readonly [start: number, end: number] => [node.range![0], node.range![1]];

function replaced(text: string, node: Node, value: unknown): Splice {
  const [start, end] = isAlias(node) ? rangeOf(node) : contentOf(text, node);
  const space = start === end && /\S/.test(text[start - 1] ?? ' ') ? ' ' : '';
  return { start, end, text: space + flow(value) };
}

/** Without what follows the last value in it: comments, line breaks, spaces. */
function contentOf(text: string, node: Node): readonly [number, number] {
  const [start, end] = rangeOf(node);
  const last = (isMap(node) || isSeq(node)) && !isFlow(node) ? (node.items as Item[]).at(-1) : undefined;
  return [start, last ? endOf(text, last) : start + text.slice(start, end).trimEnd().length];
}

type Item = Node | Pair<Scalar, Node | null>;

const startOf = (item: Item): number => rangeOf(isPair(item) ? (item as Pair<Scalar>).key : item)[0];

function endOf(text: string, item: Item): number {
  if (!isPair(item)) return contentOf(text, item)[1];
  const { key, value } = item as Pair<Scalar, Node | null>;
  return value?.range ? contentOf(text, value)[1] : rangeOf(key)[1];
}

const isFlow = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow === true;

/** End of the line that contains a position. */
function lineEnd(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end < 0 ? text.length : end - (text[end - 1] === '\r' ? 1 : 0);
}

const lineStart = (text: string, position: number): number => text.lastIndexOf('\n', position - 1) + 1;

/** The `-` of an item of a block list: comments between the two may contain others. */
function dashOf(list: YAMLSeq, index: number): number {
  const token = list.srcToken as CST.BlockSequence;
  return token.items[index]!.start.find(({ type }) => type === 'seq-item-ind')!.offset;
}

function itemAdded(text: string, list: YAMLSeq, index: number, value: unknown, ownLine: boolean): Splice {
  const items = list.items as Node[];
  if (items.length === 0) {
    const [start, end] = rangeOf(list);
    // A list of its own becomes one item a line, as people write it.
    if (!ownLine) return { start, end, text: `[${flow(value)}]` };
    return { start: text.slice(0, start).trimEnd().length, end, text: `\n  - ${flow(value)}` };
  }
  const next = items[index];
  if (isFlow(list)) {
    const at = next ? rangeOf(next)[0] : contentOf(text, items.at(-1)!)[1];
    return { start: at, end: at, text: next ? `${flow(value)}, ` : `, ${flow(value)}` };
  }
  const dash = dashOf(list, next ? index : 0);
  if (next) return { start: dash, end: dash, text: `- ${flow(value)}\n${indentAt(text, dash)}` };
  const at = lineEnd(text, contentOf(text, items.at(-1)!)[1]);
  return { start: at, end: at, text: `\n${indentAt(text, dash)}- ${flow(value)}` };
}

const indentAt = (text: string, position: number): string => ' '.repeat(position - lineStart(text, position));

function pairAdded(text: string, map: YAMLMap, key: string, value: unknown): Splice {
  const pairs = map.items as Pair<Scalar, Node | null>[];
  const last = pairs.at(-1);
  const pair = `${flow(key)}: ${flow(value)}`;
  if (!last) {
    const [start, end] = rangeOf(map);
    return { start, end, text: `{ ${pair} }` };
  }
  const end = endOf(text, last);
  if (isFlow(map)) return { start: end, end, text: `, ${pair}` };
  const at = lineEnd(text, end);
  return { start: at, end: at, text: `\n${indentAt(text, rangeOf(pairs[0]!.key)[0])}${pair}` };
}

function removed(text: string, parent: YAMLMap | YAMLSeq, key: string | number): Splice {
  const items = parent.items as Item[];
  const index = isSeq(parent)
    ? Number(key)
    : items.findIndex((item) => isPair(item) && isScalar(item.key) && item.key.value === key);
  const item = items[index];
  if (!item) throw new Error(`\`${key}\` comes from a merge key: edit the file on the host`);
  if (items.length === 1) {
    const [start, end] = contentOf(text, parent);
    // A list of lines may begin below the first letter of its key, where an empty one may not.
    return { start, end, text: `${isFlow(parent) ? '' : ' '}${isSeq(parent) ? '[]' : '{}'}` };
  }
  if (isFlow(parent)) {
    const [before, after] = [items[index - 1], items[index + 1]];
    return after
      ? { start: startOf(item), end: startOf(after), text: '' }
      : { start: endOf(text, before!), end: endOf(text, item), text: '' };
  }
  const start = isSeq(parent) ? dashOf(parent, index) : startOf(item);
  // The first field of an item in a block list stands behind its dash.
  if (text.slice(lineStart(text, start), start).trim() !== '')
    return { start, end: startOf(items[index + 1]!), text: '' };
  const end = lineEnd(text, endOf(text, item));
  return {
    start: lineStart(text, start),
    end: Math.min(text.length, text.indexOf('\n', end) + 1 || end),
    text: '',
  };
}
