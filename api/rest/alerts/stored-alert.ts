import { setTimeout } from 'node:timers/promises';
import type { SensedEvent } from '../../../pipeline/model/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import type { Call } from '../../contract/endpoint.js';
import {
  environmentsOf,
  readerOf,
  storeOf,
  storesOf,
  type ServedEnvironment,
  type Sensing,
} from '../../service/deployment/environments.js';
import { ApiError } from '../../service/errors.js';

type Parts = Sensing | 'main' | 'clock';
export type AlertCall = Call<Parts>;

/** A stored alert, with its environment. */
export interface StoredAlert {
  readonly event: SensedEvent;
  readonly served: ServedEnvironment;
}

/** Payload times are in milliseconds, stored ones in microseconds. */
const MILLISECOND = 1000;
/** How long a call waits for an alert that is not stored yet, and the interval between its checks. */
const [PATIENCE_MS, AGAIN_MS] = [3_000, 100];
/** Up to this age relative to the newest record, microseconds, an alert may not have reached the store. */
const FRESH = 60_000_000;

/**
 * Waits for a recent alert: a client that receives it may query it before it is stored.
 * @param time of the alert, microseconds
 * @param complete returns the caller's data of the alert; null if it is not available (yet)
 * @param gone the error if the alert is stored but its data never will be
 * @throws ApiError 404 for an alert that no longer exists, 503 if it is not stored yet
 */
export async function whenStored<T>(
  call: AlertCall,
  { time, id }: { readonly time: number; readonly id: string },
  complete: (alert: StoredAlert) => Promise<T | null>,
  gone: string,
): Promise<T> {
  const { deployment, signal } = call;
  const last = deployment.clock.elapsed() + PATIENCE_MS;
  for (;;) {
    const found = await findAlert(call, time, id);
    const whole = found ? await complete(found) : null;
    if (whole !== null) return whole;
    if (!deployment.topologies.list().some((running) => mayCome(running, time, id)))
      throw found
        ? new ApiError('POSE_DATA_NOT_FOUND', gone)
        : new ApiError('RESOURCE_NOT_FOUND', 'The history has no such alert, or not any more');
    if (deployment.clock.elapsed() >= last)
      throw new ApiError('SYSTEM_NOT_READY', 'The history has no such alert yet', {
        headers: { 'Retry-After': '1' },
      });
    await setTimeout(AGAIN_MS, undefined, { signal });
  }
}

/**
 * Whether an alert of a topology may not have reached the store yet: judging by the time that the topology
 * has reached, or because it is in an outbox, where it may wait for as long as its store is offline.
 */
function mayCome(running: RunningTopology, time: number, id: string): boolean {
  // Ids start with the environment.
  if (!running.topology.environments.some((environment) => id.startsWith(environment.id))) return false;
  if (running.state !== 'running' && running.state !== 'degraded') return false;
  const { nodes } = running.status();
  const newest = Math.max(...nodes.map(({ lastRecord }) => lastRecord ?? -Infinity));
  const isFresh = time > newest - FRESH && time < newest + FRESH;
  return isFresh || (time <= newest && nodes.some(({ undelivered }) => undelivered > 0));
}

/**
 * Searches all stores, because an alert's address does not name its environment. A failing store matters only
 * if no other one has the alert. Null if none has it.
 * @throws ApiError 503
 */
async function findAlert(call: AlertCall, time: number, id: string): Promise<StoredAlert | null> {
  const { deployment } = call;
  const served = environmentsOf(deployment);
  const looked = await Promise.allSettled(served.map((served) => alertAt(served, call, time, id)));
  for (const one of looked) if (one.status === 'fulfilled' && one.value) return one.value;
  for (const one of looked) if (one.status === 'rejected') throw one.reason;
  await storeOf(deployment.main);
  return null;
}

async function alertAt(
  served: ServedEnvironment,
  call: AlertCall,
  time: number,
  id: string,
): Promise<StoredAlert | null> {
  const { environment, running } = served;
  if ((await storesOf(running)).size === 0) return null;
  const range = { environment: environment.id, start: time, end: time + MILLISECOND };
  const events = await (await readerOf(running, call)).events({ ...range, ownOnly: false });
  const event = events.find((one) => one.id === id);
  return event ? { event, served } : null;
}
