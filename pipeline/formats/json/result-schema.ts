import { Type, type TObject } from 'typebox';
import { choice } from '../../component/index.js';
import { LINK_FAULTS } from '../../model/index.js';

/** Results as written to topics: the source of their types, their JSON schema, and the page in docs/. */

const Id = (description: string) => Type.String({ description });
const Time = (description: string) =>
  Type.String({ format: 'date-time', description: `${description}, ISO 8601 in UTC, to the microsecond` });
const Metres = Type.Number({ description: 'Metres' });
const Nullable = <T extends TObject | ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>>(
  schema: T,
) => Type.Union([schema, Type.Null()]);

const Point = Type.Object({ x: Metres, y: Metres, z: Metres }, { description: 'Room coordinates' });

const Provenance = Type.Object(
  {
    origin: choice(
      { live: 'From radios.', replay: 'From a recording.', simulated: 'From a simulator.' },
      { description: 'Kind of the input.' },
    ),
    model: Type.Optional(
      Type.Object({
        name: Type.String(),
        version: Type.String(),
        trained_on: Type.String({ description: 'Training data: `simulated CSI`' }),
        accuracy: Type.String({ description: 'Where its accuracy is documented' }),
      }),
    ),
  },
  { description: 'Origin of a result.' },
);

const common = {
  id: Id('Id of this result: a repeated result has the same id'),
  environment_id: Id('Environment of the result; also the key of the message'),
  timestamp: Time('Event time'),
};

export const TrackMessage = Type.Object({
  id: Type.Integer({ description: 'Number of the person, stable while known' }),
  age: Type.Integer({ description: 'Pose frames since birth' }),
  state: choice(
    { tentative: 'New.', active: 'Seen.', lost: 'Not seen for a while.', ended: 'Ended.' },
    { description: 'State of the track.' },
  ),
  since: Time('Birth of the track'),
  velocity: Type.Object({ x: Type.Number(), y: Type.Number() }, { description: 'Metres per second' }),
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
  articulated: Type.Boolean({ description: 'Whether keypoints are more informative than the position' }),
  keypoints: Type.Array(
    Type.Object({ x: Metres, y: Metres, z: Metres, error: Type.Number({ description: 'Metres' }) }),
    { description: '17 in COCO order' },
  ),
  track: Nullable(TrackMessage),
});

export const PoseMessage = Type.Object(
  {
    type: Type.Literal('pose'),
    ...common,
    frame_id: Type.Integer({ description: 'Incremented per environment' }),
    window_end: Time('End of the window of the inference'),
    links: Type.Integer({ description: 'Links in the window that were used' }),
    left_out: Type.Optional(
      Type.Array(
        Type.Object({
          link: Type.String(),
          fault: Type.Enum([...LINK_FAULTS], { description: 'The fault' }),
        }),
        { description: 'Faulty links, which were ignored; absent if there are none' },
      ),
    ),
    signal_quality: Type.Number({ description: '0 to 1' }),
    persons: Type.Array(PersonMessage),
    provenance: Provenance,
  },
  { description: 'The result of inference on one window.' },
);

export const EventMessage = Type.Object(
  {
    type: Type.Literal('event'),
    ...common,
    event: Type.String({ description: 'fall_detection, inactivity, intrusion, crowd, zone_entered, ...' }),
    severity: choice(
      {
        low: 'For information.',
        medium: 'Should be checked.',
        high: 'Requires action.',
        critical: 'Requires immediate action.',
      },
      { description: 'Severity.' },
    ),
    confidence: Type.Number({ description: '0 to 1' }),
    person_id: Nullable(Type.Number({ description: 'Number of the track' })),
    location: Nullable(Point),
    metadata: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Boolean()])),
    source: Type.String({ description: '`csiflow`, or the sender that claims it' }),
    provenance: Provenance,
  },
  { description: 'An event.' },
);

export const MeasureMessage = Type.Object(
  {
    type: Type.Literal('measure'),
    ...common,
    name: Type.String({ description: 'motion, presence, packet_loss, ...' }),
    subject: Nullable(Type.String({ description: 'Subject: link, zone or person' })),
    value: Type.Number(),
    source: Type.String({ description: '`csiflow`, or the sender that claims it' }),
    provenance: Provenance,
  },
  { description: 'A measured value.' },
);

/** JSON schema of all messages of the sink. */
export const ResultMessage = Type.Union([PoseMessage, EventMessage, MeasureMessage], {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Results of csiflow as messages',
  description: 'Values of the messages that the sink `kafka` writes. More fields may be added.',
});
