import type { AnyEndpoint } from '../contract/endpoint.js';
import { accountEndpoints } from './accounts.js';
import { alertEndpoints } from './alerts.js';
import { analyticsEndpoints } from './analytics/index.js';
import { auditEndpoints } from './audit.js';
import { authEndpoints } from './auth.js';
import { backupEndpoints } from './backups.js';
import { clipEndpoints } from './clips.js';
import { configurationEndpoints } from './configuration.js';
import { deadLetterEndpoints } from './dead-letters.js';
import { eventEndpoints } from './events.js';
import { exportEndpoints } from './exports.js';
import { healthEndpoints } from './health.js';
import { poseQueryEndpoints } from './pose-query.js';
import { poseEndpoints } from './pose.js';
import { processEndpoints } from './process.js';
import { systemEndpoints } from './system.js';
import { tapEndpoints } from './taps.js';
import { topologyEndpoints } from './topologies.js';
import { trackEndpoints } from './tracks.js';
import { webhookEndpoints } from './webhooks.js';

/** Every operation of the service interface, once. A new resource is a file beside this one and a line here. */
export const ENDPOINTS: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...accountEndpoints,
  ...poseEndpoints,
  ...poseQueryEndpoints,
  ...processEndpoints,
  ...trackEndpoints,
  ...eventEndpoints,
  ...analyticsEndpoints,
  ...alertEndpoints,
  ...clipEndpoints,
  ...systemEndpoints,
  ...configurationEndpoints,
  ...topologyEndpoints,
  ...tapEndpoints,
  ...webhookEndpoints,
  ...deadLetterEndpoints,
  ...backupEndpoints,
  ...exportEndpoints,
  ...auditEndpoints,
  ...healthEndpoints,
];
