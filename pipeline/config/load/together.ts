import { claimsOf, clash, type NodeClaim } from '../graph/claims.js';
import type { ProblemCode } from '../problems/codes.js';
import { readBounded } from '../reading/files.js';
import { unheld } from '../graph/privacy.js';
import { Problems, type Location, type Problem } from '../problems/problem.js';
import type { CheckedTopology } from '../topology/topology.js';
import { locationOf, valueAt, type Path } from '../reading/tree.js';
import { readYaml } from '../reading/yaml.js';

/** Why two topologies cannot run together in one process. */
export interface Collision {
  readonly code: ProblemCode;
  readonly message: string;
  /** Its location in the later topology. */
  readonly path: Path;
}

/** Why a topology cannot run beside others: each of these must be unique. */
export const collisions = (
  topology: CheckedTopology,
  others: readonly CheckedTopology[],
): readonly Collision[] => others.flatMap((other) => collisionsOf(topology, other));

/** A topology from a file, with the file's name in problems. */
interface Loaded {
  readonly file: string;
  readonly topology: CheckedTopology;
}

/**
 * Checks that topologies can run together, and that all can keep the promises of the first one, the main one;
 * each problem is located in the later file.
 */
export function checkTogether(loaded: readonly Loaded[]): readonly Problem[] {
  const problems = new Problems();
  loaded.forEach(({ file, topology }, index) => {
    const before = loaded.slice(0, index).map((one) => one.topology);
    const found = [...collisions(topology, before), ...brokenPromises(topology, before[0])];
    if (found.length === 0) return;
    const at = locationsIn(file);
    for (const { code, message, path } of found) problems.add(code, at(path), message);
  });
  return problems.list();
}

const brokenPromises = (topology: CheckedTopology, main: CheckedTopology | undefined): readonly Collision[] =>
  (main ? unheld(main, topology) : []).map(({ message, ...fault }) => ({
    ...fault,
    message: `the privacy of ${main!.id}, the first topology, applies to all, and ${message}`,
  }));

function collisionsOf(topology: CheckedTopology, other: CheckedTopology): readonly Collision[] {
  // The same file twice shares everything: one problem is enough.
  if (topology.file !== null && topology.file === other.file)
    return [{ code: 'config.together.id', message: 'this file is given twice', path: ['id'] }];
  const found: Collision[] = [];
  const { settings, environments } = topology;
  if (topology.id === other.id)
    found.push({
      code: 'config.together.id',
      message: `\`${other.id}\` is already the id of another topology`,
      path: ['id'],
    });
  const sensed = new Set(other.environments.map(({ id }) => id));
  environments.forEach(({ id }, index) => {
    if (!sensed.has(id)) return;
    found.push({
      code: 'config.together.environment',
      message: `the environment \`${id}\` is already sensed by the topology ${other.id}`,
      path: ['environments', index],
    });
  });
  if (settings.stateFolder === other.settings.stateFolder)
    found.push({
      code: 'config.together.state_folder',
      message: `the topology ${other.id} already stores its state in ${settings.stateFolder}: set a different settings.state_folder in ${topology.id}`,
      path: ['settings', 'state_folder'],
    });
  const taken = new Map<string, NodeClaim[]>();
  for (const claim of allClaims(other)) taken.set(claim.what, [...(taken.get(claim.what) ?? []), claim]);
  for (const claim of allClaims(topology)) {
    const first = taken.get(claim.what)?.find((one) => clash(claim, one));
    if (!first) continue;
    found.push({
      code: 'config.claim.taken',
      message: `${claim.what} is already used by \`${first.node}\` of the topology ${other.id}`,
      path: claim.path,
    });
  }
  return found;
}

const allClaims = ({ nodes, folder }: CheckedTopology): readonly NodeClaim[] =>
  nodes.flatMap((node) => claimsOf(node, folder));

/** Locations of values in a file; its beginning if the file is no longer readable. */
function locationsIn(file: string): (path: Path) => Location {
  const start: Location = { file, line: 1, column: 1, length: 1 };
  const unread = new Problems();
  const text = readBounded(file, file, unread);
  const root = text === undefined ? undefined : readYaml(text, file, unread);
  if (!root) return () => start;
  const single = valueAt(root, ['environment']);
  return (path) => (single && path[0] === 'environments' ? single.location : locationOf(root, path, start));
}
