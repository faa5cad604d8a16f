import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  GROUPS,
  MOTION_MIX,
  NO_IMPAIRMENTS,
  simulateSequence,
  knownRoomOf,
  type Sequence,
} from '../../pipeline/sources/simulator/index.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { distance, randomLinks, randomSize } from '../../pipeline/sources/simulator/shared/room.js';
import { testEnvironment } from '../support/context.js';

/** FNV-1a over the bytes of an array. */
const digest = (values: Float32Array): number => {
  let hash = 0x811c9dc5;
  for (const byte of new Uint8Array(values.buffer)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
};

describe('a random sequence', () => {
  test('depends only on its seed', () => {
    const once = simulateSequence(5);
    simulateSequence(6, { persons: 2 });
    const again = simulateSequence(5);
    expect(digest(again.csi)).toBe(digest(once.csi));
    expect(again.truth).toEqual(once.truth);
    expect(digest(simulateSequence(6).csi)).not.toBe(digest(once.csi));
  });

  test('has the requested shapes', () => {
    const { csi, calibration, present, truth, links, samples, antennas, subcarriers } = simulateSequence(9, {
      seconds: 1.2,
      rateHz: 100,
      links: 6,
      antennas: 3,
      persons: 2,
      subcarriers: [-10, 0, 10],
    });
    expect([links, samples, antennas, subcarriers]).toEqual([6, 120, 3, 3]);
    expect(csi).toHaveLength(6 * 120 * 3 * 3 * 2);
    expect(calibration).toHaveLength(6 * 3 * 3 * 2);
    expect(present).toHaveLength(6 * 120);
    expect(truth.keypoints).toHaveLength(2 * 120 * 17 * 3);
    expect(csi.every(Number.isFinite)).toBe(true);
  });

  test('of an environment has its size and links', () => {
    const room = knownRoomOf(testEnvironment);
    const sequence = simulateSequence(1, { room });
    expect(sequence.links).toBe(2);
    expect(sequence.room.size).toEqual(testEnvironment.size);
    expect(sequence.room.links[1]!.transmitter).toEqual([4.9, 0.1, 1.4]);
    expect(simulateSequence(2, { room }).csi).not.toEqual(sequence.csi);
  });

  test('repeats the packet before a lost one', () => {
    const { csi, present, samples, subcarriers } = simulateSequence(3, {
      impairments: { ...NO_IMPAIRMENTS, loss: [0.3, 0.3] },
      mix: { ...MOTION_MIX, walk: 1, sit: 0, lie: 0, stand: 0 },
    });
    const size = subcarriers * 2;
    const packet = (i: number) => Array.from(csi.subarray(i * size, (i + 1) * size));
    let lost = 0;
    for (let i = 1; i < samples; i++) {
      if (present[i] === 0) {
        lost++;
        expect(packet(i)).toEqual(packet(i - 1));
      } else if (present[i - 1] === 1) {
        expect(packet(i)).not.toEqual(packet(i - 1));
      }
    }
    expect(lost).toBeGreaterThan(5);
  });

  test('of an empty room is its calibration, without other faults', () => {
    const { csi, calibration } = simulateSequence(4, {
      persons: 0,
      impairments: NO_IMPAIRMENTS,
      movedFurniture: 0,
      links: 1,
    });
    for (let i = 0; i < calibration.length; i++) expect(csi[i]).toBeCloseTo(calibration[i]!, 4);
  });

  test('is loud enough for the converter and rarely clipped', () => {
    let cut = 0;
    let sum = 0;
    let count = 0;
    for (let seed = 0; seed < 20; seed++) {
      for (const value of simulateSequence(seed, { seconds: 1 }).csi) {
        if (Math.abs(value) >= 127) cut++;
        sum += value * value;
        count++;
      }
    }
    expect(cut / count).toBeLessThan(0.005);
    expect(Math.sqrt(sum / count)).toBeGreaterThan(15);
    expect(Math.sqrt(sum / count)).toBeLessThan(45);
  });

  test('has middle subcarriers of 13 groups of 4, the band symmetric', () => {
    expect(GROUPS).toEqual([-24.5, -20.5, -16.5, -12.5, -8.5, -4.5, 0, 4.5, 8.5, 12.5, 16.5, 20.5, 24.5]);
  });
});

test('random links are over 1.8 m long, inside the room, and share few nodes at first', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed);
      const size = randomSize(random);
      const links = randomLinks(random, size, 6);
      const nodes = new Set<string>();
      for (const { transmitter, antennas } of links) {
        expect(distance(transmitter, antennas[0]!)).toBeGreaterThan(1.8);
        for (const [x, y, z] of [transmitter, antennas[0]!]) {
          expect(x > 0 && x < size.x && y > 0 && y < size.y).toBe(true);
          expect(z >= 0.5 && z <= 2).toBe(true);
        }
      }
      for (const { transmitter, antennas } of links.slice(0, 3))
        nodes.add(transmitter.join()).add(antennas[0]!.join());
      expect(nodes.size).toBeGreaterThanOrEqual(5);
    }),
    { numRuns: 200, seed: 3 },
  );
});

/** Share of lost packets, and mean length of a burst. */
function lossOf(share: number): { share: number; burst: number } {
  let lost = 0;
  let bursts = 0;
  let count = 0;
  const runs: Sequence[] = Array.from({ length: 6 }, (_, seed) =>
    simulateSequence(seed, {
      seconds: 20,
      links: 4,
      persons: 0,
      impairments: { ...NO_IMPAIRMENTS, loss: [share, share], burst: 3 },
    }),
  );
  for (const { present, samples, links } of runs) {
    for (let link = 0; link < links; link++) {
      for (let i = 0; i < samples; i++) {
        const at = link * samples + i;
        count++;
        if (present[at] === 0) lost++;
        if (present[at] === 0 && (i === 0 || present[at - 1] === 1)) bursts++;
      }
    }
  }
  return { share: lost / count, burst: lost / bursts };
}

test('loss comes in bursts with the configured share', () => {
  const { share, burst } = lossOf(0.15);
  expect(share).toBeGreaterThan(0.12);
  expect(share).toBeLessThan(0.18);
  expect(burst).toBeGreaterThan(2.5);
  expect(burst).toBeLessThan(3.5);
});

test('loss beyond what bursts of that length allow comes in longer ones', () => {
  const { share, burst } = lossOf(0.9);
  expect(share).toBeGreaterThan(0.87);
  expect(share).toBeLessThan(0.93);
  expect(burst).toBeGreaterThan(7);
});
