import type { Clock, LiveFeed, Logger, Reader } from '../../pipeline/component/index.js';
import type { LoadResult } from '../../pipeline/config/index.js';
import type { RunningTopology } from '../../pipeline/runtime/status.js';
import type { Data, Environment, PoseFrame } from '../../pipeline/model/index.js';
import { ApiError } from '../contract/errors.js';
import type { Form } from '../contract/form.js';
import { PoseView } from '../contract/pose.js';
import type { ApiKeys } from '../auth/api-keys.js';
import type { Authenticator } from '../auth/authenticator.js';
import type { Tokens } from '../auth/tokens.js';
import type { Users } from '../auth/users.js';
import type { Configuration } from '../configuration/configuration.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { LifecycleTimes } from './lifecycle-times.js';
import type { SystemProbe } from '../figures/system-probe.js';
import type { Topologies } from './topologies.js';

/** All that the API serves: one main topology, its people and its limits. */
export interface Deployment {
  readonly version: string;
  readonly main: RunningTopology;
  readonly configuration: Configuration;
  /** It and those beside it. */
  readonly topologies: Topologies;
  /** Checks the text of a new version of the main topology; files that it names start from that one's folder. */
  readonly parse: (text: string, name?: string) => LoadResult;
  /** The form that `/api/v1` answers in. */
  readonly form: Form;
  /** Endpoints under `/api/v1` that answer in a form of their own, by path: `/pose/tracking/{track_id}`. */
  readonly formsOf: ReadonlyMap<string, Form>;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly apiKeys: ApiKeys;
  readonly authenticator: Authenticator;
  readonly probe: SystemProbe;
  readonly audit: AuditLog;
  readonly lifecycle: LifecycleTimes;
  /** WebSocket connections that are open. */
  readonly clients: () => number;
  /** Looks at the records of a node, of the main topology unless another is named, until the function that it gives is called. */
  readonly watch: (node: string, watcher: (record: Data) => void, topology?: string) => () => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Seals cursors, so that nobody can make one up. */
  readonly cursorKey: Buffer;
}

/** The environment that a call means: the named one, else the one that the configuration names. @throws ApiError 404 for an unknown id. */
export function environmentOf({ main, configuration }: Deployment, id: string | undefined): Environment {
  const { environments } = main.topology;
  const wanted = id ?? configuration.environment;
  const found = environments.find((environment) => environment.id === wanted);
  if (!found) {
    throw new ApiError(
      'RESOURCE_NOT_FOUND',
      `No environment is named ${id}; there are ${environments.map((e) => e.id).join(', ')}`,
    );
  }
  return found;
}

const views = new WeakMap<Environment, PoseView>();

/** The view of an environment as it is now: applying a new file may have changed it. */
export function viewOfEnvironment(deployment: Deployment, id: string): PoseView {
  const environment = environmentOf(deployment, id);
  const known = views.get(environment);
  if (known) return known;
  const made = new PoseView(environment, deployment.main.topology.id);
  views.set(environment, made);
  return made;
}

/** The store that history is read from. @throws ApiError 503 while there is none. */
export function readerOf({ main }: Deployment): Reader {
  const [reader] = main.readers.values();
  if (reader) return reader;
  throw notReady(main, 'No store is open');
}

/** The live results. @throws ApiError 503 while there are none. */
export function feedOf({ main }: Deployment): LiveFeed {
  const [feed] = main.feeds.values();
  if (feed) return feed;
  throw notReady(main, 'No websocket sink is open');
}

/** The newest pose frame since the start. @throws ApiError 503 where nothing tells of it */
export async function latestPose(
  deployment: Deployment,
  environment: string,
): Promise<PoseFrame | undefined> {
  const { main } = deployment;
  const off = main.topology.nodes.filter(({ enabled }) => enabled === false).map(({ id }) => id);
  const [feed] = [...main.feeds].filter(([node]) => !off.includes(node));
  if (feed || main.readers.size === 0) return (feed?.[1] ?? feedOf(deployment)).latest(environment);
  const stored = await readerOf(deployment).latestPose(environment);
  return stored && stored.time >= (main.status().startedAt ?? 0) ? stored : undefined;
}

/** @throws ApiError 503 unless the main topology runs. */
export function requireRunning({ main }: Deployment): void {
  const { state } = main.status();
  if (state !== 'running' && state !== 'degraded') throw notReady(main, 'The system is not initialized');
}

const notReady = (main: RunningTopology, what: string): ApiError =>
  new ApiError('SYSTEM_NOT_READY', `${what}: the topology ${main.topology.id} is ${main.status().state}`, {
    headers: { 'Retry-After': '5' },
  });
