import { Type } from 'typebox';
import type { Reader } from '../../pipeline/component/index.js';
import type { SensedEvent } from '../../pipeline/model/index.js';
import { CLIP, renderClip } from '../contract/clip.js';
import { defineEndpoint, formView } from '../contract/endpoint.js';
import { ApiError } from '../contract/errors.js';
import { fromIsoTime } from '../contract/form.js';
import { environmentOf, readerOf, type Deployment } from '../deployment/deployment.js';
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
  async handle({ timestamp, id }, { deployment }) {
    const reader = readerOf(deployment);
    const event = await findEvent(deployment, reader, fromIsoTime(timestamp), id);
    const { environment, time } = event;
    const start = time - CLIP.before;
    const end = time + CLIP.after;
    const frames = await reader.poses({ environment, start, end, limit: MOST_FRAMES });
    if (frames.length === 0)
      throw new ApiError('POSE_DATA_NOT_FOUND', 'The history has no poses around this alert any more');
    return renderClip(event, frames, environmentOf(deployment, environment));
  },
  b: formView({
    path: Type.Object({ timestamp: Time, alert_id: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: Type.String({ description: 'SVG with SMIL animations, without script.' }),
    read: ({ path }) => ({ timestamp: path.timestamp, id: path.alert_id }),
    render: (data) => ({ data }),
  }),
});

export const clipEndpoints = [clip];

/** @throws ApiError 404 */
async function findEvent(
  { main }: Deployment,
  reader: Reader,
  time: number,
  id: string,
): Promise<SensedEvent> {
  const found = await Promise.all(
    main.topology.environments.map(({ id: environment }) =>
      reader.events({ environment, start: time, end: time + MILLISECOND, ownOnly: false }),
    ),
  );
  const event = found.flat().find((one) => one.id === id);
  if (event) return event;
  throw new ApiError('RESOURCE_NOT_FOUND', 'The history has no such alert, or not any more');
}
