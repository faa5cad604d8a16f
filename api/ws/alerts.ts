import type { Acknowledged } from '../service/alerts/acknowledgements.js';
import { ALERT_TYPES, type Domain, type SensedEvent } from '../../pipeline/model/index.js';
import { actionsRequired, clipPath } from '../../sinks/shared/alert.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import type { AlertFilters } from '../contract/client-messages.js';

/** These may concern nobody in particular. */
const IMPERSONAL: readonly string[] = ['crowd', 'intrusion'];

/** An alert in the form of the WebSocket. @param placed includes the environment */
export const alertMessage = (event: SensedEvent, domain: Domain | undefined, placed = false): object => ({
  type: 'alert',
  alert_id: event.id,
  timestamp: isoTime(event.time),
  alert_type: event.type,
  severity: event.severity,
  data: {
    person_id: event.person ?? (IMPERSONAL.includes(event.type) ? null : 0),
    location: { x: event.location?.x ?? 0, y: event.location?.y ?? 0 },
    confidence: event.confidence,
    video_clip_url: clipPath(event),
  },
  actions_required: actionsRequired(event, domain),
  ...(placed && { environment_id: event.environment }),
});

/** An acknowledgement as the WebSocket sends it. */
export const acknowledgedMessage = ({ alert, environment, by, at }: Acknowledged): object => ({
  type: 'alert_acknowledged',
  alert_id: alert,
  environment_id: environment,
  acknowledged_by: by,
  acknowledged_at: new Date(at).toISOString(),
});

/** Everyday events come to who names their type. */
export function isWanted({ type, severity, environment }: SensedEvent, filters: AlertFilters): boolean {
  const types: readonly string[] = filters.alert_types ?? ALERT_TYPES;
  return (
    types.includes(type) &&
    (filters.severity?.includes(severity) ?? true) &&
    (filters.environment_id ?? environment) === environment
  );
}
