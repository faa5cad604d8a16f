import { Type, type Static } from 'typebox';
import { DensePoseASchema, DensePoseBSchema } from './picture/dense-pose.js';

const Timestamp = Type.String({ format: 'date-time' });
const Share = Type.Number({ minimum: 0, maximum: 1 });
const closed = { additionalProperties: false } as const;
const Position3D = Type.Object({ x: Type.Number(), y: Type.Number(), z: Type.Number() }, closed);

/** 2.1; `position` (metres) and `position_error` only with `include_3d=true`. */
const KeypointSchema = Type.Object(
  {
    name: Type.String(),
    x: Type.Number(),
    y: Type.Number(),
    confidence: Share,
    visible: Type.Boolean(),
    position: Type.Optional(Position3D),
    position_error: Type.Optional(Type.Number()),
  },
  closed,
);

/** 2.2 */
export const BoundingBoxSchema = Type.Object(
  { x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() },
  closed,
);

/** With `include_3d=true`: the source of the pixels, in room metres, with the scale of its error. */
const InRoom = {
  position: Type.Optional(Position3D),
  position_error: Type.Optional(
    Type.Number({ description: 'Expected distance between this and the true position, metres' }),
  ),
  heading: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  posture: Type.Optional(Type.String()),
  articulated: Type.Optional(
    Type.Boolean({ description: 'False: draw a disc of position_error, no skeleton' }),
  ),
};

/** 2.3 */
export const PersonASchema = Type.Object(
  {
    id: Type.Integer(),
    confidence: Share,
    bounding_box: BoundingBoxSchema,
    keypoints: Type.Array(KeypointSchema),
    dense_pose: Type.Optional(DensePoseASchema),
    tracking_info: Type.Object(
      {
        track_id: Type.String(),
        track_age: Type.Integer(),
        velocity: Type.Object({ x: Type.Number(), y: Type.Number() }, closed),
      },
      closed,
    ),
    ...InRoom,
  },
  closed,
);

export const PoseFrameASchema = Type.Object(
  {
    timestamp: Timestamp,
    frame_id: Type.Integer(),
    processing_time_ms: Type.Number(),
    persons: Type.Array(PersonASchema),
    metadata: Type.Object(
      {
        environment_id: Type.String(),
        router_count: Type.Integer(),
        signal_quality: Share,
        processing_pipeline: Type.String(),
      },
      closed,
    ),
  },
  closed,
);

/** 2.3b */
export const PersonBSchema = Type.Object(
  {
    person_id: Type.Integer(),
    track_id: Type.Integer(),
    confidence: Share,
    bounding_box: BoundingBoxSchema,
    keypoints: Type.Optional(Type.Array(KeypointSchema)),
    dense_pose: Type.Optional(DensePoseBSchema),
    ...InRoom,
  },
  closed,
);

export const PoseFrameBSchema = Type.Object(
  {
    timestamp: Timestamp,
    frame_id: Type.Integer(),
    environment_id: Type.String(),
    processing_time_ms: Type.Number(),
    persons: Type.Array(PersonBSchema),
    metadata: Type.Object(
      { model_version: Type.String(), processing_mode: Type.String(), csi_quality: Share },
      closed,
    ),
  },
  closed,
);

/** 2.4, Form B */
export const PoseRecordBSchema = Type.Object(
  {
    timestamp: Timestamp,
    frame_id: Type.Integer(),
    person_id: Type.Integer(),
    track_id: Type.Integer(),
    confidence: Share,
    bounding_box: BoundingBoxSchema,
    keypoints: Type.Array(KeypointSchema),
  },
  closed,
);

/** An element of `poses` of 4.2 process: a record of 2.4, with dense pose if requested. */
export const PoseResultSchema = Type.Object(
  { ...PoseRecordBSchema.properties, dense_pose: Type.Optional(DensePoseBSchema) },
  closed,
);

/** 2.4, Form A */
export const PoseRecordASchema = Type.Object(
  { timestamp: Timestamp, persons: Type.Array(PersonASchema), metadata: Type.Object({}) },
  closed,
);

export type PoseFrameA = Static<typeof PoseFrameASchema>;
export type PoseFrameB = Static<typeof PoseFrameBSchema>;
export type PersonB = Static<typeof PersonBSchema>;
export type KeypointBody = Static<typeof KeypointSchema>;
