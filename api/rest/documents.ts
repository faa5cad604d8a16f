import { packageVersion } from '../../pipeline/telemetry/paths.js';
import { asyncApiOf } from '../contract/asyncapi.js';
import { openApiOf } from '../contract/openapi.js';
import { ClientSchemas, ServerSchemas } from '../ws/schemas.js';
import { ENDPOINTS } from './app.js';

const version = packageVersion();

/** What describes the service interface to programs, by the name of its file under `/docs/`. */
export const API_DOCUMENTS: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  'openapi-a': () => openApiOf('a', ENDPOINTS, { version, base: '/form-a/api/v1' }),
  'openapi-b': () => openApiOf('b', ENDPOINTS, { version, base: '/form-b/api/v1' }),
  asyncapi: () => asyncApiOf({ sent: ServerSchemas, received: ClientSchemas }, { version, path: '/ws/pose' }),
};
