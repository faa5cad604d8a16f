import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PoseView } from '../../api/contract/pose.js';
import { cameraOf } from '../../api/contract/picture/view.js';
import { testEnvironment } from '../support/context.js';
import { person, poseFrame } from '../support/fake-topology.js';

test('a camera that looks along x sees y to the left and z up', () => {
  const camera = cameraOf({
    ...testEnvironment,
    view: { position: [0, 0, 1], target: [5, 0, 1], width: 200, height: 100, field_of_view_deg: 90 },
  });
  expect(camera.project({ x: 2, y: 0, z: 1 })).toEqual({ x: 100, y: 50 });
  expect(camera.project({ x: 2, y: 2, z: 1 })!.x).toBeCloseTo(0); // 45 degrees to the left: the edge
  expect(camera.project({ x: 2, y: 0, z: 2 })!.y).toBeCloseTo(0);
  expect(camera.project({ x: -1, y: 0, z: 1 })).toBeNull();
});

test('the default view contains the entire room', () => {
  const { x, y, z } = testEnvironment.size;
  const camera = cameraOf(testEnvironment);
  const inside = fc.record({
    x: fc.double({ min: 0, max: x, noNaN: true }),
    y: fc.double({ min: 0, max: y, noNaN: true }),
    z: fc.double({ min: 0, max: Math.min(z, 1.9), noNaN: true }),
  });
  fc.assert(
    fc.property(inside, (point) => {
      const pixel = camera.project(point);
      expect(pixel).not.toBeNull();
      expect(pixel!.x).toBeGreaterThanOrEqual(0);
      expect(pixel!.x).toBeLessThanOrEqual(1280);
    }),
  );
});

test('the box of an uncertain person is as wide as the error', () => {
  const view = new PoseView(testEnvironment, 'test');
  const box = (positionError: number) =>
    view.frameB(poseFrame(0, [person(1, 2.5, 2, { articulated: false, positionError })])).persons[0]!
      .bounding_box;
  expect(box(1).width).toBeGreaterThan(1.8 * box(0.5).width);
});
