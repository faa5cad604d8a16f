import type { Static } from 'typebox';
import type { PersonRow } from '../../pipeline/component/index.js';
import { KEYPOINT_NAMES, type Environment, type Person, type PoseFrame } from '../../pipeline/model/index.js';
import { DensePose } from './picture/dense-pose.js';
import { isoTime } from '../../pipeline/base/iso-time.js';
import type { Form } from '../service/form.js';
import { JsonText } from './form.js';
import { SharedTexts } from './shared-texts.js';
import { cameraOf, type Camera } from './picture/view.js';
import {
  BoundingBoxSchema,
  PoseResultSchema,
  PoseRecordASchema,
  type PoseFrameA,
  type PoseFrameB,
  type PersonB,
  type KeypointBody,
} from './pose-schema.js';

/** Parts of a pose frame to show. */
export interface PoseSelection {
  readonly keypoints: boolean;
  readonly threeD: boolean;
  /** Default: omitted. */
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
  readonly #texts = new SharedTexts<PoseFrame>();

  constructor(environment: Environment, topology: string) {
    this.#camera = cameraOf(environment);
    this.#pipeline = topology;
    this.#densePose = new DensePose(this.#camera, keypointConfidence);
  }

  frameA(poseFrame: PoseFrame, selection: PoseSelection = WHOLE): PoseFrameA {
    return {
      timestamp: isoTime(poseFrame.time),
      frame_id: poseFrame.frameId,
      processing_time_ms: poseFrame.processingMs,
      persons: select(poseFrame.persons, selection).map((person) => this.#personA(person, selection)),
      metadata: {
        environment_id: poseFrame.environment,
        router_count: poseFrame.links,
        signal_quality: poseFrame.signalQuality,
        processing_pipeline: [
          this.#pipeline,
          poseFrame.provenance.origin,
          modelText(poseFrame),
          ...leftOutText(poseFrame),
        ].join('; '),
      },
    };
  }

  /** The newest pose frame in a form: readers share its text until the next one. */
  latest(form: Form, poseFrame: PoseFrame, selection: PoseSelection): JsonText {
    const { persons, ...same } = selection;
    const write = () =>
      form === 'a' ? this.frameA(poseFrame, selection) : this.frameB(poseFrame, selection);
    return persons ? new JsonText(write()) : this.#texts.of(poseFrame, form + JSON.stringify(same), write);
  }

  recordA(poseFrame: PoseFrame, selection: PoseSelection): Static<typeof PoseRecordASchema> {
    const { timestamp, persons, metadata } = this.frameA(poseFrame, selection);
    return { timestamp, persons, metadata };
  }

  frameB(poseFrame: PoseFrame, selection: PoseSelection = WHOLE): PoseFrameB {
    return {
      timestamp: isoTime(poseFrame.time),
      frame_id: poseFrame.frameId,
      environment_id: poseFrame.environment,
      processing_time_ms: poseFrame.processingMs,
      persons: select(poseFrame.persons, selection).map((person) => this.personB(person, selection)),
      metadata: {
        model_version: modelText(poseFrame),
        processing_mode: poseFrame.provenance.origin,
        csi_quality: poseFrame.signalQuality,
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
        visible: person.articulated && pixel !== null && this.#isInPicture(pixel),
        ...(selection.threeD && {
          position: { x: keypoint.x, y: keypoint.y, z: keypoint.z },
          position_error: keypoint.error,
        }),
      };
    });
  }

  #isInPicture({ x, y }: { x: number; y: number }): boolean {
    return x >= 0 && y >= 0 && x < this.#camera.width && y < this.#camera.height;
  }

  /**
   * Around the body if it has a skeleton, otherwise around a cylinder whose radius is the uncertainty of the
   * position.
   */
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

/** Joint error at which its confidence is half of the person's, metres. */
const HALF_CONFIDENCE_METRES = 0.5;

/** A function of the error scale, as docs/accuracy.md describes: person's confidence / (1 + (error / 0.5 m)^2). */
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

/** Ignored links, with the reason: `ignored: north (noise)`. */
const leftOutText = ({ leftOut = [] }: PoseFrame): readonly string[] =>
  leftOut.length === 0
    ? []
    : [`ignored: ${leftOut.map(({ link, fault }) => `${link} (${fault})`).join(', ')}`];

/** `pose-general 1.0.0, trained on simulated CSI`: part of every pose frame. */
export const modelText = ({ provenance: { model } }: PoseFrame): string =>
  model ? `${model.name} ${model.version}, trained on ${model.trainedOn}` : 'none';

const clamp = (value: number, top: number): number => Math.min(Math.max(value, 0), top);
const hundredths = (value: number): number => Math.round(value * 100) / 100;
const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
