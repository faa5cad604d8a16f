import { Type } from 'typebox';
import {
  ACTIVITY_TYPES,
  ALERT_TYPES,
  SEVERITIES,
  type EventType,
  type SensedEvent,
} from '../../../pipeline/model/index.js';
import { endpointsWith, formView } from '../../contract/endpoint.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { PageFields, pagination, type PageOf } from '../../contract/pages.js';
import { environmentOf, readerOf, type Sensing } from '../../service/deployment/environments.js';
import { readRange, Time } from '../requests/ranges.js';

const endpoint = endpointsWith<Sensing>();

const closed = { additionalProperties: false } as const;

/** Event types for each word of the filter. An alert is an event that notifies people. */
const TYPES = {
  fall: ['fall_detection'],
  alert: ALERT_TYPES,
  activity: ACTIVITY_TYPES,
} as const satisfies Readonly<Record<string, readonly EventType[]>>;

const EventSchema = Type.Object(
  {
    event_id: Type.String(),
    type: Type.String(),
    severity: Type.String(),
    timestamp: Time,
    environment_id: Type.String(),
    person_id: Type.Union([Type.Integer(), Type.Null()]),
    track_id: Type.Union([Type.Integer(), Type.Null()]),
    confidence: Type.Number(),
    location: Type.Object(
      { x: Type.Number(), y: Type.Number() },
      { ...closed, description: 'Metres on the floor; 0, 0 for an event without a position.' },
    ),
    metadata: Type.Object(
      {
        fall_duration: Type.Number({ description: 'Seconds; 0 if not measured.' }),
        impact_severity: Type.Number({ description: '0 to 1; 0 if not measured.' }),
        recovery_detected: Type.Boolean({ description: 'False if not monitored.' }),
      },
      { additionalProperties: true, description: 'With include_details=true also the fields of its type.' },
    ),
    actions_taken: Type.Array(Type.String(), {
      description: 'Empty: csiflow does not know how people respond to an event.',
    }),
  },
  closed,
);

interface EventsQuery {
  readonly environment: string | undefined;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly type: keyof typeof TYPES | undefined;
  readonly severity: string | undefined;
  /** Whether to include fields outside the contract: zones, durations. */
  readonly details: boolean;
  readonly page: PageOf;
}

interface Events extends Pick<EventsQuery, 'details' | 'page'> {
  readonly events: readonly SensedEvent[];
  readonly total: number;
}

/** 4.5 and 2.9 */
const events = endpoint<EventsQuery, Events>({
  method: 'GET',
  path: '/analytics/events',
  summary: 'Events in a range of time, oldest first.',
  access: 'viewer',
  limit: 'analytics',
  status: 200,
  async handle({ environment, start, end, type, severity, details, page }, call) {
    const served = environmentOf(call.deployment, environment);
    const reader = await readerOf(served.running, call);
    const query = {
      environment: served.environment.id,
      ...readRange(start, end),
      ...(type && { types: TYPES[type] }),
      ...(severity && { severities: [severity] }),
    };
    const [found, total] = await Promise.all([
      reader.events({ ...query, limit: page.per_page, offset: (page.page - 1) * page.per_page }),
      reader.countEvents(query),
    ]);
    return { events: found, total, details, page };
  },
  b: formView({
    query: Type.Object(
      {
        start_time: Type.Optional(Time),
        end_time: Type.Optional(Time),
        event_type: Type.Optional(Type.Enum(['fall', 'alert', 'activity'])),
        severity: Type.Optional(Type.Enum([...SEVERITIES])),
        environment_id: Type.Optional(Type.String()),
        include_details: Type.Boolean({
          default: false,
          description: "Adds the fields of the event's type to `metadata`: a zone's name, seconds.",
        }),
        ...PageFields,
      },
      closed,
    ),
    response: Type.Array(EventSchema),
    read: ({ query }) => ({
      environment: query.environment_id,
      start: query.start_time,
      end: query.end_time,
      type: query.event_type,
      severity: query.severity,
      details: query.include_details,
      page: { page: query.page, per_page: query.per_page },
    }),
    render: ({ events: found, total, details, page }) => ({
      data: found.map((event) => eventBody(event, details)),
      pagination: pagination(page, total),
    }),
  }),
});

export const eventEndpoints = [events];

const eventBody = (event: SensedEvent, details: boolean) => ({
  event_id: event.id,
  type: event.type,
  severity: event.severity,
  timestamp: isoTime(event.time),
  environment_id: event.environment,
  person_id: event.person,
  track_id: event.person,
  confidence: event.confidence,
  location: { x: event.location?.x ?? 0, y: event.location?.y ?? 0 },
  metadata: { ...NOT_MEASURED, ...(details ? event.metadata : ofContract(event.metadata)) },
  actions_taken: [],
});

const NOT_MEASURED = { fall_duration: 0, impact_severity: 0, recovery_detected: false };

const ofContract = (metadata: SensedEvent['metadata']): SensedEvent['metadata'] =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => Object.hasOwn(NOT_MEASURED, name)));
