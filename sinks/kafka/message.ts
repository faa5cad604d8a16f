import { Type, type Static, type TObject } from 'typebox';
import { choice } from '../../pipeline/component/index.js';
import type { Data, Failure, Measure, Person, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { provenanceBody } from '../shared/alert.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { finiteJson } from '../shared/json.js';

/** Results as they are written to topics: the source of their types, their JSON schema, and its page in docs/. */

const Id = (description: string) => Type.String({ description });
const Time = (description: string) =>
  Type.String({ format: 'date-time', description: `${description}, ISO 8601 in UTC` });
const Metres = Type.Number({ description: 'Metres' });
const Nullable = <T extends TObject | ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>>(
  schema: T,
) => Type.Union([schema, Type.Null()]);

const Point = Type.Object({ x: Metres, y: Metres, z: Metres }, { description: 'Room coordinates' });

const Provenance = Type.Object(
  {
    origin: choice(
      { live: 'From radios.', replay: 'From a recording.', simulated: 'From a simulator.' },
      { description: 'What the input was.' },
    ),
    model: Type.Optional(
      Type.Object({
        name: Type.String(),
        version: Type.String(),
        trained_on: Type.String({ description: 'In words: `simulated CSI`' }),
        accuracy: Type.String({ description: 'Where its accuracy is documented' }),
      }),
    ),
  },
  { description: 'Where a result comes from.' },
);

const common = {
  id: Id('Of this result: the same one again has the same id'),
  environment_id: Id('Environment that it is about; also the key of the message'),
  timestamp: Time('Event time'),
};

const Track = Type.Object({
  id: Type.Integer({ description: 'Number of the person, stable while known' }),
  state: choice(
    { tentative: 'New.', active: 'Seen.', lost: 'Not seen for a while.', ended: 'Given up.' },
    { description: 'State of the track.' },
  ),
  since: Time('Birth of the track'),
  velocity: Type.Object({ x: Type.Number(), y: Type.Number() }, { description: 'Metres a second' }),
});

const PersonMessage = Type.Object({
  confidence: Type.Number({ description: '0 to 1' }),
  position: Point,
  position_error: Type.Number({ description: "Scale of the position's error, metres" }),
  heading: Nullable(Type.Number({ description: 'Radians from the x axis, counter-clockwise' })),
  heading_confidence: Type.Number({ description: '0 to 1' }),
  posture: choice(
    { upright: 'Standing, walking.', sitting: 'Sitting.', lying: 'Lying.' },
    { description: 'Posture.' },
  ),
  articulated: Type.Boolean({ description: 'Keypoints say more than the position does' }),
  keypoints: Type.Array(
    Type.Object({ x: Metres, y: Metres, z: Metres, error: Type.Number({ description: 'Metres' }) }),
    { description: '17 in COCO order' },
  ),
  track: Nullable(Track),
});

export const PoseMessage = Type.Object(
  {
    type: Type.Literal('pose'),
    ...common,
    frame_id: Type.Integer({ description: 'Counts up per environment' }),
    window_end: Time('End of the window that it was inferred from'),
    links: Type.Integer({ description: 'Links in the window' }),
    signal_quality: Type.Number({ description: '0 to 1' }),
    persons: Type.Array(PersonMessage),
    provenance: Provenance,
  },
  { description: 'What was inferred from one window.' },
);

export const EventMessage = Type.Object(
  {
    type: Type.Literal('event'),
    ...common,
    event: Type.String({ description: 'fall_detection, inactivity, intrusion, crowd, zone_entered, ...' }),
    severity: choice(
      { low: 'To be known.', medium: 'To be looked at.', high: 'To be acted on.', critical: 'At once.' },
      { description: 'How bad it is.' },
    ),
    confidence: Type.Number({ description: '0 to 1' }),
    person_id: Nullable(Type.Number({ description: 'Number of the track' })),
    location: Nullable(Point),
    metadata: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Boolean()])),
    source: Type.String({ description: '`csiflow`, or the sender that claims it' }),
    provenance: Provenance,
  },
  { description: 'Something that happened.' },
);

export const MeasureMessage = Type.Object(
  {
    type: Type.Literal('measure'),
    ...common,
    name: Type.String({ description: 'motion, presence, packet_loss, ...' }),
    subject: Nullable(Type.String({ description: 'Link, zone or person that it is about' })),
    value: Type.Number(),
    source: Type.String({ description: '`csiflow`, or the sender that claims it' }),
    provenance: Provenance,
  },
  { description: 'A number over time.' },
);

/** JSON schema of all messages of the sink. */
export const ResultMessage = Type.Union([PoseMessage, EventMessage, MeasureMessage], {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Results of csiflow as messages',
  description: 'Values of the messages that the sink `kafka` writes. Further fields may come.',
});

/** A result as it is sent. */
export interface Outgoing {
  readonly port: 'pose' | 'event' | 'measure';
  readonly key: string;
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** @returns a failure where it holds a number that JSON does not know */
export function toMessage(record: Data): Outgoing | Failure {
  if (record.port === 'csi' || record.port === 'window')
    return failure(record, 'kafka.port', `${record.port} is no result`);
  try {
    const value = finiteJson(bodyOf(record));
    return { port: record.port, key: record.environment, value, timestamp: Math.floor(record.time / 1000) };
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
  timestamp: isoTime(pose.time),
  frame_id: pose.frameId,
  window_end: isoTime(pose.windowEnd),
  links: pose.links,
  signal_quality: pose.signalQuality,
  persons: pose.persons.map(personBody),
  provenance: provenanceBody(pose.provenance),
});

const personBody = (person: Person): Static<typeof PersonMessage> => ({
  confidence: person.confidence,
  position: person.position,
  position_error: person.positionError,
  heading: person.heading,
  heading_confidence: person.headingConfidence,
  posture: person.posture,
  articulated: person.articulated,
  keypoints: person.keypoints.map(({ x, y, z, error }) => ({ x, y, z, error })),
  track: person.track && {
    id: person.track.id,
    state: person.track.state,
    since: isoTime(person.track.since),
    velocity: { ...person.track.velocity },
  },
});

const eventBody = (event: SensedEvent): Static<typeof EventMessage> => ({
  type: 'event',
  id: event.id,
  environment_id: event.environment,
  timestamp: isoTime(event.time),
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
  timestamp: isoTime(measure.time),
  name: measure.name,
  subject: measure.subject,
  value: measure.value,
  source: measure.source,
  provenance: provenanceBody(measure.provenance),
});
