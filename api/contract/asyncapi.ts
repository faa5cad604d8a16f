import type { TSchema } from 'typebox';

type Schemas = Readonly<Record<string, TSchema>>;

interface ServerAddress {
  readonly version: string;
  readonly host: string;
  readonly protocol: 'ws' | 'wss';
  readonly path: string;
}

/**
 * The WebSocket of the service interface, from the schemas of its messages.
 *
 * @param host of the service, with its port
 * @param path where it is served: `/ws/pose`
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function asyncApiOf(
  { sent, received }: { readonly sent: Schemas; readonly received: Schemas },
  { version, host, protocol, path }: ServerAddress,
): Readonly<Record<string, unknown>> {
  const messages = { ...messagesOf(received), ...messagesOf(sent) };
  const references = (schemas: Schemas) =>
    Object.keys(schemas).map((name) => ({ $ref: `#/channels/pose/messages/${name}` }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'csiflow: live results',
      version,
      description:
        'Poses, alerts and the state of the system as they happen. Send the token in the query (`?token=`), in `Authorization`, or in the list of subprotocols: `["pose_v1", "<token>"]`.',
      license: { name: 'MIT' },
    },
    servers: {
      here: {
        host,
        protocol,
        security: [
          { $ref: '#/components/securitySchemes/bearer' },
          { $ref: '#/components/securitySchemes/token' },
          { $ref: '#/components/securitySchemes/apiKey' },
        ],
      },
    },
    channels: { pose: { address: path, messages } },
    operations: {
      follow: { action: 'receive', channel: { $ref: '#/channels/pose' }, messages: references(sent) },
      ask: { action: 'send', channel: { $ref: '#/channels/pose' }, messages: references(received) },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        token: { type: 'httpApiKey', in: 'query', name: 'token' },
        apiKey: { type: 'httpApiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  };
}

const messagesOf = (schemas: Schemas) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, payload]) => [
      name,
      { name, contentType: 'application/json', payload },
    ]),
  );
