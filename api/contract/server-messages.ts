import { Type, type Static, type TSchema } from 'typebox';
import { EVENT_TYPES, SEVERITIES } from '../../pipeline/model/index.js';
import { PersonASchema, PersonBSchema, PoseFrameASchema, PoseFrameBSchema } from './pose-schema.js';
import {
  AcknowledgementFiltersSchema,
  AlertFiltersSchema,
  FilterSchemas,
  PoseFiltersSchema,
  ResumeSchemas,
} from './client-messages.js';

const closed = { additionalProperties: false } as const;
const Timestamp = Type.String({ format: 'date-time' });
const Id = Type.String();

const message = <T extends string, F extends Record<string, TSchema>>(
  type: T,
  fields: F,
  description: string,
) => Type.Object({ type: Type.Literal(type), ...fields }, { ...closed, description });

const { metadata: metadataA } = PoseFrameASchema.properties;
const { metadata: metadataB } = PoseFrameBSchema.properties;
const inMetadata = { processing_time_ms: Type.Number() };

const PoseDataA = Type.Object(
  {
    frame_id: Type.Integer(),
    // Keypoints are omitted if a filter excludes them.
    persons: Type.Array(
      Type.Object(
        { ...PersonASchema.properties, keypoints: Type.Optional(PersonASchema.properties.keypoints) },
        closed,
      ),
    ),
    metadata: Type.Object({ ...metadataA.properties, ...inMetadata }, closed),
  },
  closed,
);

const PoseDataB = Type.Object(
  {
    frame_id: Type.Integer(),
    persons: Type.Array(PersonBSchema),
    metadata: Type.Object({ ...metadataB.properties, ...inMetadata }, closed),
  },
  closed,
);

/** What a resumed subscription reports about the missed time. */
const Resumed = Type.Object(
  { sent: Type.Integer({ minimum: 0 }), missed: Type.Integer({ minimum: 0 }) },
  { ...closed, description: 'Missed messages that follow now, and an upper limit of those that were lost.' },
);

/** What the service sends over the WebSocket: docs/websocket.md. */
export const ServerSchemas = {
  connection_established: message(
    'connection_established',
    { client_id: Id, server_time: Timestamp, supported_protocols: Type.Array(Type.String()) },
    'The first message of a connection.',
  ),
  subscription_confirmed: message(
    'subscription_confirmed',
    {
      channel: Type.Enum(['pose_updates', 'alerts', 'acknowledgements', 'system_status']),
      subscription_id: Id,
      filters_applied: Type.Union([PoseFiltersSchema, AlertFiltersSchema, AcknowledgementFiltersSchema]),
      resumed: Type.Optional(Resumed),
    },
    'Answers subscribe.',
  ),
  unsubscription_confirmed: message(
    'unsubscription_confirmed',
    { subscription_id: Id },
    'Answers unsubscribe.',
  ),
  pose_update: message(
    'pose_update',
    {
      subscription_id: Id,
      timestamp: Timestamp,
      data: Type.Union([PoseDataB, PoseDataA]),
    },
    'A pose frame that matches a subscription; persons have the shape of Form B unless configured otherwise.',
  ),
  alert: message(
    'alert',
    {
      alert_id: Id,
      timestamp: Timestamp,
      alert_type: Type.Enum([...EVENT_TYPES]),
      severity: Type.Enum([...SEVERITIES]),
      data: Type.Object(
        {
          person_id: Type.Union([Type.Integer(), Type.Null()]),
          location: Type.Object({ x: Type.Number(), y: Type.Number() }, closed),
          confidence: Type.Number(),
          video_clip_url: Type.String(),
        },
        closed,
      ),
      actions_required: Type.Array(Type.String()),
      environment_id: Type.Optional(Type.String({ description: 'Only with include_environment.' })),
    },
    'An alert that matches a subscription.',
  ),
  alert_acknowledged: message(
    'alert_acknowledged',
    {
      alert_id: Id,
      environment_id: Id,
      acknowledged_by: Type.String(),
      acknowledged_at: Timestamp,
    },
    'Somebody has acknowledged an alert.',
  ),
  system_status: message(
    'system_status',
    {
      timestamp: Timestamp,
      status: Type.Object(
        {
          processing_fps: Type.Number(),
          active_persons: Type.Integer(),
          system_health: Type.String(),
          gpu_utilization: Type.Number(),
        },
        closed,
      ),
    },
    'Status of the system, every few seconds.',
  ),
  error: message('error', { code: Type.String(), message: Type.String() }, 'The fault in a message.'),
  pong: message('pong', { timestamp: Timestamp }, 'Answers ping.'),
} as const;

/** What a client sends over the WebSocket. */
export const ClientSchemas = {
  subscribe: Type.Union(
    (Object.keys(FilterSchemas) as (keyof typeof FilterSchemas)[]).map((channel) =>
      message(
        'subscribe',
        {
          channel: Type.Literal(channel),
          filters: Type.Optional(FilterSchemas[channel]),
          resume: Type.Optional(ResumeSchemas[channel]),
        },
        `Subscribes to ${channel}.`,
      ),
    ),
    { description: 'Subscribes to a channel, or resumes a subscription of an earlier connection.' },
  ),
  unsubscribe: message('unsubscribe', { subscription_id: Id }, 'Ends a subscription.'),
  ping: message('ping', {}, 'Requests a pong.'),
} as const;

export type ServerMessages = { [T in keyof typeof ServerSchemas]: Static<(typeof ServerSchemas)[T]> };
