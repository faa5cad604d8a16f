import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { ApiError } from '../../service/errors.js';

/** @throws ApiError 404 for an id that no topology has. */
export function topologyOf({ topologies }: Pick<Deployment, 'topologies'>, id: string): RunningTopology {
  const found = topologies.find(id);
  if (found) return found;
  const known = topologies.list().map(({ topology }) => topology.id);
  throw new ApiError('RESOURCE_NOT_FOUND', `No topology is named ${id}; there is ${known.join(', ')}`);
}

/** What does not fit the state that a topology is in. */
export const conflict = (message: string, state: string): ApiError =>
  new ApiError('RESOURCE_CONFLICT', message, { details: { state } });
