import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import type { PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import type { RunningTopology } from '../../pipeline/runtime/status.js';
import { CLIP, renderClip } from '../contract/clip.js';
import { defineEndpoint, formView, type Call } from '../contract/endpoint.js';
import { ApiError } from '../service/errors.js';
import { fromIsoTime } from '../../pipeline/base/iso-time.js';
import { placesOf, readerOf, storeOf, storesOf, type Place } from '../service/deployment/places.js';
import { Time } from './ranges.js';

/** Frames that are read for a clip: at 40 a second all of it. */
const MOST_FRAMES = 500;
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
const clip = defineEndpoint<ClipQuery, string>({
  method: 'GET',
  path: '/alerts/:timestamp/:alert_id/clip',
  summary: 'A moving skeleton of the seconds around an alert, as animated SVG.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  // It holds no script, and no browser is to run any that somebody smuggled into it.
  document: { type: 'image/svg+xml', headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" } },
  async handle({ timestamp, id }, call) {
    const { place, event, frames } = await whenStored(call, fromIsoTime(timestamp), id);
    return renderClip(event, frames, place.environment);
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
  readonly place: Place;
}

interface Filmed extends Found {
  readonly frames: readonly PoseFrame[];
}

/**
 * Who is told of an alert may ask for its clip before the store has it, so a fresh one is waited for.
 * @throws ApiError 404 for an alert or frames that are not there any more, 503 where they are not there yet
 */
async function whenStored(call: Call, time: number, id: string): Promise<Filmed> {
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

/** Whether an alert of a topology may still be on its way to the store, by the time of what the topology has read. */
function mayCome(running: RunningTopology, time: number, id: string): boolean {
  // Ids begin with the environment.
  if (!running.topology.environments.some((environment) => id.startsWith(environment.id))) return false;
  if (running.state !== 'running' && running.state !== 'degraded') return false;
  const newest = Math.max(...running.status().nodes.map(({ lastRecord }) => lastRecord ?? -Infinity));
  return time > newest - FRESH && time < newest + FRESH;
}

async function framesAround({ event, place }: Found, call: Call): Promise<readonly PoseFrame[]> {
  const reader = await readerOf(place.running, call);
  return reader.poses({
    environment: place.environment.id,
    start: event.time - CLIP.before,
    end: event.time + CLIP.after,
    limit: MOST_FRAMES,
  });
}

/**
 * In all stores: an alert's address does not say which place it is about. A store that fails matters only where no
 * other one has the alert. Null where none has it.
 * @throws ApiError 503
 */
async function findEvent(call: Call, time: number, id: string): Promise<Found | null> {
  const { deployment } = call;
  const places = placesOf(deployment);
  const looked = await Promise.allSettled(places.map((place) => eventAt(place, call, time, id)));
  for (const one of looked) if (one.status === 'fulfilled' && one.value) return one.value;
  for (const one of looked) if (one.status === 'rejected') throw one.reason;
  await storeOf(deployment.main);
  return null;
}

async function eventAt(place: Place, call: Call, time: number, id: string): Promise<Found | null> {
  const { environment, running } = place;
  if ((await storesOf(running)).size === 0) return null;
  const range = { environment: environment.id, start: time, end: time + MILLISECOND };
  const events = await (await readerOf(running, call)).events({ ...range, ownOnly: false });
  const event = events.find((one) => one.id === id);
  return event ? { event, place } : null;
}
