import type { Static } from 'typebox';
import { exactIsoTime } from '../../pipeline/base/iso-time.js';
import type {
  EventMessage,
  MeasureMessage,
  PoseMessage,
  ResultMessage,
} from '../../pipeline/formats/json/result-schema.js';
import { plainPerson, type Measure, type PoseFrame, type SensedEvent } from '../../pipeline/model/index.js';
import { provenanceBody } from './alert.js';

/** A result as brokers carry it. Its `id` is the same each time it is sent. */
export function resultBody(record: PoseFrame | SensedEvent | Measure): Static<typeof ResultMessage> {
  if (record.port === 'pose') return poseBody(record);
  return record.port === 'event' ? eventBody(record) : measureBody(record);
}

const poseBody = (pose: PoseFrame): Static<typeof PoseMessage> => ({
  type: 'pose',
  id: `${pose.environment}/pose/${pose.frameId}`,
  environment_id: pose.environment,
  timestamp: exactIsoTime(pose.time),
  frame_id: pose.frameId,
  window_end: exactIsoTime(pose.windowEnd),
  links: pose.links,
  ...(pose.leftOut && { left_out: [...pose.leftOut] }),
  signal_quality: pose.signalQuality,
  persons: pose.persons.map((person) => plainPerson(person, exactIsoTime)),
  provenance: provenanceBody(pose.provenance),
});

const eventBody = (event: SensedEvent): Static<typeof EventMessage> => ({
  type: 'event',
  id: event.id,
  environment_id: event.environment,
  timestamp: exactIsoTime(event.time),
  event: event.type,
  severity: event.severity,
  confidence: event.confidence,
  person_id: event.person,
  location: event.location,
  metadata: { ...event.metadata },
  source: event.source,
  provenance: provenanceBody(event.provenance),
});

const measureBody = (measure: Measure): Static<typeof MeasureMessage> => ({
  type: 'measure',
  id: `${measure.environment}/${measure.name}/${measure.subject ?? ''}/${measure.source}/${Math.round(measure.time)}`,
  environment_id: measure.environment,
  timestamp: exactIsoTime(measure.time),
  name: measure.name,
  subject: measure.subject,
  value: measure.value,
  source: measure.source,
  provenance: provenanceBody(measure.provenance),
});
