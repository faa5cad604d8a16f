import { isoTime } from '../../pipeline/base/iso-time.js';
import {
  DEFAULT_DOMAIN,
  type Domain,
  type Provenance,
  type SensedEvent,
} from '../../pipeline/model/index.js';

/** What people should do about an event. */
const ACTIONS: Partial<Record<Domain, Partial<Record<SensedEvent['type'], string>>>> = {
  healthcare: { fall_detection: 'medical_response', inactivity: 'medical_response' },
  security: { intrusion: 'security_response', crowd: 'security_response' },
};

/** An alert as brokers and webhooks carry it: the service interface's alert, where it happened, and its evidence. */
export interface AlertBody {
  readonly type: 'alert';
  /** Stable: identifies an alert that is received twice. */
  readonly alert_id: string;
  readonly timestamp: string;
  readonly alert_type: SensedEvent['type'];
  readonly severity: SensedEvent['severity'];
  readonly environment_id: string;
  readonly data: {
    readonly person_id: number | null;
    /** Metres in room coordinates. */
    readonly location: { readonly x: number; readonly y: number; readonly z: number } | null;
    readonly confidence: number;
    /** Where the service interface shows what happened. */
    readonly video_clip_url: string;
  };
  readonly metadata: SensedEvent['metadata'];
  readonly actions_required: readonly string[];
  readonly provenance: ProvenanceBody;
}

export const alertBody = (event: SensedEvent, domain: Domain | undefined): AlertBody => ({
  type: 'alert',
  alert_id: event.id,
  timestamp: isoTime(event.time),
  alert_type: event.type,
  severity: event.severity,
  environment_id: event.environment,
  data: {
    person_id: event.person,
    location: event.location,
    confidence: event.confidence,
    video_clip_url: clipPath(event),
  },
  metadata: event.metadata,
  actions_required: actionsRequired(event, domain),
  provenance: provenanceBody(event.provenance),
});

export const actionsRequired = (
  { type }: SensedEvent,
  domain: Domain = DEFAULT_DOMAIN,
): readonly string[] => {
  const action = ACTIONS[domain]?.[type];
  return action === undefined ? ['notification'] : [action, 'notification'];
};

/**
 * A path of the service interface: a moving skeleton of the seconds around an alert. It contains the time
 * because stores search by time.
 */
export const clipPath = ({ id, time }: SensedEvent): string =>
  `/api/v1/alerts/${isoTime(time)}/${encodeURIComponent(id)}/clip`;

export interface ProvenanceBody {
  readonly origin: Provenance['origin'];
  readonly model?: {
    readonly name: string;
    readonly version: string;
    readonly trained_on: string;
    readonly accuracy: string;
  };
}

/** The origin of a result, as payloads state it. */
export const provenanceBody = ({ origin, model }: Provenance): ProvenanceBody => ({
  origin,
  ...(model && {
    model: {
      name: model.name,
      version: model.version,
      trained_on: model.trainedOn,
      accuracy: model.accuracy,
    },
  }),
});
