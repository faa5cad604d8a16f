import { Type } from 'typebox';
import { fromIsoTime } from '../../../pipeline/base/iso-time.js';
import { CLIP, renderClip } from '../../contract/clip.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { readerOf, type Sensing } from '../../service/deployment/environments.js';
import { Time } from '../requests/ranges.js';
import { whenStored, type AlertCall, type StoredAlert } from './stored-alert.js';

const endpoint = endpointsWith<Sensing | 'main' | 'clock'>();

/** Largest number of pose frames read for a clip: at 40 per second all of it. */
const MAX_POSE_FRAMES = 500;

interface ClipQuery {
  readonly timestamp: string;
  readonly id: string;
}

/** Target of `video_clip_url` of an alert. */
const clip = endpoint<ClipQuery, string>({
  method: 'GET',
  path: '/alerts/:timestamp/:alert_id/clip',
  summary: 'A moving skeleton of the seconds around an alert, as animated SVG.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  // It contains no script; browsers must not run one that was smuggled in.
  document: { type: 'image/svg+xml', headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" } },
  handle: ({ timestamp, id }, call) =>
    whenStored(
      call,
      { time: fromIsoTime(timestamp), id },
      (alert) => clipOf(alert, call),
      'The history has no poses around this alert any more',
    ),
  b: formView({
    path: Type.Object({ timestamp: Time, alert_id: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: Type.String({ description: 'SVG with SMIL animations, without script.' }),
    read: ({ path }) => ({ timestamp: path.timestamp, id: path.alert_id }),
    render: (data) => ({ data }),
  }),
});

export const clipEndpoints = [clip];

/** Null while the history has no pose frames around it. */
async function clipOf({ event, served }: StoredAlert, call: AlertCall): Promise<string | null> {
  const reader = await readerOf(served.running, call);
  const poseFrames = await reader.poses({
    environment: served.environment.id,
    start: event.time - CLIP.before,
    end: event.time + CLIP.after,
    limit: MAX_POSE_FRAMES,
  });
  return poseFrames.length > 0 ? renderClip(event, poseFrames, served.environment) : null;
}
