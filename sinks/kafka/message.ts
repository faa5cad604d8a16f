import type { Static } from 'typebox';
import { exactIsoTime } from '../../pipeline/base/iso-time.js';
import type {
  EventMessage,
  MeasureMessage,
  PoseMessage,
  ResultMessage,
} from '../../pipeline/formats/json/result-schema.js';
import {
  plainPerson,
  type Data,
  type Failure,
  type Measure,
  type PoseFrame,
  type SensedEvent,
} from '../../pipeline/model/index.js';
import { provenanceBody } from '../shared/alert.js';
import { cloudAttributes, inMode, KAFKA, type CloudEventsMode } from '../shared/cloud-event.js';
import { finiteJson } from '../shared/json.js';

/** A result as a message. */
export interface Outgoing {
  readonly port: 'pose' | 'event' | 'measure';
  readonly key: string;
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** @returns a failure if it contains a number that JSON does not support */
export function toMessage(record: Data, mode: CloudEventsMode, topology: string): Outgoing | Failure {
  if (record.port === 'csi' || record.port === 'window')
    return failure(record, 'kafka.port', `${record.port} is not a result`);
  try {
    const result = bodyOf(record);
    const attributes = () => cloudAttributes(record, record.port, result.id, topology);
    const { body: value, headers } = inMode(mode, KAFKA, attributes, finiteJson(result));
    return {
      port: record.port,
      key: record.environment,
      value,
      ...(mode !== 'none' && { headers }),
      timestamp: Math.floor(record.time / 1000),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return failure(record, 'kafka.value.invalid', error.message);
  }
}

export const failure = (record: Data, code: string, reason: string): Failure => ({
  record,
  code,
  reason,
  retriable: false,
});

function bodyOf(record: PoseFrame | SensedEvent | Measure): Static<typeof ResultMessage> {
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
