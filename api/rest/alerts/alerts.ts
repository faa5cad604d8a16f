import { Type } from 'typebox';
import { fromIsoTime, isoTime } from '../../../pipeline/base/iso-time.js';
import { ALERT_TYPES, EVENT_TYPES, SEVERITIES, type SensedEvent } from '../../../pipeline/model/index.js';
import { clipPath } from '../../../sinks/shared/alert.js';
import { endpointsWith, formView, type Call } from '../../contract/endpoint.js';
import type { Acknowledgement } from '../../service/alerts/acknowledgements.js';
import {
  environmentOf,
  environmentsOf,
  readerOf,
  type Sensing,
  type ServedEnvironment,
} from '../../service/deployment/environments.js';
import { ApiError } from '../../service/errors.js';
import { readRange, Time } from '../requests/ranges.js';
import { whenStored } from './stored-alert.js';

type Parts = Sensing | 'main' | 'clock' | 'acknowledgements';

const endpoint = endpointsWith<Parts>();

const closed = { additionalProperties: false } as const;

/** Default range if `start_time` is absent, microseconds. */
const DAY = 86_400e6;

const AcknowledgementSchema = Type.Object(
  {
    alert_id: Type.String(),
    acknowledged_by: Type.String({ description: 'Name of the account that was first.' }),
    acknowledged_at: Time,
  },
  closed,
);

const AlertSchema = Type.Object(
  {
    alert_id: Type.String(),
    timestamp: Time,
    alert_type: Type.Enum([...EVENT_TYPES]),
    severity: Type.Enum([...SEVERITIES]),
    environment_id: Type.String(),
    person_id: Type.Union([Type.Integer(), Type.Null()]),
    confidence: Type.Number(),
    location: Type.Union([
      Type.Object({ x: Type.Number(), y: Type.Number() }, { ...closed, description: 'Metres on the floor.' }),
      Type.Null(),
    ]),
    origin: Type.Enum(['live', 'replay', 'simulated']),
    video_clip_url: Type.String({ description: 'A path of this service.' }),
    acknowledgement: Type.Union([AcknowledgementSchema, Type.Null()]),
  },
  closed,
);

interface AlertQuery {
  readonly environment: string | undefined;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly limit: number;
}

interface Alert {
  readonly event: SensedEvent;
  readonly acknowledgement: Acknowledgement | null;
}

const list = endpoint<AlertQuery, readonly Alert[]>({
  method: 'GET',
  path: '/alerts',
  summary: 'The newest alerts of all environments, newest first, and who saw to them.',
  access: 'viewer',
  limit: 'pose_data',
  status: 200,
  async handle({ environment, start, end, limit }, call) {
    const { deployment } = call;
    const since = deployment.clock.now() - DAY;
    const range = { start: since, ...readRange(start, end) };
    const asked =
      environment === undefined ? environmentsOf(deployment) : [environmentOf(deployment, environment)];
    const found = await Promise.all(asked.map((served) => newestOf(served, range, limit, call)));
    return found
      .flat()
      .sort((one, other) => other.time - one.time)
      .slice(0, limit)
      .map((event) => ({ event, acknowledgement: deployment.acknowledgements.of(event.id) }));
  },
  b: formView({
    query: Type.Object(
      {
        start_time: Type.Optional(
          Type.String({ format: 'date-time', description: 'Default: a day before now.' }),
        ),
        end_time: Type.Optional(Time),
        environment_id: Type.Optional(Type.String({ description: 'Default: all environments.' })),
        limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
      },
      closed,
    ),
    response: Type.Array(AlertSchema),
    read: ({ query }) => ({
      environment: query.environment_id,
      start: query.start_time,
      end: query.end_time,
      limit: query.limit,
    }),
    render: (alerts) => ({ data: alerts.map(alertBody) }),
  }),
});

interface Acknowledge {
  readonly timestamp: string;
  readonly id: string;
}

const acknowledge = endpoint<Acknowledge, Acknowledgement & { readonly alert: string }>({
  method: 'POST',
  path: '/alerts/:timestamp/:alert_id/acknowledgement',
  summary: 'Notes that you see to an alert, and tells all clients. Only the first acknowledgement counts.',
  access: 'operator',
  limit: 'pose_data',
  status: 200,
  async handle({ timestamp, id }, call) {
    const { acknowledgements, clock } = call.deployment;
    const event = await whenStored(
      call,
      { time: fromIsoTime(timestamp), id },
      ({ event }) => Promise.resolve(event),
      '',
    );
    if (!ALERT_TYPES.some((type) => type === event.type))
      throw new ApiError('RESOURCE_NOT_FOUND', `${id.slice(0, 64)} is an event, and no alert`);
    const { name } = call.account!;
    return { alert: id, ...acknowledgements.add(id, event.environment, name, clock.now() / 1000) };
  },
  b: formView({
    path: Type.Object({ timestamp: Time, alert_id: Type.String({ minLength: 1, maxLength: 512 }) }),
    response: AcknowledgementSchema,
    read: ({ path }) => ({ timestamp: path.timestamp, id: path.alert_id }),
    render: ({ alert, ...made }) => ({ data: acknowledgementBody(alert, made) }),
  }),
});

export const alertEndpoints = [list, acknowledge];

/** Stores return the oldest first, so the newest start this far from the end. */
async function newestOf(
  { environment, running }: ServedEnvironment,
  range: { readonly start: number; readonly end?: number },
  limit: number,
  call: Call<Parts>,
): Promise<readonly SensedEvent[]> {
  const reader = await readerOf(running, call);
  const query = { environment: environment.id, types: ALERT_TYPES, ...range };
  const total = await reader.countEvents(query);
  if (total === 0) return [];
  return reader.events({ ...query, limit, offset: Math.max(0, total - limit) });
}

const alertBody = ({ event, acknowledgement }: Alert) => ({
  alert_id: event.id,
  timestamp: isoTime(event.time),
  alert_type: event.type,
  severity: event.severity,
  environment_id: event.environment,
  person_id: event.person,
  confidence: event.confidence,
  location: event.location && { x: event.location.x, y: event.location.y },
  origin: event.provenance.origin,
  video_clip_url: clipPath(event),
  acknowledgement: acknowledgement && acknowledgementBody(event.id, acknowledgement),
});

const acknowledgementBody = (alert: string, { by, at }: Acknowledgement) => ({
  alert_id: alert,
  acknowledged_by: by,
  acknowledged_at: new Date(at).toISOString(),
});
