import { isStore, type LiveFeed, type Reader, type Whereabouts } from '../../../pipeline/component/index.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { Environment, PoseFrame } from '../../../pipeline/model/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import type { Clock } from '../../../pipeline/base/clock.js';
import { ApiError } from '../errors.js';
import type { Deployment } from './deployment.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/** An environment, and the topology that senses it, with its store, its live results and its state. */
export interface ServedEnvironment {
  readonly environment: Environment;
  readonly running: RunningTopology;
}

/** Whether poses of a topology reach live clients: `unsent`: no `websocket` reads them; `none`: no node reads any. */
export function posesOf({ nodes }: Pick<CheckedTopology, 'nodes'>): 'sent' | 'unsent' | 'none' {
  const readers = nodes.filter(({ inputs }) => inputs.some(({ ports }) => ports.includes('pose')));
  if (readers.length === 0) return 'none';
  return readers.some(({ component }) => component.name === 'websocket') ? 'sent' : 'unsent';
}

/** Whether a topology keeps its results, so that they can be asked for later. */
export const hasStore = ({ nodes }: Pick<CheckedTopology, 'nodes'>): boolean =>
  nodes.some(({ component, config }) => isStore(component, config));

/** Parts of a deployment that say which environments there are. */
export type Sensing = 'configuration' | 'topologies' | 'clock';

/** All environments of the deployment, those of the main topology first, with unique ids. */
export const environmentsOf = ({
  topologies,
}: Pick<Deployment, 'topologies'>): readonly ServedEnvironment[] =>
  topologies
    .list()
    .flatMap((running) => running.topology.environments.map((environment) => ({ environment, running })));

/**
 * The environment of a call: the named one of any topology, otherwise the one of the main topology that the
 * configuration names.
 * @throws ApiError 404 for an unknown id
 */
export function environmentOf(
  deployment: Pick<Deployment, Sensing>,
  id: string | undefined,
): ServedEnvironment {
  const wanted = id ?? deployment.configuration.environment;
  for (const running of deployment.topologies.list()) {
    const environment = running.topology.environments.find((one) => one.id === wanted);
    if (environment) return { environment, running };
  }
  const known = environmentsOf(deployment).map(({ environment }) => environment.id);
  const problem = known.length
    ? `No environment has the id ${wanted}; available: ${known.join(', ')}`
    : 'There is no environment: no topology has one';
  throw new ApiError('RESOURCE_NOT_FOUND', problem);
}

/**
 * The store with the history, for a call: it stops working when the caller disconnects. It is also available
 * while the topology is stopped. @throws ApiError 503 if there is none
 */
export const readerOf = async (
  running: RunningTopology,
  { signal }: { readonly signal: AbortSignal },
): Promise<Reader> => (await storeOf(running)).until(signal);

/** The same for all calls. @throws ApiError 503 if there is none. */
export async function storeOf(running: RunningTopology): Promise<Reader> {
  const [reader] = (await storesOf(running)).values();
  if (reader) return reader;
  throw hasStore(running.topology) ? notReady(running, 'No store is open') : withoutStore(running);
}

/** All of them, by node, in the declared order. @throws ApiError 503 if none can be opened */
export async function storesOf(running: RunningTopology): Promise<ReadonlyMap<string, Reader>> {
  try {
    const opened = await running.openReaders();
    // A store that was offline at the start was opened after the others.
    const order = new Map(running.topology.nodes.map(({ id }, index) => [id, index]));
    return new Map([...opened].sort(([one], [other]) => (order.get(one) ?? 0) - (order.get(other) ?? 0)));
  } catch (error) {
    throw notReady(running, `The store cannot be opened (${errorText(error)})`);
  }
}

/**
 * The latest event time that a topology can have reached, microseconds. Rows with later times were stored while the
 * clock was ahead, before it was set back.
 */
export function reachedTime(running: RunningTopology, clock: Clock): number {
  if (running.state === 'stopped' || running.state === 'failed') return Infinity;
  const given = running
    .status()
    .nodes.flatMap(({ kind, lastRecord }) => (kind === 'source' && lastRecord !== null ? [lastRecord] : []));
  return Math.max(clock.now(), ...given);
}

/**
 * The newest pose frame since the start.
 * @throws ApiError 503 if no feed has it; 421 if another process has it
 */
export async function latestPose(served: ServedEnvironment, clock: Clock): Promise<PoseFrame | undefined> {
  const { environment, running } = served;
  const off = running.topology.nodes.filter(({ enabled }) => enabled === false).map(({ id }) => id);
  const [feed] = [...running.feeds].filter(([node]) => !off.includes(node)).map(([, found]) => found);
  if (running.topology.settings.scaleOut !== true)
    return feed || running.readers.size === 0
      ? (feed ?? feedOf(running)).latest(environment.id)
      : latestStored(served, clock);
  const live = feed?.latest(environment.id);
  if (live) return live;
  // A store of all processes knows of rooms that others read.
  const stored = running.readers.size > 0 ? await latestStored(served, clock) : undefined;
  if (!stored) await requireHere(served);
  return stored;
}

async function latestStored(
  { environment, running }: ServedEnvironment,
  clock: Clock,
): Promise<PoseFrame | undefined> {
  const reader = await storeOf(running);
  const stored = await reader.latestPose(environment.id, reachedTime(running, clock));
  return stored && stored.time >= (running.status().startedAt ?? 0) ? stored : undefined;
}

/** @throws ApiError 421 if another process of the group reads the room; 503 if that is unknown */
export async function requireHere({ environment: { id }, running }: ServedEnvironment): Promise<void> {
  const found = await whereIs(id, running);
  switch (found.at) {
    case 'here':
    case 'nowhere':
      return;
    case 'moving':
      throw new ApiError('SYSTEM_NOT_READY', `${id} is moving from this process to another: try again`, {
        headers: { 'Retry-After': '1' },
      });
    case 'elsewhere':
      throw heldElsewhere(id, found.address);
  }
}

function heldElsewhere(id: string, address: string | null): ApiError {
  const where = address === null ? 'which does not set `settings.advertised_address`' : `ask ${address}`;
  const message = `Another process of the group reads ${id}: ${where}`;
  return new ApiError('MISDIRECTED', message, {
    details: {
      fields: [{ field: 'environment_id', message, received: id }],
      ...(address !== null && { elsewhere: address }),
    },
  });
}

async function whereIs(id: string, running: RunningTopology): Promise<Whereabouts> {
  try {
    return (await running.whereIs?.(id)) ?? { at: 'here' };
  } catch (error) {
    throw notReady(running, `Kafka does not report which process reads ${id} (${errorText(error)})`);
  }
}

/** The live results. @throws ApiError 503 if there are none. */
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

/** A plan can add one while the topology runs, so callers may ask again. */
const withoutStore = ({ topology }: RunningTopology): ApiError =>
  askAgain(`No store is open: the topology ${topology.id} has none. A sink such as duckdb keeps its history`);

const notReady = (running: RunningTopology, what: string): ApiError =>
  askAgain(`${what}: the topology ${running.topology.id} is ${running.state}`);

const askAgain = (message: string): ApiError =>
  new ApiError('SYSTEM_NOT_READY', message, { headers: { 'Retry-After': '5' } });
