import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import { ApiError } from '../../service/errors.js';

/** @throws ApiError 404 for an unknown id. */
export function topologyOf({ topologies }: Pick<Deployment, 'topologies'>, id: string): RunningTopology {
  const found = topologies.find(id);
  if (found) return found;
  const known = topologies.list().map(({ topology }) => topology.id);
  throw new ApiError('RESOURCE_NOT_FOUND', `No topology has the id ${id}; available: ${known.join(', ')}`);
}

/** A conflict with the state of a topology. */
export const conflict = (message: string, state: string): ApiError =>
  new ApiError('RESOURCE_CONFLICT', message, { details: { state } });
