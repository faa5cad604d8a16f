import { Type, type Static } from 'typebox';
import type { PoseQuery, Reader } from '../../../pipeline/component/index.js';
import type { PoseFrame } from '../../../pipeline/model/index.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { WHOLE, type PoseSelection } from '../../contract/pose.js';
import { PoseFrameBSchema } from '../../contract/pose-schema.js';
import { viewOf } from '../../contract/pose-views.js';
import { environmentOf, readerOf, type Sensing } from '../../service/deployment/environments.js';
import { openCursor, sealCursor } from '../requests/cursor.js';
import { readRange, Time } from '../requests/ranges.js';

type Parts = Sensing | 'cursorKey';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;

export const ThreeD = Type.Boolean({
  default: false,
  description: 'Adds room metres and their error to persons and keypoints.',
});

export interface PoseFramesPage {
  readonly poseFrames: readonly PoseFrame[];
  /** Cursor of the next page; null after the last one. */
  readonly next: string | null;
}

const PoseFramesQuery = Type.Object(
  {
    environment_id: Type.Optional(Type.String()),
    start_time: Time,
    end_time: Time,
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    cursor: Type.Optional(Type.String({ maxLength: 1024 })),
    include_keypoints: Type.Optional(Type.Boolean({ default: true })),
    include_3d: Type.Optional(ThreeD),
  },
  closed,
);

interface PoseFrames extends PoseFramesPage {
  readonly selection: PoseSelection;
}

export const frames = endpoint<Static<typeof PoseFramesQuery>, PoseFrames>({
  method: 'GET',
  path: '/pose/frames',
  summary: 'Stored pose frames in a range of time, oldest first, also those in which nobody was seen.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  async handle(query, call) {
    const { environment, running } = environmentOf(call.deployment, query.environment_id);
    const filter = { environment: environment.id, ...readRange(query.start_time, query.end_time) };
    const page = await pageOfPoseFrames(await readerOf(running, call), filter, query, call);
    const { include_keypoints: keypoints = true, include_3d: threeD = false } = query;
    return { ...page, selection: { ...WHOLE, keypoints, threeD } };
  },
  b: formView({
    query: PoseFramesQuery,
    response: Type.Object(
      { frames: Type.Array(PoseFrameBSchema), next_cursor: Type.Union([Type.String(), Type.Null()]) },
      closed,
    ),
    read: ({ query }) => query,
    render: ({ poseFrames: found, next, selection }, { deployment }) => ({
      data: {
        frames: found.map((poseFrame) =>
          viewOf(environmentOf(deployment, poseFrame.environment)).frameB(poseFrame, selection),
        ),
        next_cursor: next,
      },
    }),
  }),
});

/** One page of the pose frames that a query finds, oldest first. @throws ApiError 422 for a cursor of another query */
export async function pageOfPoseFrames(
  reader: Pick<Reader, 'poses'>,
  filter: PoseQuery,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  { deployment: { cursorKey } }: Call<Parts>,
): Promise<PoseFramesPage> {
  const after = cursor === undefined ? undefined : openCursor(cursor, filter, cursorKey);
  const found = await reader.poses({ ...filter, ...(after && { after }), limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const more = found.length > limit && last !== undefined;
  const next = more ? sealCursor({ time: last.time, frameId: last.frameId }, filter, cursorKey) : null;
  return { poseFrames: page, next };
}
