import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import type { CheckedTopology } from '../../pipeline/config/index.js';
import type { Environment } from '../../pipeline/model/index.js';
import { recordedEnvironment } from '../accuracy/chain/rooms.js';

/** A topology in its only environment, or in another one. @throws CommandError if it has several */
export function inEnvironment(topology: CheckedTopology, environment: Environment | null): CheckedTopology {
  const sources = topology.nodes.filter(({ component }) => component.kind === 'source');
  if (sources.length !== 1)
    throw new CommandError(
      `${topology.id} has ${sources.length} sources: name a topology with one, which recordings can take the place of`,
      EXIT.invalid,
    );
  if (environment) return { ...topology, environments: [environment] };
  if (topology.environments.length === 1) return topology;
  throw new CommandError(
    `${topology.id} has ${topology.environments.length} environments: name the file of the recordings' own with --environment`,
    EXIT.invalid,
  );
}

/** A topology in its own environment if that has one link, otherwise in a room whose one link is of any sender. */
export function recordedIn(topology: CheckedTopology): CheckedTopology {
  const [environment, ...others] = topology.environments;
  const isOwn = others.length === 0 && environment?.links.length === 1;
  return inEnvironment(topology, isOwn ? environment : recordedEnvironment());
}
