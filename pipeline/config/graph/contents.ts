import { dirname, join, relative } from 'node:path';
import type { ContentComplaint } from '../../component/index.js';
import type { Location, Problems } from '../problems/problem.js';
import { locationOf, valueAt, type MapTree } from '../reading/tree.js';
import { SECTIONS, type LinkedNode } from './nodes.js';

/** Where a topology stands: see `TopologyText`. */
interface Whereabouts {
  readonly shown: string;
  readonly folder: string;
}

/**
 * Checks the code and the models that nodes name.
 * @param open ids of the nodes whose files may be read
 * @returns hashes of the code, by node
 */
export function readContents(
  root: MapTree,
  nodes: readonly LinkedNode[],
  source: Whereabouts,
  open: ReadonlySet<string>,
  problems: Problems,
): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const { draft } of nodes) {
    const { id, component, config } = draft;
    if (!component?.contents || !config || !open.has(id)) continue;
    const { complaints, hash } = component.contents(config as never, source.folder);
    if (hash !== undefined) hashes.set(id, hash);
    const tree = valueAt(root, [SECTIONS[component.kind], id]);
    for (const complaint of complaints) {
      const { message, code = 'config.value.invalid', severity, suggestion } = complaint;
      const named = tree ? locationOf(tree, complaint.path, draft.location) : draft.location;
      problems.addForeign(code, locationIn(complaint, named, source), message, {
        component,
        severity,
        suggestion,
      });
    }
  }
  return hashes;
}

/** The location in the other file, named as the topology is; without one, where the topology names the file. */
function locationIn({ at }: ContentComplaint, named: Location, { shown, folder }: Whereabouts): Location {
  if (!at) return named;
  const { file, line, column } = at;
  return { file: join(dirname(shown), relative(folder, file)), line, column, length: 1 };
}
