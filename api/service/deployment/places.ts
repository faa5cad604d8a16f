import type { LiveFeed, Reader } from '../../../pipeline/component/index.js';
import type { Environment, PoseFrame } from '../../../pipeline/model/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { ApiError } from '../errors.js';
import type { Deployment } from './deployment.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/** An environment, and the topology that senses it: its store, its live results and its state answer for it. */
export interface Place {
  readonly environment: Environment;
  readonly running: RunningTopology;
}

/** All environments of the deployment, those of the main topology first. No two have the same id. */
export const placesOf = ({ topologies }: Pick<Deployment, 'topologies'>): readonly Place[] =>
  topologies
    .list()
    .flatMap((running) => running.topology.environments.map((environment) => ({ environment, running })));

/**
 * The place that a call is about: the named one of any topology, else the one of the main topology that the
 * configuration names.
 * @throws ApiError 404 for an unknown id
 */
export function placeOf(deployment: Deployment, id: string | undefined): Place {
  const wanted = id ?? deployment.configuration.environment;
  for (const running of deployment.topologies.list()) {
    const environment = running.topology.environments.find((one) => one.id === wanted);
    if (environment) return { environment, running };
  }
  const known = placesOf(deployment).map(({ environment }) => environment.id);
  throw new ApiError(
    'RESOURCE_NOT_FOUND',
    `No environment is named ${wanted}; there are ${known.join(', ')}`,
  );
}

/**
 * The store that history is read from, for a call: it stops working once nobody waits for it. It is there while the
 * topology is stopped, too. @throws ApiError 503 while there is none
 */
export const readerOf = async (
  running: RunningTopology,
  { signal }: { readonly signal: AbortSignal },
): Promise<Reader> => (await storeOf(running)).until(signal);

/** The same for all calls. @throws ApiError 503 while there is none. */
export async function storeOf(running: RunningTopology): Promise<Reader> {
  const [reader] = (await storesOf(running)).values();
  if (reader) return reader;
  throw notReady(running, 'No store is open');
}

/** All of them, by node. @throws ApiError 503 where there are some and none can be opened */
export async function storesOf(running: RunningTopology): Promise<ReadonlyMap<string, Reader>> {
  try {
    return await running.openReaders();
  } catch (error) {
    throw notReady(running, `The store cannot be opened (${errorText(error)})`);
  }
}

/** The newest pose frame since the start. @throws ApiError 503 where nothing tells of it */
export async function latestPose({ environment, running }: Place): Promise<PoseFrame | undefined> {
  const off = running.topology.nodes.filter(({ enabled }) => enabled === false).map(({ id }) => id);
  const [feed] = [...running.feeds].filter(([node]) => !off.includes(node));
  if (feed || running.readers.size === 0) return (feed?.[1] ?? feedOf(running)).latest(environment.id);
  const stored = await (await storeOf(running)).latestPose(environment.id);
  return stored && stored.time >= (running.status().startedAt ?? 0) ? stored : undefined;
}

/** The live results. @throws ApiError 503 while there are none. */
function feedOf(running: RunningTopology): LiveFeed {
  const [feed] = running.feeds.values();
  if (feed) return feed;
  throw notReady(running, 'No websocket sink is open');
}

/** @throws ApiError 503 unless the topology runs. */
export function requireRunning(running: RunningTopology): void {
  if (running.state !== 'running' && running.state !== 'degraded')
    throw notReady(running, 'The system is not initialized');
}

const notReady = (running: RunningTopology, what: string): ApiError =>
  new ApiError('SYSTEM_NOT_READY', `${what}: the topology ${running.topology.id} is ${running.state}`, {
    headers: { 'Retry-After': '5' },
  });
