import { Type, type Static } from 'typebox';
import type { PersonRow } from '../../pipeline/component/index.js';
import { KEYPOINT_NAMES, type Environment, type Person, type PoseFrame } from '../../pipeline/model/index.js';
import { DensePose, DensePoseASchema, DensePoseBSchema } from './dense-pose/dense-pose.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import { cameraOf, type Camera } from './view.js';

const Timestamp = Type.String({ format: 'date-time' });
const Share = Type.Number({ minimum: 0, maximum: 1 });
const closed = { additionalProperties: false } as const;
const Position3D = Type.Object({ x: Type.Number(), y: Type.Number(), z: Type.Number() }, closed);

/** 2.1; `position` (metres) and `position_error` only with `include_3d=true`. */
export const KeypointSchema = Type.Object(
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

/** With `include_3d=true`: what the pixels were made from, in room metres, with the scale of its error. */
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

/** An element of `poses` of 4.2 process: a record of 2.4, with dense pose where it is asked for. */
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
type KeypointBody = Static<typeof KeypointSchema>;

/** What of a pose frame is shown. */
export interface PoseSelection {
  readonly keypoints: boolean;
  readonly threeD: boolean;
  /** Default: left out. */
  readonly densePose?: boolean;
  readonly minConfidence: number;
  readonly persons: ReadonlySet<number> | null;
}

export const WHOLE: PoseSelection = { keypoints: true, threeD: false, minConfidence: 0, persons: null };

/** Turns pose frames of one environment into bodies of either form: metres become pixels of its view. */
export class PoseView {
  readonly #camera: Camera;
  readonly #pipeline: string;
  readonly #densePose: DensePose;

  constructor(environment: Environment, topology: string) {
    this.#camera = cameraOf(environment);
    this.#pipeline = topology;
    this.#densePose = new DensePose(this.#camera, keypointConfidence);
  }

  frameA(frame: PoseFrame, selection: PoseSelection = WHOLE): PoseFrameA {
    return {
      timestamp: isoTime(frame.time),
      frame_id: frame.frameId,
      processing_time_ms: frame.processingMs,
      persons: select(frame.persons, selection).map((person) => this.#personA(person, selection)),
      metadata: {
        environment_id: frame.environment,
        router_count: frame.links,
        signal_quality: frame.signalQuality,
        processing_pipeline: [
          this.#pipeline,
          frame.provenance.origin,
          modelText(frame),
          ...leftOutText(frame),
        ].join('; '),
      },
    };
  }

  recordA(frame: PoseFrame, selection: PoseSelection): Static<typeof PoseRecordASchema> {
    const { timestamp, persons, metadata } = this.frameA(frame, selection);
    return { timestamp, persons, metadata };
  }

  frameB(frame: PoseFrame, selection: PoseSelection = WHOLE): PoseFrameB {
    return {
      timestamp: isoTime(frame.time),
      frame_id: frame.frameId,
      environment_id: frame.environment,
      processing_time_ms: frame.processingMs,
      persons: select(frame.persons, selection).map((person) => this.personB(person, selection)),
      metadata: {
        model_version: modelText(frame),
        processing_mode: frame.provenance.origin,
        csi_quality: frame.signalQuality,
      },
    };
  }

  recordB({ time, frameId, person }: PersonRow, selection = WHOLE): Static<typeof PoseResultSchema> {
    const { keypoints = [], ...rest } = this.personB(person, selection);
    return { timestamp: isoTime(time), frame_id: frameId, ...rest, keypoints };
  }

  personB(person: Person, selection: PoseSelection): PersonB {
    const number = person.track?.id ?? 0;
    return {
      person_id: number,
      track_id: number,
      confidence: person.confidence,
      bounding_box: this.#box(person),
      ...(selection.keypoints && { keypoints: this.#keypoints(person, selection) }),
      ...(selection.densePose && { dense_pose: this.#densePose.formB(person) }),
      ...(selection.threeD && inRoom(person)),
    };
  }

  #personA(person: Person, selection: PoseSelection): PoseFrameA['persons'][number] {
    const number = person.track?.id ?? 0;
    return {
      id: number,
      confidence: person.confidence,
      bounding_box: this.#box(person),
      keypoints: this.#keypoints(person, selection),
      ...(selection.densePose && { dense_pose: this.#densePose.formA(person) }),
      tracking_info: {
        track_id: `track_${number}`,
        track_age: person.track?.age ?? 0,
        velocity: person.track?.velocity ?? { x: 0, y: 0 },
      },
      ...(selection.threeD && inRoom(person)),
    };
  }

  #keypoints(person: Person, selection: PoseSelection): KeypointBody[] {
    return person.keypoints.map((keypoint, index) => {
      const pixel = this.#camera.project(keypoint);
      return {
        name: KEYPOINT_NAMES[index]!,
        x: pixel ? hundredths(pixel.x) : 0,
        y: pixel ? hundredths(pixel.y) : 0,
        confidence: keypointConfidence(person, keypoint.error),
        visible: person.articulated && pixel !== null && this.#inFrame(pixel),
        ...(selection.threeD && {
          position: { x: keypoint.x, y: keypoint.y, z: keypoint.z },
          position_error: keypoint.error,
        }),
      };
    });
  }

  #inFrame({ x, y }: { x: number; y: number }): boolean {
    return x >= 0 && y >= 0 && x < this.#camera.width && y < this.#camera.height;
  }

  /** Around the body where there is a skeleton, else around a cylinder as wide as the position is uncertain. */
  #box(person: Person): Static<typeof BoundingBoxSchema> {
    const body = person.articulated ? this.#densePose.boxOf(person) : this.#around(cylinder(person));
    if (!body) return { x: 0, y: 0, width: 0, height: 0 };
    const { x, y, width, height } = body;
    return { x: hundredths(x), y: hundredths(y), width: hundredths(width), height: hundredths(height) };
  }

  #around(outline: readonly { x: number; y: number; z: number }[]): Static<typeof BoundingBoxSchema> | null {
    const pixels = outline.map((corner) => this.#camera.project(corner)).filter((pixel) => pixel !== null);
    if (pixels.length === 0) return null;
    const left = clamp(Math.min(...pixels.map(({ x }) => x)), this.#camera.width);
    const right = clamp(Math.max(...pixels.map(({ x }) => x)), this.#camera.width);
    const top = clamp(Math.min(...pixels.map(({ y }) => y)), this.#camera.height);
    const bottom = clamp(Math.max(...pixels.map(({ y }) => y)), this.#camera.height);
    return { x: left, y: top, width: right - left, height: bottom - top };
  }
}

/** Joint error at which its confidence has fallen to half of the person's, metres. */
const HALF_CONFIDENCE_METRES = 0.5;

/** A view of the error scale, as docs/accuracy.md describes: person's confidence / (1 + (error / 0.5 m)^2). */
export const keypointConfidence = (person: Person, error: number): number =>
  thousandths(person.confidence / (1 + (error / HALF_CONFIDENCE_METRES) ** 2));

const HEIGHT_OF = { upright: 1.8, sitting: 1.3, lying: 0.5 } as const;

function cylinder({ position, positionError, posture }: Person): { x: number; y: number; z: number }[] {
  return [0, HEIGHT_OF[posture]].flatMap((z) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((eighth) => ({
      x: position.x + positionError * Math.cos((eighth * Math.PI) / 4),
      y: position.y + positionError * Math.sin((eighth * Math.PI) / 4),
      z,
    })),
  );
}

const select = (persons: readonly Person[], { minConfidence, persons: wanted }: PoseSelection): Person[] =>
  persons.filter(
    (person) =>
      person.confidence >= minConfidence &&
      (wanted === null || (person.track && wanted.has(person.track.id))),
  );

const inRoom = (person: Person) => ({
  position: { ...person.position },
  position_error: person.positionError,
  heading: person.heading,
  posture: person.posture,
  articulated: person.articulated,
});

/** `pose-general 1.0.0, trained on simulated CSI`: said with every frame. */
/** Links that had no say, with the reason: `left out: north (noise)`. */
const leftOutText = ({ leftOut = [] }: PoseFrame): readonly string[] =>
  leftOut.length === 0
    ? []
    : [`left out: ${leftOut.map(({ link, fault }) => `${link} (${fault})`).join(', ')}`];

export const modelText = ({ provenance: { model } }: PoseFrame): string =>
  model ? `${model.name} ${model.version}, trained on ${model.trainedOn}` : 'none';

const clamp = (value: number, top: number): number => Math.min(Math.max(value, 0), top);
const hundredths = (value: number): number => Math.round(value * 100) / 100;
const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
