import type { AnyEndpoint } from '../contract/endpoint.js';
import { accountEndpoints } from './accounts/accounts.js';
import { alertEndpoints } from './alerts/alerts.js';
import { analyticsEndpoints } from './analytics/index.js';
import { auditEndpoints } from './accounts/audit.js';
import { authEndpoints } from './accounts/auth.js';
import { backupEndpoints } from './topologies/backups.js';
import { calibrationEndpoints } from './topologies/calibrations.js';
import { clipEndpoints } from './alerts/clips.js';
import { configurationEndpoints } from './configuration/configuration.js';
import { deadLetterEndpoints } from './topologies/dead-letters.js';
import { environmentEndpoints } from './topologies/environments.js';
import { eventEndpoints } from './pose/events.js';
import { exportEndpoints } from './pose/exports.js';
import { healthEndpoints } from './system/health.js';
import { linkEndpoints } from './topologies/links.js';
import { poseQueryEndpoints } from './pose/pose-query.js';
import { poseEndpoints } from './pose/pose.js';
import { processEndpoints } from './processing/process.js';
import { storeQueryEndpoints } from './pose/store-query.js';
import { systemEndpoints } from './system/system.js';
import { tapEndpoints } from './topologies/taps.js';
import { topologyEndpoints } from './topologies/topologies.js';
import { trackEndpoints } from './pose/tracks.js';
import { webhookEndpoints } from './alerts/webhooks.js';

/** Every operation of the service interface. A new resource is a file in one of the folders, and a line here. */
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
  ...environmentEndpoints,
  ...calibrationEndpoints,
  ...linkEndpoints,
  ...tapEndpoints,
  ...webhookEndpoints,
  ...deadLetterEndpoints,
  ...backupEndpoints,
  ...exportEndpoints,
  ...storeQueryEndpoints,
  ...auditEndpoints,
  ...healthEndpoints,
];
