import { BRANCH, Damage, LEAF, OVERFLOW, PAGE_HEAD, Pages, treeAt, type Tree } from './pages.js';

/** Called for each value of a table, with its key as stored in the file. */
export type LookAtValue = (table: string, key: Buffer, value: Buffer) => void;

const NODE_HEAD = 8;
const [BIG, SUB] = [0x01, 0x02];
/** Bytes of the reference to a value on pages of its own: first page, transaction, number of pages. */
const BIG_RECORD = 24;
/** Bytes of a table's record. */
const TREE_RECORD = 48;
/** Used as a table's name for values in the list of tables. */
export const ROOT_TABLE = 'the list of tables';
const FREE_TABLE = 'the list of free pages';

/**
 * Checks every page that the newest snapshot of an lmdb file uses, before the file is mapped into memory:
 * there a damaged or missing page would crash the process or lead to another page's content. It recounts all
 * counts that lmdb stores; each page must have one use, or be free. It yields after each page of a tree, so
 * that a large file can be checked in turns.
 * @throws Damage naming the page and the table
 */
export function* verify(file: string, look: LookAtValue): Generator<void, void> {
  const pages = new Pages(file);
  try {
    yield* new Walk(pages, look).all();
  } catch (error) {
    // An offset outside a page, or outside the range of a number.
    throw error instanceof RangeError ? new Damage(error.message) : error;
  } finally {
    pages.close();
  }
}

interface Counts {
  branches: number;
  leaves: number;
  overflows: number;
  entries: number;
}

/** Keys of a page are between these; null: no bound. */
interface Bounds {
  readonly from: Buffer | null;
  readonly below: Buffer | null;
}

interface Node {
  readonly flags: number;
  readonly key: Buffer;
  /** Length of the value, or for a branch the lower half of a page number. */
  readonly low: number;
  /** Where the content after the key begins. */
  readonly content: number;
}

/** A tree and the path through it. */
interface Table {
  readonly name: string;
  readonly depth: number;
  readonly counts: Counts;
  readonly compare: (a: Buffer, b: Buffer) => number;
  readonly onEntry: (node: Node, page: Buffer) => void;
}

class Walk {
  readonly #pages: Pages;
  readonly #look: LookAtValue;
  /** By page: used, or free. */
  readonly #seen: Uint8Array;

  constructor(pages: Pages, look: LookAtValue) {
    this.#pages = pages;
    this.#look = look;
    this.#seen = new Uint8Array(pages.snapshot.lastPage + 1).fill(1, 0, 2);
  }

  *all(): Generator<void, void> {
    const { main, free } = this.#pages.snapshot;
    const tables: [string, Tree][] = [];
    yield* this.#tree(ROOT_TABLE, main, compareBytes, (node, page) => {
      if (node.flags === SUB) tables.push([nameOf(node), tableOf(node, page)]);
      else this.#look(ROOT_TABLE, node.key, this.#valueOf(node, page, ROOT_TABLE));
    });
    for (const [name, tree] of tables)
      yield* this.#tree(name, tree, compareBytes, (node, page) => {
        this.#look(name, node.key, this.#valueOf(node, page, name));
      });
    yield* this.#tree(FREE_TABLE, free, compareNumbers, (node, page) => {
      this.#freed(this.#valueOf(node, page, FREE_TABLE), node.key);
    });
    const lost = this.#seen.indexOf(0);
    if (lost >= 0) throw new Damage(`page ${lost} is neither used nor free`);
  }

  *#tree(
    name: string,
    tree: Tree,
    compare: Table['compare'],
    onEntry: Table['onEntry'],
  ): Generator<void, void> {
    const counts = { branches: 0, leaves: 0, overflows: 0, entries: 0 };
    const table: Table = {
      name,
      depth: tree.depth,
      counts,
      compare,
      onEntry: (node, page) => {
        counts.entries++;
        if (node.flags & BIG) counts.overflows += Number(page.readBigUInt64LE(node.content + 16));
        onEntry(node, page);
      },
    };
    if (tree.root === null ? tree.depth !== 0 : tree.depth < 1 || tree.depth > 64)
      throw new Damage(`the record of ${name} is damaged`);
    if (tree.root !== null) yield* this.#page(table, tree.root, 1, { from: null, below: null });
    for (const what of ['branches', 'leaves', 'overflows', 'entries'] as const)
      if (counts[what] !== tree[what])
        throw new Damage(`${name} has ${counts[what]} ${what}, where ${tree[what]} were written`);
  }

  *#page(table: Table, number: number, level: number, bounds: Bounds): Generator<void, void> {
    this.#use(number, table.name);
    const page = this.#pages.read(number);
    const isLeaf = level === table.depth;
    this.#checkHead(page, number, isLeaf ? LEAF : BRANCH, table.name);
    const nodes = nodesOf(page, isLeaf, () => this.#damage(number, table.name));
    this.#checkKeys(nodes, isLeaf, bounds, table, number);
    table.counts[isLeaf ? 'leaves' : 'branches']++;
    for (const [index, node] of nodes.entries()) {
      if (isLeaf) table.onEntry(node, page);
      else
        yield* this.#page(table, node.low + node.flags * 2 ** 32, level + 1, {
          from: index === 0 ? bounds.from : node.key,
          below: nodes[index + 1]?.key ?? bounds.below,
        });
    }
    yield;
  }

  /** lmdb ignores the first key of a branch page: that child holds everything below the second key. */
  #checkKeys(
    nodes: readonly Node[],
    isLeaf: boolean,
    { from, below }: Bounds,
    table: Table,
    number: number,
  ): void {
    const keys = (isLeaf ? nodes : nodes.slice(1)).map(({ key }) => key);
    const inOrder = keys.every((key, index) => index === 0 || table.compare(keys[index - 1]!, key) < 0);
    const [first, last] = [keys[0], keys.at(-1)];
    if (
      !inOrder ||
      (from && first && table.compare(from, first) > 0) ||
      (below && last && table.compare(last, below) >= 0)
    )
      throw this.#damage(number, table.name);
  }

  #valueOf(node: Node, page: Buffer, table: string): Buffer {
    if (node.flags === 0) return page.subarray(node.content, node.content + node.low);
    if (node.flags !== BIG) throw new Damage(`a value of ${table} is damaged`);
    const first = Number(page.readBigUInt64LE(node.content));
    const count = Math.floor((PAGE_HEAD - 1 + node.low) / this.#pages.snapshot.pageBytes) + 1;
    if (Number(page.readBigUInt64LE(node.content + 16)) !== count) throw this.#damage(first, table);
    for (let number = first; number < first + count; number++) this.#use(number, table);
    const bytes = this.#pages.read(first, count);
    this.#checkHead(bytes, first, OVERFLOW, table);
    if (bytes.readUInt32LE(20) !== count) throw this.#damage(first, table);
    return bytes.subarray(PAGE_HEAD, PAGE_HEAD + node.low);
  }

  /**
   * A list of free pages: their count, then their numbers; a negative number is the length of the run that
   * starts at the next one.
   */
  #freed(list: Buffer, key: Buffer): void {
    const length = list.length >= 8 ? Number(list.readBigInt64LE(0)) : -1;
    if (
      length < 0 ||
      list.length < (length + 1) * 8 ||
      key.readBigUInt64LE(0) > this.#pages.snapshot.transaction
    )
      throw new Damage(`${FREE_TABLE} is damaged`);
    let count = 1;
    for (let index = 1; index <= length; index++) {
      const number = Number(list.readBigInt64LE(index * 8));
      if (number < 0) count = -number;
      if (number <= 0) continue;
      for (let page = number; page < number + count; page++) this.#use(page, FREE_TABLE);
      count = 1;
    }
  }

  #use(number: number, table: string): void {
    if (this.#seen[number] !== 0) throw this.#damage(number, table);
    this.#seen[number] = 1;
  }

  #checkHead(page: Buffer, number: number, flags: number, table: string): void {
    const isRight =
      page.readBigUInt64LE(0) === BigInt(number) &&
      page.readBigUInt64LE(8) <= this.#pages.snapshot.transaction &&
      page.readUInt16LE(18) === flags;
    if (!isRight) throw this.#damage(number, table);
  }

  #damage(number: number, table: string): Damage {
    return new Damage(`page ${number}, of ${table}, is damaged`);
  }
}

/** lmdb-js terminates the names of tables with a zero. */
const nameOf = ({ key }: Node): string => key.toString('utf8', 0, key.length - 1);

function tableOf(node: Node, page: Buffer): Tree {
  const name = nameOf(node);
  if (node.low !== TREE_RECORD) throw new Damage(`the record of the table ${name} is damaged`);
  const tree = treeAt(page, node.content);
  if (tree.flags !== 0) throw new Damage(`the record of the table ${name} is damaged`);
  return tree;
}

/** Checks the content of a page: its nodes fill it from their lowest offset to its end, without gaps. */
function nodesOf(page: Buffer, isLeaf: boolean, damage: () => Damage): readonly Node[] {
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  const end = page.length - PAGE_HEAD;
  if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > end) throw damage();
  const nodes: Node[] = [];
  let filled = 0;
  for (let offset = 0; offset < lower; offset += 2) {
    const at = page.readUInt16LE(PAGE_HEAD + offset) + PAGE_HEAD;
    if (at < upper + PAGE_HEAD || at + NODE_HEAD > page.length) throw damage();
    const keyBytes = page.readUInt16LE(at + 6);
    const flags = page.readUInt16LE(at + 4);
    const low = page.readUInt32LE(at);
    const content = at + NODE_HEAD + keyBytes;
    const length = NODE_HEAD + keyBytes + (isLeaf ? (flags & BIG ? BIG_RECORD : low) : 0);
    if (at + length > page.length) throw damage();
    nodes.push({ flags, key: page.subarray(at + NODE_HEAD, content), low, content });
    filled += length + (length % 2);
  }
  if (filled !== end - upper) throw damage();
  return nodes;
}

const compareBytes = (a: Buffer, b: Buffer): number => Buffer.compare(a, b);

const compareNumbers = (a: Buffer, b: Buffer): number => {
  if (a.length !== 8 || b.length !== 8) throw new Damage(`${FREE_TABLE} is damaged`);
  const [left, right] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return left < right ? -1 : left > right ? 1 : 0;
};
