import { Type } from 'typebox';
import type { SensedEvent } from '../../pipeline/model/index.js';
import { CLIP, renderClip } from '../contract/clip.js';
import { defineEndpoint, formView, type Call } from '../contract/endpoint.js';
import { ApiError } from '../contract/errors.js';
import { fromIsoTime } from '../contract/form.js';
import { placesOf, readerOf, storeOf, type Place } from '../service/deployment/places.js';
import { Time } from './ranges.js';

/** Frames that are read for a clip: at 40 a second all of it. */
const MOST_FRAMES = 500;
/** Payload times are in milliseconds, stored ones in microseconds. */
const MILLISECOND = 1000;

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
    const { event, place } = await findEvent(call, fromIsoTime(timestamp), id);
    const start = event.time - CLIP.before;
    const end = event.time + CLIP.after;
    const frames = await readerOf(place.running, call).poses({
      environment: place.environment.id,
      start,
      end,
      limit: MOST_FRAMES,
    });
    if (frames.length === 0)
      throw new ApiError('POSE_DATA_NOT_FOUND', 'The history has no poses around this alert any more');
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

/**
 * In the stores that are open: an alert's address does not say which place it is about. A store that fails matters
 * only where no other one has the alert.
 * @throws ApiError 404, 503
 */
async function findEvent(call: Call, time: number, id: string): Promise<Found> {
  const { deployment } = call;
  const places = placesOf(deployment);
  const looked = await Promise.allSettled(places.map((place) => eventAt(place, call, time, id)));
  for (const one of looked) if (one.status === 'fulfilled' && one.value) return one.value;
  for (const one of looked) if (one.status === 'rejected') throw one.reason;
  storeOf(deployment.main);
  throw new ApiError('RESOURCE_NOT_FOUND', 'The history has no such alert, or not any more');
}

async function eventAt(place: Place, call: Call, time: number, id: string): Promise<Found | null> {
  const { environment, running } = place;
  if (running.readers.size === 0) return null;
  const range = { environment: environment.id, start: time, end: time + MILLISECOND };
  const events = await readerOf(running, call).events({ ...range, ownOnly: false });
  const event = events.find((one) => one.id === id);
  return event ? { event, place } : null;
}
