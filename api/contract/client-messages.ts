import { Type, type Static, type TObject } from 'typebox';
import { Value } from 'typebox/value';
import { EVENT_TYPES, SEVERITIES } from '../../pipeline/model/index.js';

const closed = { additionalProperties: false } as const;
const Share = Type.Number({ minimum: 0, maximum: 1 });
const Id = Type.String({ minLength: 1, maxLength: 512 });
const EnvironmentId = Type.String({ maxLength: 64 });

/** Filters of a subscription: docs/websocket.md. */
export const PoseFiltersSchema = Type.Object(
  {
    min_confidence: Type.Optional(Share),
    person_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 100 })),
    include_keypoints: Type.Optional(Type.Boolean()),
    include_dense_pose: Type.Optional(Type.Boolean()),
    include_3d: Type.Optional(Type.Boolean()),
    environment_id: Type.Optional(EnvironmentId),
  },
  closed,
);

export const AlertFiltersSchema = Type.Object(
  {
    alert_types: Type.Optional(Type.Array(Type.Enum([...EVENT_TYPES]), { maxItems: 20 })),
    severity: Type.Optional(Type.Array(Type.Enum([...SEVERITIES]), { maxItems: 4 })),
    environment_id: Type.Optional(EnvironmentId),
    include_environment: Type.Optional(
      Type.Boolean({ description: 'Adds `environment_id` to the alerts. Default: false.' }),
    ),
  },
  closed,
);

export const AcknowledgementFiltersSchema = Type.Object(
  { environment_id: Type.Optional(EnvironmentId) },
  closed,
);

const NoFiltersSchema = Type.Object({}, closed);

/** Where a client resumes after its connection broke. */
export const ResumeSchemas = {
  pose_updates: Type.Object({ subscription_id: Id, frame_id: Type.Integer({ minimum: 0 }) }, closed),
  alerts: Type.Object({ subscription_id: Id, alert_id: Type.Optional(Id) }, closed),
  acknowledgements: Type.Object({ subscription_id: Id }, closed),
  system_status: Type.Object({ subscription_id: Id }, closed),
};

export const FilterSchemas = {
  pose_updates: PoseFiltersSchema,
  alerts: AlertFiltersSchema,
  acknowledgements: AcknowledgementFiltersSchema,
  system_status: NoFiltersSchema,
};

export type Channel = keyof typeof FilterSchemas;
export type PoseFilters = Static<typeof PoseFiltersSchema>;
export type AlertFilters = Static<typeof AlertFiltersSchema>;
export type AcknowledgementFilters = Static<typeof AcknowledgementFiltersSchema>;

export interface Subscribe<C extends Channel = Channel> {
  readonly type: 'subscribe';
  readonly channel: C;
  /** Undefined if none were sent: everything, or the filters of the resumed subscription. */
  readonly filters: Static<(typeof FilterSchemas)[C]> | undefined;
  readonly resume: Static<(typeof ResumeSchemas)[C]> | undefined;
}

/** A checked request of a client. */
export type ClientMessage =
  | { readonly type: 'ping' }
  | { readonly type: 'unsubscribe'; readonly subscription_id: string }
  | { [C in Channel]: Subscribe<C> }[Channel];

/** Why a message was not understood. */
export class MessageError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** @throws MessageError with the fault. */
export function readMessage(text: string): ClientMessage {
  const message = parse(text);
  switch (message['type']) {
    case 'ping':
      return { type: 'ping' };
    case 'unsubscribe':
      if (typeof message['subscription_id'] !== 'string') throw wrong('subscription_id must be a string');
      return { type: 'unsubscribe', subscription_id: message['subscription_id'] };
    case 'subscribe':
      return readSubscribe(message);
    default:
      throw wrong('type must be subscribe, unsubscribe or ping');
  }
}

function readSubscribe({ channel, filters, resume }: Record<string, unknown>): ClientMessage {
  if (typeof channel !== 'string' || !Object.hasOwn(FilterSchemas, channel)) {
    throw wrong(`channel must be one of ${Object.keys(FilterSchemas).join(', ')}`);
  }
  check('filters', FilterSchemas[channel as Channel], filters);
  check('resume', ResumeSchemas[channel as Channel], resume);
  return { type: 'subscribe', channel, filters, resume } as ClientMessage;
}

/** @throws MessageError */
function check(name: 'filters' | 'resume', schema: TObject, value: unknown): void {
  if (value === undefined || Value.Check(schema, value)) return;
  const [first] = Value.Errors(schema, value);
  const detail = first ? describe(name, first) : `${name} is not valid`;
  throw wrong(`${detail}; known ${name}: ${Object.keys(schema.properties).join(', ') || 'none'}`);
}

/** One error in words of the message: an unknown filter breaks no rule of the schema. */
function describe(
  name: 'filters' | 'resume',
  { instancePath, keyword, message, params }: ReturnType<typeof Value.Errors>[number],
): string {
  const field = `${name}${instancePath.replaceAll('/', '.')}`;
  switch (keyword) {
    case 'boolean':
    case 'additionalProperties':
      return `${field} is not a ${name === 'filters' ? 'filter' : 'field of resume'} of this channel`;
    case 'enum':
      return `${field} must be one of ${params.allowedValues.join(', ')}`;
    default:
      return `${field} ${message}`;
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw wrong(`a message must be JSON: ${error.message}`);
  }
  throw wrong('a message must be a JSON object');
}

const wrong = (message: string): MessageError => new MessageError('VALIDATION_ERROR', message);
