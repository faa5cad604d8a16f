import { packageVersion } from '../../pipeline/base/paths.js';
import { asyncApiOf } from '../contract/asyncapi.js';
import { openApiOf } from '../contract/openapi.js';
import { ClientSchemas, ServerSchemas } from '../contract/server-messages.js';
import { ENDPOINTS } from './endpoints.js';

/** How a client reaches the service. */
export interface Origin {
  readonly secure: boolean;
  /** Including the port: `127.0.0.1:8000`. */
  readonly host: string;
}

/** The service as it starts without options. */
const HERE: Origin = { secure: false, host: '127.0.0.1:8000' };

const version = packageVersion();

const openApi = (form: 'a' | 'b') => (origin?: Origin) =>
  openApiOf(form, ENDPOINTS, { version, origin: httpOrigin(origin), base: `/form-${form}/api/v1` });

const httpOrigin = ({ secure, host }: Origin = HERE): string => `${secure ? 'https' : 'http'}://${host}`;

/** Documents that describe the service interface to programs, by the name of their file. */
export const API_DOCUMENTS: Readonly<Record<string, (origin?: Origin) => Readonly<Record<string, unknown>>>> =
  {
    'openapi-a': openApi('a'),
    'openapi-b': openApi('b'),
    asyncapi: ({ secure, host }: Origin = HERE) =>
      asyncApiOf(
        { sent: ServerSchemas, received: ClientSchemas },
        { version, host, protocol: secure ? 'wss' : 'ws', path: '/ws/pose' },
      ),
  };
