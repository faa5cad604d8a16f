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

/** An alert in a store, with the environment that it is about. */
export interface StoredAlert {
  readonly event: SensedEvent;
  readonly served: ServedEnvironment;
}

/** Payload times are in milliseconds, stored ones in microseconds. */
const MILLISECOND = 1000;
/** A call waits so long for an alert that the store does not have yet, and looks so often. */
const [PATIENCE_MS, AGAIN_MS] = [3_000, 100];
/** So far from the newest record, microseconds, an alert may still be on its way to the store. */
const FRESH = 60_000_000;

/**
 * Waits for a fresh alert: a client that receives it may ask about it before the store has it.
 * @param time of the alert, microseconds
 * @param complete gives what the caller needs of the alert; null where that is not there (yet)
 * @param gone the error where the alert is there and the rest never will be
 * @throws ApiError 404 for an alert that is not there any more, 503 where it is not there yet
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
 * Whether an alert of a topology may still be on its way to the store: by the time of what the topology has read, or in an
 * outbox, where it may wait for as long as its store is away.
 */
function mayCome(running: RunningTopology, time: number, id: string): boolean {
  // Ids begin with the environment.
  if (!running.topology.environments.some((environment) => id.startsWith(environment.id))) return false;
  if (running.state !== 'running' && running.state !== 'degraded') return false;
  const { nodes } = running.status();
  const newest = Math.max(...nodes.map(({ lastRecord }) => lastRecord ?? -Infinity));
  const isFresh = time > newest - FRESH && time < newest + FRESH;
  return isFresh || (time <= newest && nodes.some(({ undelivered }) => undelivered > 0));
}

/**
 * In all stores: an alert's address does not say which environment it is about. A store that fails matters only where no
 * other one has the alert. Null where none has it.
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
