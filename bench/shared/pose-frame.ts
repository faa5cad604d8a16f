import type { PoseFrame } from '../../pipeline/model/index.js';

/** Made-up pose frames: their room, the time of the first one, and the microseconds between two. */
export const POSE_ENVIRONMENT = 'ward-1';
export const POSE_START_US = 1_700_000_000_000_000;
export const POSE_HOP_US = 100_000;
/** In each frame. */
const POSE_PEOPLE = 2;

const millimetres = (value: number): number => Math.round(value * 1000) / 1000;

/** People on slow circles, with a little noise in the joints as in a network's output. */
export function poseFrame(frameId: number): PoseFrame {
  const time = POSE_START_US + frameId * POSE_HOP_US;
  return {
    port: 'pose',
    frameId,
    environment: POSE_ENVIRONMENT,
    time,
    windowEnd: time + 500_000,
    processingMs: 3,
    persons: Array.from({ length: POSE_PEOPLE }, (_, index) => {
      const x = 2 + Math.cos(frameId / 300 + index);
      const y = 2 + Math.sin(frameId / 300 + index);
      return {
        confidence: 0.5 + ((frameId * 7919) % 5000) / 10_000,
        position: { x: millimetres(x), y: millimetres(y), z: 0 },
        positionError: 0.25,
        heading: null,
        headingConfidence: 0,
        posture: 'upright' as const,
        keypoints: Array.from({ length: 17 }, (_, k) => ({
          x: millimetres(x + k / 50 + noise(frameId + k)),
          y: millimetres(y + noise(frameId + 3 * k)),
          z: millimetres(1.7 - k / 10 + noise(frameId + 5 * k)),
          error: 0.05,
        })),
        articulated: true,
        track: {
          id: index + 1,
          state: 'active' as const,
          age: frameId,
          since: POSE_START_US,
          velocity: { x: 0.1, y: 0 },
        },
      };
    }),
    links: 4,
    signalQuality: 0.98,
    provenance: { origin: 'simulated' },
  };
}

const noise = (seed: number): number => ((Math.imul(seed, 2_654_435_761) >>> 0) / 2 ** 32 - 0.5) * 0.02;
