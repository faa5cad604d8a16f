import { decode } from 'fast-png';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Value } from 'typebox/value';
import { PART_NAMES } from '../../api/contract/picture/body.js';
import {
  DensePose,
  DensePoseASchema,
  DensePoseBSchema,
  MAX_SIDE,
  type DensePoseA,
  type DensePoseB,
} from '../../api/contract/picture/dense-pose.js';
import { keypointConfidence } from '../../api/contract/pose.js';
import { cameraOf } from '../../api/contract/picture/view.js';
import type { Person, Point } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

/** Joints of a person who stands at the origin and looks along x, in COCO order: forward, left, up. */
const STANDING: readonly (readonly [number, number, number])[] = [
  ...([
    [0.1, 0, 1.6],
    [0.08, 0.03, 1.64],
    [0.08, -0.03, 1.64],
    [0, 0.07, 1.62],
    [0, -0.07, 1.62],
  ] as const),
  ...([
    [0, 0.2, 1.42],
    [0, -0.2, 1.42],
    [0, 0.25, 1.12],
    [0, -0.25, 1.12],
  ] as const),
  ...([
    [0.05, 0.27, 0.87],
    [0.05, -0.27, 0.87],
    [0, 0.12, 0.92],
    [0, -0.12, 0.92],
  ] as const),
  ...([
    [0.02, 0.12, 0.48],
    [0.02, -0.12, 0.48],
    [0, 0.12, 0.07],
    [0, -0.12, 0.07],
  ] as const),
];

/** Standing 4 m from a camera at breast height that looks along x. @param turn radians; pi faces the camera */
function standing(turn: number, overrides: Partial<Person> = {}): Person {
  const keypoints = STANDING.map(([forward, left, up]) => ({
    x: 4 + Math.cos(turn) * forward - Math.sin(turn) * left,
    y: 2 + Math.sin(turn) * forward + Math.cos(turn) * left,
    z: up,
    error: 0.1,
  }));
  return person(1, 4, 2, { keypoints, heading: turn, ...overrides });
}

const environment = {
  ...testEnvironment,
  view: { position: [0, 2, 1.2], target: [4, 2, 1.2], width: 1280, height: 720, field_of_view_deg: 75 },
};
const camera = cameraOf(environment);
const drawn = new DensePose(camera, keypointConfidence);

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const pictureOf = (base64: string): Picture => decode(Buffer.from(base64, 'base64')) as Picture;

/** The body part at a point of the room. */
function partAt(one: Person, { x, y, z }: Point): number {
  const { width, height, data } = pictureOf(drawn.formB(one).iuv_image);
  const box = drawn.boxOf(one)!;
  const pixel = camera.project({ x, y, z })!;
  const column = Math.floor(((pixel.x - box.x) * width) / box.width);
  const row = Math.floor(((pixel.y - box.y) * height) / box.height);
  return data[3 * (row * width + column)]!;
}

const named = (name: (typeof PART_NAMES)[number]): number => PART_NAMES.indexOf(name) + 1;

describe('a person facing the camera', () => {
  const facing = standing(Math.PI);
  // A person facing the camera has the left side at greater y, which the picture shows on its left.
  const at = (joint: number): Point => facing.keypoints[joint]!;

  test.each([
    ['left_upper_leg_front', 11, 13],
    ['right_upper_leg_front', 12, 14],
    ['left_lower_leg_front', 13, 15],
    ['right_lower_leg_front', 14, 16],
    ['torso_front', 5, 12],
  ] as const)('shows the %s between its joints', (name, a, b) => {
    const between = { x: at(a).x, y: (at(a).y + at(b).y) / 2, z: (at(a).z + at(b).z) / 2 };
    expect(partAt(facing, between)).toBe(named(name));
  });

  test('shows each half of the head at its side, and hands beyond the wrists', () => {
    const ears = { x: 4, y: 2, z: 1.62 };
    expect(partAt(facing, { ...ears, y: at(3).y })).toBe(named('head_left'));
    expect(partAt(facing, { ...ears, y: at(4).y })).toBe(named('head_right'));
    expect(partAt(facing, { ...at(9), z: at(9).z - 0.08 })).toBe(named('left_hand'));
    expect(partAt(facing, { ...at(10), z: at(10).z - 0.08 })).toBe(named('right_hand'));
  });

  test('is background beside the body', () => {
    expect(partAt(facing, { ...at(13), y: 2 })).toBe(0);
  });
});

test('from behind shows the back, and no front of the trunk', () => {
  const ids = drawn.formA(standing(0)).body_parts.map(({ part_name: name }) => name);
  expect(ids).toContain('torso_back');
  expect(ids).toContain('right_upper_leg_back');
  expect(ids).not.toContain('torso_front');
});

test('from the side the nearer arm covers the trunk', () => {
  const side = standing(Math.PI / 2);
  const elbow = side.keypoints[7]!;
  expect(elbow.x).toBeLessThan(side.keypoints[8]!.x);
  expect(partAt(side, { ...elbow, z: 1.25 })).toBe(named('left_upper_arm_outer'));
});

test('U runs round a limb and V along it', () => {
  const facing = standing(Math.PI);
  const { width, height, data } = pictureOf(drawn.formB(facing).iuv_image);
  const box = drawn.boxOf(facing)!;
  const [hip, knee] = [facing.keypoints[11]!, facing.keypoints[13]!];
  const valueAt = (point: Point, channel: number): number => {
    const pixel = camera.project(point)!;
    const column = Math.floor(((pixel.x - box.x) * width) / box.width);
    const row = Math.floor(((pixel.y - box.y) * height) / box.height);
    return data[3 * (row * width + column) + channel]!;
  };
  const middle = { ...hip, z: (hip.z + knee.z) / 2 };
  expect(valueAt(middle, 2)).toBeGreaterThan(105);
  expect(valueAt(middle, 2)).toBeLessThan(150);
  expect(valueAt({ ...middle, y: middle.y + 0.05 }, 1)).not.toBe(
    valueAt({ ...middle, y: middle.y - 0.05 }, 1),
  );
});

test('joints with larger errors are drawn with less confidence', () => {
  const sure = standing(Math.PI);
  const unsure = {
    ...sure,
    keypoints: sure.keypoints.map((joint, index) => (index >= 13 ? { ...joint, error: 0.8 } : joint)),
  };
  const of = (one: Person, name: string) =>
    drawn.formA(one).body_parts.find((part) => part.part_name === name)!.confidence;
  expect(of(unsure, 'left_foot')).toBeLessThan(0.5 * of(sure, 'left_foot'));
  expect(of(unsure, 'torso_front')).toBe(of(sure, 'torso_front'));
});

test('a person without a skeleton has no parts and one pixel of background', () => {
  const nobody = standing(0, { articulated: false });
  expect(drawn.formA(nobody)).toEqual({ body_parts: [] });
  const { iuv_image: iuv, confidence_map: confidence } = drawn.formB(nobody);
  expect([...pictureOf(iuv).data]).toEqual([0, 0, 0]);
  expect([...pictureOf(confidence).data]).toEqual([0]);
});

test('is the same each time, and rendered once per person of a frame', () => {
  const one = standing(1);
  expect(drawn.formB(one)).toBe(drawn.formB(one));
  expect(drawn.formB(standing(1))).toEqual(drawn.formB(one));
});

test('any joints give images of one bounded size, and parts that follow the schema', () => {
  const coordinate = fc.double({ min: -3, max: 9, noNaN: true });
  const joint = fc.record({
    x: coordinate,
    y: coordinate,
    z: coordinate,
    error: fc.double({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(joint, { minLength: 17, maxLength: 17 }), (keypoints) => {
      const one = standing(0, { keypoints });
      const b = drawn.formB(one);
      const [iuv, map] = [pictureOf(b.iuv_image), pictureOf(b.confidence_map)];
      expect([iuv.width, iuv.height]).toEqual([map.width, map.height]);
      expect(Math.max(iuv.width, iuv.height)).toBeLessThanOrEqual(MAX_SIDE);
      expect(iuv.data.filter((_, at) => at % 3 === 0).every((part) => part <= 24)).toBe(true);
      expect(Value.Check(DensePoseASchema, drawn.formA(one))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

describe('the service', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await openService();
    service.main.publish(poseFrame(0));
  });
  afterEach(async () => {
    await service.close();
  });
  const get = async (path: string) =>
    (await (await service.get(path, service.token('viewer'))).json()) as Record<string, unknown>;

  test('has dense pose in the latest frame of both forms', async () => {
    const a = (await get('/form-a/api/v1/pose/latest')) as unknown as {
      persons: { dense_pose: DensePoseA }[];
    };
    expect(Value.Check(DensePoseASchema, a.persons[0]!.dense_pose)).toBe(true);
    const { data } = await get('/form-b/api/v1/pose/latest?include_keypoints=false');
    const { persons } = data as { persons: { dense_pose: DensePoseB }[] };
    expect(Value.Check(DensePoseBSchema, persons[0]!.dense_pose)).toBe(true);
  });

  test('omits dense pose from the history of both forms', async () => {
    const a = await get('/form-a/api/v1/pose/history');
    const b = await get(
      '/form-b/api/v1/pose/history?start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z',
    );
    expect(JSON.stringify([a, b])).not.toContain('dense_pose');
    expect(JSON.stringify(a)).toContain('keypoints');
  });
});
