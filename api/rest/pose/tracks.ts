import { Type } from 'typebox';
import type { Reader } from '../../../pipeline/component/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { ApiError } from '../../service/errors.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { environmentOf, reachedTime, readerOf, type Sensing } from '../../service/deployment/environments.js';
import { readRange, Time } from '../requests/ranges.js';
import { TrackSummary, type TrackPoint } from './track-summary.js';

const endpoint = endpointsWith<Sensing>();

const closed = { additionalProperties: false } as const;

const StatisticsSchema = Type.Object(
  {
    movement_distance: Type.Number({ description: 'Metres walked: between positions seen while moving.' }),
    average_speed: Type.Number({ description: 'Metres per second over the whole track.' }),
    time_stationary: Type.Number({ description: 'Seconds.' }),
    time_moving: Type.Number({ description: 'Seconds at 0.2 m/s or faster.' }),
  },
  closed,
);

const TrackSchema = Type.Object(
  {
    track_id: Type.Integer(),
    person_id: Type.Integer(),
    first_seen: Time,
    last_seen: Time,
    duration_seconds: Type.Number(),
    total_frames: Type.Integer(),
    average_confidence: Type.Number(),
    status: Type.Enum(['tentative', 'active', 'lost', 'ended']),
    trajectory: Type.Optional(
      Type.Array(
        Type.Object(
          { timestamp: Time, center_x: Type.Number(), center_y: Type.Number(), confidence: Type.Number() },
          closed,
        ),
      ),
    ),
    statistics: StatisticsSchema,
  },
  closed,
);

interface TrackQuery {
  readonly id: number;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly environment: string | undefined;
  readonly trajectory: boolean;
}

interface Track {
  readonly id: number;
  readonly status: string;
  readonly summary: TrackSummary;
  readonly trajectory: readonly TrackPoint[] | null;
}

/** Page size of rows. */
const PAGE = 5_000;

/** 4.2 and 2.6 */
const track = endpoint<TrackQuery, Track>({
  method: 'GET',
  path: '/pose/tracking/:track_id',
  summary: 'One tracked person: when seen, with which confidence, how far and how fast.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  async handle({ id, start, end, environment, trajectory }, call) {
    const served = environmentOf(call.deployment, environment);
    const summary = new TrackSummary();
    const reader = await readerOf(served.running, call);
    const query = { environment: served.environment.id, person: id, limit: PAGE, ...readRange(start, end) };
    // A person is in a pose frame once, so a page continues after the time of the last row.
    for (let rows = await reader.persons(query); rows.length > 0;) {
      for (const row of rows) summary.add(row);
      if (rows.length < PAGE) break;
      rows = await reader.persons({ ...query, start: rows.at(-1)!.time + 1 });
    }
    if (summary.poseFrames === 0)
      throw new ApiError('RESOURCE_NOT_FOUND', `Nobody was followed as track ${id} then`);
    const status = await statusOf(
      reader,
      served.environment.id,
      id,
      reachedTime(served.running, call.deployment.clock),
    );
    return { id, status, summary, trajectory: trajectory ? summary.trajectory : null };
  },
  b: formView({
    path: Type.Object({ track_id: Type.Integer({ minimum: 0 }) }),
    query: Type.Object(
      {
        start_time: Type.Optional(Time),
        end_time: Type.Optional(Time),
        environment_id: Type.Optional(Type.String()),
        include_trajectory: Type.Optional(Type.Boolean({ default: false })),
      },
      closed,
    ),
    response: TrackSchema,
    read: ({ path, query }) => ({
      id: path.track_id,
      start: query.start_time,
      end: query.end_time,
      environment: query.environment_id,
      trajectory: query.include_trajectory ?? false,
    }),
    render: (result) => ({ data: trackBody(result) }),
  }),
});

export const trackEndpoints = [track];

/** State in the newest pose frame; a track that is missing there has ended. */
async function statusOf(reader: Reader, environment: string, id: number, until: number): Promise<string> {
  const newest = await reader.latestPose(environment, until);
  return newest?.persons.find((person) => person.track?.id === id)?.track?.state ?? 'ended';
}

const trackBody = ({ id, status, summary, trajectory }: Track) => ({
  track_id: id,
  person_id: id,
  first_seen: isoTime(summary.first),
  last_seen: isoTime(summary.last),
  duration_seconds: rounded(summary.seconds),
  total_frames: summary.poseFrames,
  average_confidence: rounded(summary.confidence),
  status,
  ...(trajectory && {
    trajectory: trajectory.map(({ time, x, y, confidence }) => ({
      timestamp: isoTime(time),
      center_x: x,
      center_y: y,
      confidence,
    })),
  }),
  statistics: {
    movement_distance: rounded(summary.distance),
    average_speed: rounded(summary.seconds === 0 ? 0 : summary.distance / summary.seconds),
    time_stationary: rounded(summary.seconds - summary.movingSeconds),
    time_moving: rounded(summary.movingSeconds),
  },
});

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
