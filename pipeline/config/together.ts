import { claimsOf, clash, type NodeClaim } from './claims.js';
import type { ProblemCode } from './codes.js';
import { readBounded } from './files.js';
import { unheld } from './privacy.js';
import { Problems, type Location, type Problem } from './problem.js';
import type { CheckedTopology } from './topology.js';
import { locationOf, valueAt, type Path } from './tree.js';
import { readYaml } from './yaml.js';

/** What prevents two topologies from running beside each other in one process. */
export interface Collision {
  readonly code: ProblemCode;
  readonly message: string;
  /** Where it stands in the topology that comes second. */
  readonly path: Path;
}

/** What prevents a topology from running beside others: each of these has to have its own. */
export const collisions = (
  topology: CheckedTopology,
  others: readonly CheckedTopology[],
): readonly Collision[] => others.flatMap((other) => collisionsOf(topology, other));

/** A topology that was read from a file, named as problems shall name it. */
interface Loaded {
  readonly file: string;
  readonly topology: CheckedTopology;
}

/**
 * Checks that topologies can run beside each other, and that all can keep what the first one, the main one, promises
 * people; each problem stands in the file of the later one.
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
    message: `the privacy of ${main!.id}, the first topology, holds for all, and ${message}`,
  }));

function collisionsOf(topology: CheckedTopology, other: CheckedTopology): readonly Collision[] {
  // The same file twice shares everything: it is enough to say so.
  if (topology.file !== null && topology.file === other.file)
    return [{ code: 'config.together.id', message: 'this file is given twice', path: ['id'] }];
  const found: Collision[] = [];
  const { settings, environments } = topology;
  if (topology.id === other.id)
    found.push({
      code: 'config.together.id',
      message: `\`${other.id}\` is the id of another topology already`,
      path: ['id'],
    });
  const sensed = new Set(other.environments.map(({ id }) => id));
  environments.forEach(({ id }, index) => {
    if (!sensed.has(id)) return;
    found.push({
      code: 'config.together.environment',
      message: `the environment \`${id}\` is sensed by the topology ${other.id} already`,
      path: ['environments', index],
    });
  });
  if (settings.stateFolder === other.settings.stateFolder)
    found.push({
      code: 'config.together.state_folder',
      message: `the topology ${other.id} stores its state in ${settings.stateFolder} already: give ${topology.id} another settings.state_folder`,
      path: ['settings', 'state_folder'],
    });
  const taken = new Map<string, NodeClaim[]>();
  for (const claim of allClaims(other)) taken.set(claim.what, [...(taken.get(claim.what) ?? []), claim]);
  for (const claim of allClaims(topology)) {
    const first = taken.get(claim.what)?.find((one) => clash(claim, one));
    if (!first) continue;
    found.push({
      code: 'config.claim.taken',
      message: `${claim.what} is taken by \`${first.node}\` of the topology ${other.id} already`,
      path: claim.path,
    });
  }
  return found;
}

const allClaims = ({ nodes, folder }: CheckedTopology): readonly NodeClaim[] =>
  nodes.flatMap((node) => claimsOf(node, folder));

/** Where values stand in a file; its beginning where it cannot be read any more. */
function locationsIn(file: string): (path: Path) => Location {
  const start: Location = { file, line: 1, column: 1, length: 1 };
  const unread = new Problems();
  const text = readBounded(file, file, unread);
  const root = text === undefined ? undefined : readYaml(text, file, unread);
  if (!root) return () => start;
  const single = valueAt(root, ['environment']);
  return (path) => (single && path[0] === 'environments' ? single.location : locationOf(root, path, start));
}
