import { resolve } from 'node:path';
import { compileSchema } from './check-schema.js';
import { checkReach } from './files.js';
import type { LinkedNode } from './graph.js';
import type { JsonSchema } from './json-schema.js';
import { SECTIONS } from './nodes.js';
import type { Problems } from './problem.js';
import type { Reach } from './reach.js';
import { valueAt, type MapTree, type ScalarTree, type Tree } from './tree.js';

/** Files that nodes and settings name: those that {@link Reach} does not allow become problems. */
export function checkFiles(
  root: MapTree,
  nodes: readonly LinkedNode[],
  folder: string,
  reach: Reach | undefined,
  problems: Problems,
): void {
  if (!reach) return;
  const check = (named: ScalarTree): void => {
    checkReach(resolve(folder, String(named.value)), named, reach, problems);
  };
  check(stateFolder(root));
  for (const { draft } of nodes) {
    if (!draft.component) continue;
    const { kind, config } = draft.component;
    const tree = valueAt(root, [SECTIONS[kind], draft.id]);
    if (tree) for (const named of filesIn(tree, compileSchema(config).schema)) check(named);
  }
}

/** Also where it is the default: its folder may be a link. */
function stateFolder(root: MapTree): ScalarTree {
  const written = valueAt(root, ['settings', 'state_folder']);
  if (written?.kind === 'scalar') return written;
  const { place } = root;
  const value = defaultStateFolder(root);
  return { kind: 'scalar', place: { ...place, length: 1 }, size: 1, value, text: value };
}

/** The texts of a tree that its schema says are paths: see `filePath`. */
function filesIn(tree: Tree, schema: JsonSchema): readonly ScalarTree[] {
  if (tree.kind === 'scalar') return schema['filePath'] === true && tree.value !== null ? [tree] : [];
  const branches = [schema, ...(schema.anyOf ?? [])];
  if (tree.kind === 'list')
    return branches.flatMap(({ items }) => (items ? tree.items.flatMap((item) => filesIn(item, items)) : []));
  return branches.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, part]) => {
      const field = tree.fields.get(name);
      return field ? filesIn(field.value, part) : [];
    }),
  );
}

/** Relative to the folder of the topology. */
export function defaultStateFolder(root: MapTree): string {
  const id = valueAt(root, ['id']);
  return `data/${id?.kind === 'scalar' ? String(id.value) : 'topology'}.state`;
}
