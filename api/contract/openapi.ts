import { Type, type TObject, type TSchema } from 'typebox';
import { viewOf, type AnyEndpoint, type AnyFormView } from './endpoint.js';
import { ErrorASchema, ErrorBSchema, STATUS_OF } from './errors.js';
import { EXAMPLES } from './examples.js';
import type { Form } from '../service/form.js';
import { PaginationSchema } from './pages.js';

/** An OpenAPI document: plain JSON. */
export type OpenApi = Readonly<Record<string, unknown>>;

const TITLES = { a: 'bare bodies', b: 'bodies in an envelope' } as const;

/**
 * The service interface in one form, from the same schemas that check requests and that tests compare with
 * answers.
 *
 * @param origin of the service: `http://127.0.0.1:8000`
 * @param base where the form is mounted: `/form-b/api/v1`
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiOf(
  form: Form,
  endpoints: readonly AnyEndpoint[],
  { version, origin, base }: { readonly version: string; readonly origin: string; readonly base: string },
): OpenApi {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operationOf(endpoint, form);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: `csiflow, Form ${form.toUpperCase()}: ${TITLES[form]}`,
      version,
      description: [
        'People from Wi-Fi channel state information: poses, tracks, events and statistics, and control of the sensing system. An operation missing in a form is answered in the body of the other; errors always have the form of the address.',
        `Documents of both forms: [Form A](${origin}/openapi-a.json), [Form B](${origin}/openapi-b.json).`,
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'The WebSocket: AsyncAPI', url: `${origin}/asyncapi.json` },
    servers: [{ url: origin + base }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'access_token of POST /auth/token.',
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key for services.' },
      },
      schemas: { Error: form === 'a' ? ErrorASchema : ErrorBSchema },
      responses: sharedResponses(),
      headers: HEADERS,
    },
  };
}

function operationOf(endpoint: AnyEndpoint, asked: Form): object {
  const { form, view } = viewOf(endpoint, asked);
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    tags: [tagOf(endpoint)],
    ...(endpoint.access === 'open'
      ? { security: [] }
      : { description: `Requires the role ${endpoint.access}.` }),
    ...parametersOf(view, takesVersion(endpoint)),
    ...(view.body && requestBody(asSent(view.body), exampleOf(endpoint, form))),
    responses: {
      [endpoint.status]:
        endpoint.status === 204
          ? { description: 'Success without content.', headers: HEADER_REFERENCES }
          : {
              description: 'Success.',
              headers: { ...HEADER_REFERENCES, ...(endpoint.versioned && ETAG) },
              ...contentOf(endpoint, bodySchema(endpoint, form)),
            },
      ...errorResponses(endpoint),
    },
  };
}

/** `GET /pose/tracking/:track_id` is `getPoseTrackingTrackId`. */
const operationId = ({ method, path }: AnyEndpoint): string =>
  method.toLowerCase() +
  path
    .split(/[/_:-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const tagOf = ({ path }: AnyEndpoint): string => path.split('/')[1]!;

/** Schema of a whole body of success. */
function bodySchema(endpoint: AnyEndpoint, form: Form): TSchema {
  const { response, query } = endpoint[form]!;
  if (form === 'a' || endpoint.bare || endpoint.document) return response;
  return Type.Object(
    {
      success: Type.Literal(true),
      data: response,
      ...(query && 'per_page' in query.properties && { pagination: PaginationSchema }),
      timestamp: Type.String({ format: 'date-time' }),
      request_id: Type.String(),
    },
    { additionalProperties: false },
  );
}

/** Reading calls do not depend on a version. */
const takesVersion = ({ versioned, method }: AnyEndpoint): boolean => versioned === true && method !== 'GET';

function parametersOf({ path, query }: AnyFormView, versioned: boolean): object {
  const parameters = [
    ...fieldsOf(path).map((field) => ({ ...parameter(field), in: 'path', required: true })),
    ...fieldsOf(query).map((field) => ({ ...parameter(field), in: 'query' })),
    ...(versioned ? [IF_MATCH] : []),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

const fieldsOf = (schema: TObject | undefined) => {
  const { properties = {}, required = [] } = schema ? asSent(schema) : {};
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    required: required.includes(name),
  }));
};

/** Default descriptions of parameters, unless their own schema has one. */
const MEANING_OF: Readonly<Record<string, string>> = {
  start_time: 'Start of the range: ISO 8601, UTC by default; a date means its midnight.',
  end_time: 'End of the range (exclusive), in the format of start_time; at most 90 days after it.',
  environment_id: 'Default: the main environment of the configuration.',
  person_id: 'Only this person.',
  track_id: 'Only this track.',
  min_confidence: 'Omits persons with a lower confidence.',
  confidence_threshold: 'Omits persons with a lower confidence.',
  include_keypoints: 'False omits keypoints.',
  include_trajectory: 'Whether to include the trajectory.',
  limit: 'Largest number of frames.',
  cursor: 'next_cursor of the previous page; with otherwise the same parameters.',
  page: 'From 1.',
  per_page: 'Entries per page.',
  granularity: 'The key of hourly_breakdown.',
  interval: 'Length of a step in time_series.',
  event_type: 'fall, alert (events that notify people), or activity (all other events).',
  severity: 'Only this severity.',
  metric_type: 'Only this group of current.',
  outcome: 'Only this outcome.',
  id: 'Id from the list.',
  name: 'Name from the list of users.',
  node: 'Id of a node, from the graph of its topology.',
  letter: 'Id of a dead letter, from their list.',
  alert_id: 'Id of the alert.',
  timestamp: 'Id of the alert.',
};

function parameter({ name, schema, required }: ReturnType<typeof fieldsOf>[number]) {
  const description = 'description' in schema ? schema.description : MEANING_OF[name];
  return { name, required, ...(description !== undefined && { description }), schema };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** A request's schema for its sender: a field with a default is optional. */
const asSent = (schema: TSchema): ObjectSchema =>
  JSON.parse(JSON.stringify(schema), (_key, part: unknown) => {
    if (!isObjectSchema(part)) return part;
    const { properties, required, ...rest } = part;
    const needed = required.filter((name) => !('default' in properties[name]!));
    return { ...rest, properties, ...(needed.length > 0 && { required: needed }) };
  }) as ObjectSchema;

const isObjectSchema = (part: unknown): part is Required<ObjectSchema> =>
  typeof part === 'object' && part !== null && 'properties' in part && 'required' in part;

/** An absent body counts as an empty one. */
const requestBody = (schema: ObjectSchema, example: object | undefined) => ({
  requestBody: {
    required: (schema.required ?? []).length > 0,
    content: { 'application/json': { schema, ...(example && { example }) } },
  },
});

const exampleOf = ({ method, path }: AnyEndpoint, form: Form): object | undefined =>
  EXAMPLES[`${method} ${path}`]?.[form];

const json = (schema: object) => ({ content: { 'application/json': { schema } } });

const contentOf = ({ document }: AnyEndpoint, schema: object) =>
  document ? { content: { [document.type]: { schema } } } : json(schema);

/** Possible answers of every call: these errors are found before its endpoint runs. */
function errorResponses(endpoint: AnyEndpoint): Record<string, object> {
  const left = new Set<number>(Object.values(STATUS_OF));
  left.delete(405);
  if (!takesVersion(endpoint)) left.delete(412);
  if (endpoint.access === 'open' && !endpoint.path.startsWith('/auth/')) left.delete(401);
  if (endpoint.access === 'open') left.delete(403);
  return Object.fromEntries(
    [...left].map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  );
}

const sharedResponses = () =>
  Object.fromEntries(
    [...new Set(Object.values(STATUS_OF))].map((status) => [
      `Error${status}`,
      {
        description: MEANINGS[status],
        headers: { ...HEADER_REFERENCES, ...HEADERS_OF[status] },
        ...json({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  );

/** 7.3 */
const MEANINGS: Readonly<Record<(typeof STATUS_OF)[keyof typeof STATUS_OF], string>> = {
  400: 'The request is malformed, or its range is too long.',
  401: 'Credentials are missing or invalid.',
  403: 'The account lacks the required role.',
  404: 'Not found.',
  405: 'Method not allowed.',
  408: 'The request arrived too slowly.',
  409: 'It conflicts with the current state.',
  412: 'It has changed in the meantime.',
  413: 'The body is too large.',
  421: 'The service does not have that host name; or another process of the group reads the room: `Location` has its address.',
  422: 'A field is invalid.',
  429: 'Rate limit exceeded.',
  431: 'The headers are too large.',
  500: 'Internal error.',
  502: 'The hardware does not answer.',
  503: 'Not ready, or overloaded: try again after Retry-After.',
  504: 'Timeout.',
};

const LIMIT_HEADERS = {
  'X-RateLimit-Limit': 'Requests allowed per window.',
  'X-RateLimit-Remaining': 'Requests left in the window.',
  'X-RateLimit-Reset': 'End of the window: Unix time in seconds.',
  'X-RateLimit-Window': 'Length of the window in seconds.',
} as const satisfies Readonly<Record<string, string>>;

const HEADERS = {
  ...Object.fromEntries(
    Object.entries(LIMIT_HEADERS).map(([name, description]) => [
      name,
      { description, schema: { type: 'integer' } },
    ]),
  ),
  'X-Request-Id': { description: 'Identifies the call, also in logs.', schema: { type: 'string' } },
};

const ETAG = { ETag: { description: 'The version in this answer.', schema: { type: 'string' } } };

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
};

/** Only for some errors. */
const HEADERS_OF: Partial<Record<number, object>> = {
  401: {
    'WWW-Authenticate': { description: '`Bearer`, except at a login.', schema: { type: 'string' } },
  },
  405: { Allow: { description: 'The methods that the path supports.', schema: { type: 'string' } } },
  421: {
    Location: {
      description: 'The same call at the process that reads the room, if its address is known.',
      schema: { type: 'string', format: 'uri' },
    },
  },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'ETags, or *: the call succeeds only if one of them is the current version; otherwise it is answered with 412.',
  schema: { type: 'string' },
};

const HEADER_REFERENCES = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
