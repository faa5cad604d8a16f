import { Type, type Static } from 'typebox';
import type { PersonRow } from '../../../pipeline/component/index.js';
import type { PoseFrame } from '../../../pipeline/model/index.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { PageFields, pagination } from '../../contract/pages.js';
import { WHOLE, type PoseSelection } from '../../contract/pose.js';
import {
  PoseFrameASchema,
  PoseFrameBSchema,
  PoseRecordASchema,
  PoseRecordBSchema,
} from '../../contract/pose-schema.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import {
  latestPose,
  environmentOf,
  readerOf,
  requireRunning,
  type ServedEnvironment,
  type Sensing,
} from '../../service/deployment/environments.js';
import { viewOf } from '../../contract/pose-views.js';
import { readRange, refuseEmpty, Time } from '../requests/ranges.js';
import { frames, pageOfPoseFrames, ThreeD } from './frames.js';
import { places } from './places.js';

type Parts = Sensing | 'cursorKey';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;
const Confidence = Type.Number({ minimum: 0, maximum: 1 });
const Id = Type.Integer({ minimum: 0 });

interface LatestInput {
  readonly environment: string | undefined;
  readonly selection: PoseSelection;
}

interface Latest {
  readonly poseFrame: PoseFrame;
  readonly selection: PoseSelection;
}

/** A store is queried for pose frames newer than the start, which recordings never are. */
const noneOf = ({ environment, running }: ServedEnvironment): string =>
  `No pose was inferred in ${environment.id} since the start` +
  (running.feeds.size > 0 ? '' : '; for recordings it is known only if the topology has a websocket sink');

const latest = endpoint<LatestInput, Latest>({
  method: 'GET',
  path: '/pose/latest',
  summary: 'The newest pose frame.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  async handle({ environment, selection }, { deployment }) {
    const served = environmentOf(deployment, environment);
    requireRunning(served.running);
    const poseFrame = await latestPose(served, deployment.clock);
    if (!poseFrame) throw new ApiError('POSE_DATA_NOT_FOUND', noneOf(served));
    return { poseFrame, selection };
  },
  a: formView({
    query: Type.Object({ include_3d: Type.Optional(ThreeD) }, closed),
    response: PoseFrameASchema,
    read: ({ query }) => ({
      environment: undefined,
      selection: { ...WHOLE, densePose: true, threeD: query.include_3d ?? false },
    }),
    render: ({ poseFrame, selection }, { deployment }) => ({
      data: viewOf(environmentOf(deployment, poseFrame.environment)).latest('a', poseFrame, selection),
    }),
  }),
  b: formView({
    query: Type.Object(
      {
        environment_id: Type.Optional(Type.String()),
        min_confidence: Type.Optional(Confidence),
        include_keypoints: Type.Optional(Type.Boolean({ default: true })),
        include_3d: Type.Optional(ThreeD),
      },
      closed,
    ),
    response: PoseFrameBSchema,
    read: ({ query }) => ({
      environment: query.environment_id,
      selection: {
        keypoints: query.include_keypoints ?? true,
        densePose: true,
        threeD: query.include_3d ?? false,
        minConfidence: query.min_confidence ?? 0,
        persons: null,
      },
    }),
    render: ({ poseFrame, selection }, { deployment }) => ({
      data: viewOf(environmentOf(deployment, poseFrame.environment)).latest('b', poseFrame, selection),
    }),
  }),
});

const HistoryAQuery = Type.Object(
  {
    start_time: Type.Optional(Time),
    end_time: Type.Optional(Time),
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 100 }),
    person_id: Type.Optional(Id),
    confidence_threshold: Type.Optional(Confidence),
    cursor: Type.Optional(Type.String({ maxLength: 1024 })),
    include_3d: Type.Optional(ThreeD),
  },
  closed,
);

const HistoryBQuery = Type.Object(
  {
    start_time: Time,
    end_time: Time,
    environment_id: Type.Optional(Type.String()),
    person_id: Type.Optional(Id),
    track_id: Type.Optional(Id),
    min_confidence: Type.Optional(Confidence),
    ...PageFields,
  },
  closed,
);

/** Form A pages over pose frames by cursor, Form B over persons by number: two queries of one store. */
type HistoryInput =
  | { readonly by: 'cursor'; readonly query: Static<typeof HistoryAQuery> }
  | { readonly by: 'page'; readonly query: Static<typeof HistoryBQuery> };

type History =
  | {
      readonly by: 'cursor';
      readonly poseFrames: readonly PoseFrame[];
      readonly total: number;
      readonly next: string | null;
      readonly selection: PoseSelection;
    }
  | {
      readonly by: 'page';
      readonly rows: readonly PersonRow[];
      readonly total: number;
      readonly page: number;
      readonly perPage: number;
    };

const history = endpoint<HistoryInput, History>({
  method: 'GET',
  path: '/pose/history',
  summary: 'Stored poses in a range of time, oldest first.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  handle: async (input, call) =>
    input.by === 'cursor' ? byCursor(input.query, call) : byPage(input.query, call),
  a: formView({
    query: HistoryAQuery,
    response: Type.Object(
      {
        poses: Type.Array(PoseRecordASchema),
        pagination: Type.Object(
          {
            total_count: Type.Integer(),
            returned_count: Type.Integer(),
            has_more: Type.Boolean(),
            next_cursor: Type.Union([Type.String(), Type.Null()]),
          },
          closed,
        ),
      },
      closed,
    ),
    read: ({ query }) => ({ by: 'cursor', query }),
    render: (result, { deployment }) => ({ data: renderCursor(result, deployment) }),
  }),
  b: formView({
    query: HistoryBQuery,
    response: Type.Array(PoseRecordBSchema),
    read: ({ query }) => ({ by: 'page', query }),
    render: renderPage,
  }),
});

export const poseEndpoints = [latest, history, frames, places];

async function byCursor(query: Static<typeof HistoryAQuery>, call: Call<Parts>): Promise<History> {
  const { environment, running } = environmentOf(call.deployment, undefined);
  const range = readRange(query.start_time, query.end_time);
  const filter = {
    environment: environment.id,
    ...range,
    ...(query.person_id !== undefined && { person: query.person_id }),
    ...(query.confidence_threshold !== undefined && { minConfidence: query.confidence_threshold }),
  };
  const reader = await readerOf(running, call);
  const [page, total] = await Promise.all([
    pageOfPoseFrames(reader, filter, query, call),
    reader.countPoses(filter),
  ]);
  if (total === 0) throw refuseEmpty(range, await reader.range(environment.id));
  return {
    by: 'cursor',
    ...page,
    total,
    selection: {
      keypoints: true,
      threeD: query.include_3d ?? false,
      minConfidence: query.confidence_threshold ?? 0,
      persons: query.person_id === undefined ? null : new Set([query.person_id]),
    },
  };
}

async function byPage(query: Static<typeof HistoryBQuery>, call: Call<Parts>): Promise<History> {
  const { environment, running } = environmentOf(call.deployment, query.environment_id);
  const person = query.track_id ?? query.person_id;
  const filter = {
    environment: environment.id,
    ...readRange(query.start_time, query.end_time),
    ...(person !== undefined && { person }),
    ...(query.min_confidence !== undefined && { minConfidence: query.min_confidence }),
  };
  // A person and their track have the same number, so two different numbers match nothing.
  if (query.person_id !== undefined && query.track_id !== undefined && query.person_id !== query.track_id) {
    return { by: 'page', rows: [], total: 0, page: query.page, perPage: query.per_page };
  }
  const reader = await readerOf(running, call);
  const [rows, total] = await Promise.all([
    reader.persons({ ...filter, limit: query.per_page, offset: (query.page - 1) * query.per_page }),
    reader.countPersons(filter),
  ]);
  return { by: 'page', rows, total, page: query.page, perPage: query.per_page };
}

function renderCursor(result: History, deployment: Pick<Deployment, Parts>) {
  if (result.by !== 'cursor') throw new TypeError('a page cannot be shown as Form A');
  const { poseFrames, total, next, selection } = result;
  return {
    poses: poseFrames.map((poseFrame) =>
      viewOf(environmentOf(deployment, poseFrame.environment)).recordA(poseFrame, selection),
    ),
    pagination: {
      total_count: total,
      returned_count: poseFrames.length,
      has_more: next !== null,
      next_cursor: next,
    },
  };
}

function renderPage(result: History, { deployment }: { readonly deployment: Pick<Deployment, Parts> }) {
  if (result.by !== 'page') throw new TypeError('a cursor cannot be shown as Form B');
  const { rows, total, page, perPage } = result;
  return {
    data: rows.map((row) => viewOf(environmentOf(deployment, row.environment)).recordB(row)),
    pagination: pagination({ page, per_page: perPage }, total),
  };
}
