import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { EVENT_TYPES, SEVERITIES } from '../../pipeline/model/index.js';

const closed = { additionalProperties: false } as const;
const Share = Type.Number({ minimum: 0, maximum: 1 });

/** Filters of section 6.1. */
export const PoseFiltersSchema = Type.Object(
  {
    min_confidence: Type.Optional(Share),
    person_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: 100 })),
    include_keypoints: Type.Optional(Type.Boolean()),
    include_dense_pose: Type.Optional(
      Type.Literal(false, { description: 'Dense pose is not streamed yet.' }),
    ),
    include_3d: Type.Optional(Type.Boolean()),
    environment_id: Type.Optional(Type.String({ maxLength: 64 })),
  },
  closed,
);

export const AlertFiltersSchema = Type.Object(
  {
    alert_types: Type.Optional(Type.Array(Type.Enum([...EVENT_TYPES]), { maxItems: 20 })),
    severity: Type.Optional(Type.Array(Type.Enum([...SEVERITIES]), { maxItems: 4 })),
  },
  closed,
);

const NoFiltersSchema = Type.Object({}, closed);

export type PoseFilters = Static<typeof PoseFiltersSchema>;
export type AlertFilters = Static<typeof AlertFiltersSchema>;

/** What a client may ask for, checked. */
export type ClientMessage =
  | { readonly type: 'ping' }
  | { readonly type: 'unsubscribe'; readonly subscription_id: string }
  | { readonly type: 'subscribe'; readonly channel: 'pose_updates'; readonly filters: PoseFilters }
  | { readonly type: 'subscribe'; readonly channel: 'alerts'; readonly filters: AlertFilters }
  | { readonly type: 'subscribe'; readonly channel: 'system_status'; readonly filters: object };

/** Why a message was not understood. */
export class MessageError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const FILTERS = {
  pose_updates: PoseFiltersSchema,
  alerts: AlertFiltersSchema,
  system_status: NoFiltersSchema,
};

/** @throws MessageError naming what is wrong. */
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

function readSubscribe({ channel, filters = {} }: Record<string, unknown>): ClientMessage {
  if (typeof channel !== 'string' || !Object.hasOwn(FILTERS, channel)) {
    throw wrong(`channel must be one of ${Object.keys(FILTERS).join(', ')}`);
  }
  const schema = FILTERS[channel as keyof typeof FILTERS];
  if (!Value.Check(schema, filters)) {
    const [first] = Value.Errors(schema, filters);
    const detail = first ? describe(first) : 'filters are not valid';
    throw wrong(`${detail}; known filters: ${Object.keys(schema.properties).join(', ') || 'none'}`);
  }
  return { type: 'subscribe', channel, filters } as ClientMessage;
}

/** One error in words of the message: an unknown filter has no rule that it breaks. */
function describe({
  instancePath,
  keyword,
  message,
  params,
}: ReturnType<typeof Value.Errors>[number]): string {
  const field = `filters${instancePath.replaceAll('/', '.')}`;
  switch (keyword) {
    case 'boolean':
    case 'additionalProperties':
      return `${field} is no filter of this channel`;
    case 'const':
      return `${field} can only be ${JSON.stringify(params.allowedValue)}`;
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
