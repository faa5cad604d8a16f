import { packageVersion } from '../../pipeline/telemetry/paths.js';
import { openApiOf, type OpenApi } from '../contract/openapi.js';
import { ENDPOINTS } from './app.js';

/** What describes the service interface to programs, by the name of its file under `/docs/`. */
export const API_DOCUMENTS: Readonly<Record<string, () => OpenApi>> = {
  'openapi-a': () => openApiOf('a', ENDPOINTS, { version: packageVersion(), base: '/form-a/api/v1' }),
  'openapi-b': () => openApiOf('b', ENDPOINTS, { version: packageVersion(), base: '/form-b/api/v1' }),
};
