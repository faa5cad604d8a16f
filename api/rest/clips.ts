import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import type { PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import type { RunningTopology } from '../../pipeline/runtime/status.js';
import { CLIP, renderClip } from '../contract/clip.js';
import { endpointsWith, formView, type Call } from '../contract/endpoint.js';
import { ApiError } from '../service/errors.js';
import { fromIsoTime } from '../../pipeline/base/iso-time.js';
import {
  environmentsOf,
  readerOf,
  storeOf,
  storesOf,
  type ServedEnvironment,
  type Sensing,
} from '../service/deployment/environments.js';
import { Time } from './ranges.js';

type Parts = Sensing | 'main' | 'clock';

const endpoint = endpointsWith<Parts>();

/** Frames that are read for a clip: at 40 a second all of it. */
const MAX_FRAMES = 500;
/** Payload times are in milliseconds, stored ones in microseconds. */
const MILLISECOND = 1000;
/** A call waits so long for an alert that the store does not have yet, and looks so often. */
const [PATIENCE_MS, AGAIN_MS] = [3_000, 100];
/** So far from the newest record, microseconds, an alert may still be on its way to the store. */
const FRESH = 60_000_000;

interface ClipQuery {
  readonly timestamp: string;
  readonly id: string;
}

/** What `video_clip_url` of an alert points to. */
const clip = endpoint<ClipQuery, string>({
  method: 'GET',
  path: '/alerts/:timestamp/:alert_id/clip',
  summary: 'A moving skeleton of the seconds around an alert, as animated SVG.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  // It holds no script, and no browser is to run any that somebody smuggled into it.
  document: { type: 'image/svg+xml', headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" } },
  async handle({ timestamp, id }, call) {
    const { served, event, frames } = await whenStored(call, fromIsoTime(timestamp), id);
    return renderClip(event, frames, served.environment);
  },
  b: formView({
    path: Type.Object({ timestamp: Time, alert_id: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: Type.String({ description: 'SVG with SMIL animations, without script.' }),
    read: ({ path }) => ({ timestamp: path.timestamp, id: path.alert_id }),
    render: (data) => ({ data }),
  }),
});

export const clipEndpoints = [clip];

interface Found {
  readonly event: SensedEvent;
  readonly served: ServedEnvironment;
}

interface Filmed extends Found {
  readonly frames: readonly PoseFrame[];
}

/**
 * Waits for a fresh alert: a client that receives it may request its clip before the store has the alert.
 * @throws ApiError 404 for an alert or frames that are not there any more, 503 where they are not there yet
 */
async function whenStored(call: Call<Parts>, time: number, id: string): Promise<Filmed> {
  const { deployment, signal } = call;
  const last = deployment.clock.elapsed() + PATIENCE_MS;
  for (;;) {
    const found = await findEvent(call, time, id);
    const frames = found ? await framesAround(found, call) : [];
    if (found && frames.length > 0) return { ...found, frames };
    if (!deployment.topologies.list().some((running) => mayCome(running, time, id)))
      throw found
        ? new ApiError('POSE_DATA_NOT_FOUND', 'The history has no poses around this alert any more')
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

async function framesAround({ event, served }: Found, call: Call<Parts>): Promise<readonly PoseFrame[]> {
  const reader = await readerOf(served.running, call);
  return reader.poses({
    environment: served.environment.id,
    start: event.time - CLIP.before,
    end: event.time + CLIP.after,
    limit: MAX_FRAMES,
  });
}

/**
 * In all stores: an alert's address does not say which environment it is about. A store that fails matters only where no
 * other one has the alert. Null where none has it.
 * @throws ApiError 503
 */
async function findEvent(call: Call<Parts>, time: number, id: string): Promise<Found | null> {
  const { deployment } = call;
  const served = environmentsOf(deployment);
  const looked = await Promise.allSettled(served.map((served) => eventAt(served, call, time, id)));
  for (const one of looked) if (one.status === 'fulfilled' && one.value) return one.value;
  for (const one of looked) if (one.status === 'rejected') throw one.reason;
  await storeOf(deployment.main);
  return null;
}

async function eventAt(
  served: ServedEnvironment,
  call: Call<Parts>,
  time: number,
  id: string,
): Promise<Found | null> {
  const { environment, running } = served;
  if ((await storesOf(running)).size === 0) return null;
  const range = { environment: environment.id, start: time, end: time + MILLISECOND };
  const events = await (await readerOf(running, call)).events({ ...range, ownOnly: false });
  const event = events.find((one) => one.id === id);
  return event ? { event, served } : null;
}
