import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesMatching, isFilePattern } from '../../base/file-pattern.js';
import { plainSchema } from '../schema/schema-errors.js';
import { PLAIN_NAME } from '../../base/plain-name.js';
import { checkReach } from '../reading/files.js';
import type { LinkedNode } from './nodes.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { SECTIONS } from './nodes.js';
import type { Problems } from '../problems/problem.js';
import type { Reach } from '../reading/reach.js';
import { asWritten, valueAt, type MapTree, type ScalarTree, type Tree } from '../reading/tree.js';

/**
 * Checks files that nodes and settings name. Files that {@link Reach} does not allow are errors. Missing
 * files that a start reads are warnings, because they may still appear.
 * @returns ids of the nodes whose files may all be read
 */
export function checkFiles(
  root: MapTree,
  nodes: readonly LinkedNode[],
  folder: string,
  reach: Reach | undefined,
  problems: Problems,
): ReadonlySet<string> {
  const open = new Set<string>();
  const isAllowed = (path: string, named: ScalarTree): boolean =>
    !reach || checkReach(path, named, reach, problems);
  const state = stateFolder(root);
  isAllowed(resolve(folder, String(state.value)), state);
  const accounts = valueAt(root, ['settings', 'accounts_folder']);
  if (accounts?.kind === 'scalar') isAllowed(resolve(folder, String(accounts.value)), accounts);
  for (const { draft } of nodes) {
    if (!draft.component) continue;
    const { kind, config } = draft.component;
    const tree = valueAt(root, [SECTIONS[kind], draft.id]);
    if (!tree) continue;
    open.add(draft.id);
    const schema = plainSchema(config);
    checkCommands(tree, schema, folder, reach, problems);
    for (const { named, isScript, isInput, isPattern } of filesIn(tree, schema)) {
      const path = resolve(folder, String(named.value));
      if (isScript) {
        if (!mayRun(path, named, reach, problems)) open.delete(draft.id);
        continue;
      }
      const matching = isPattern && isFilePattern(path);
      // Whether a file exists is reported only for files that may be named.
      const allowed = isAllowed(path, named);
      if (!allowed) open.delete(draft.id);
      if (!allowed || !isInput || named.broken) continue;
      if (matching ? filesMatching(path).length > 0 : existsSync(path)) continue;
      const missing = matching ? 'no file matches it' : 'it does not exist';
      const message = `\`${draft.id}\` reads \`${asWritten(named)}\` at its start, but ${missing}`;
      problems.add('config.file.missing', named.location, message, { severity: 'warning' });
    }
  }
  return open;
}

/** The problem does not reveal whether the file exists. */
function mayRun(path: string, named: ScalarTree, reach: Reach | undefined, problems: Problems): boolean {
  if (!reach || reach.allowsScript(path)) return true;
  const message =
    'a topology that arrives over the network may run only scripts that the files given to csiflow also name';
  problems.add('config.script.not_allowed', named.location, message);
  return false;
}

/** Also if it is the default: its folder may be a link. */
function stateFolder(root: MapTree): ScalarTree {
  const written = valueAt(root, ['settings', 'state_folder']);
  if (written?.kind === 'scalar') return written;
  const { location } = root;
  const value = defaultStateFolder(root);
  return { kind: 'scalar', location: { ...location, length: 1 }, size: 1, value, text: value };
}

/**
 * Programs that a node starts: a topology that arrived over the network may name only those that the owner's
 * files name.
 */
function checkCommands(
  tree: Tree,
  { properties = {} }: JsonSchema,
  folder: string,
  reach: Reach | undefined,
  problems: Problems,
): void {
  if (!reach || tree.kind !== 'map') return;
  for (const [name, schema] of Object.entries(properties)) {
    const value = schema['commandLine'] === true ? tree.fields.get(name)?.value : undefined;
    if (value?.kind !== 'list') continue;
    const words = value.items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''));
    if (reach.allowsCommand(words, folder)) continue;
    const message =
      'a topology that arrives over the network may start only commands that the files given to csiflow also name, word for word';
    problems.add('config.command.not_allowed', value.location, message);
  }
}

interface NamedFile {
  readonly named: ScalarTree;
  /** See `scriptFile`. */
  readonly isScript: boolean;
  /** See `inputFile`: it must be there at the start. */
  readonly isInput: boolean;
  /** See `inputFiles`. */
  readonly isPattern: boolean;
}

/** See `inputFile`. */
const isName = ({ value }: ScalarTree): boolean => PLAIN_NAME.test(String(value));

/** The texts of a tree that its schema marks as paths: see `filePath`. */
function filesIn(tree: Tree, schema: JsonSchema): readonly NamedFile[] {
  if (tree.kind === 'scalar') {
    if (schema['filePath'] !== true || tree.value === null) return [];
    return [
      {
        named: tree,
        isScript: schema['scriptFile'] === true,
        isInput: schema['inputFile'] === true && !(schema['orName'] === true && isName(tree)),
        isPattern: schema['filePattern'] === true,
      },
    ];
  }
  const branches = [schema, ...(schema.anyOf ?? [])];
  if (tree.kind === 'list')
    return branches.flatMap(({ items }) => (items ? tree.items.flatMap((item) => filesIn(item, items)) : []));
  return branches.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, part]) => {
      const field = tree.fields.get(name);
      const awaitedWith = valueAt(tree, [String(part['awaitedWith'])]);
      const isAwaited = awaitedWith?.kind === 'scalar' && awaitedWith.value === true;
      const found = field ? filesIn(field.value, part) : [];
      return isAwaited ? found.map((file) => ({ ...file, isInput: false })) : found;
    }),
  );
}

/** Relative to the folder of the topology. */
export function defaultStateFolder(root: MapTree): string {
  const id = valueAt(root, ['id']);
  return `data/${id?.kind === 'scalar' ? String(id.value) : 'topology'}.state`;
}
