import { describe, expect, test } from 'vitest';
import { Body, PARTS, POSE, POSE_SIZE, randomBody } from '../../pipeline/sources/simulator/person/body.js';
import { Channel } from '../../pipeline/sources/simulator/channel.js';
import {
  GROUPS,
  MOTION_MIX,
  NO_IMPAIRMENTS,
  bandOf,
  simulateSequence,
} from '../../pipeline/sources/simulator/index.js';
import type { MotionMix } from '../../pipeline/sources/simulator/people.js';
import { randomObstacles } from '../../pipeline/sources/simulator/obstacles.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import {
  SECOND_ORDER,
  distance,
  link as linkBetween,
  mirror,
  NO_DIFFUSE,
  randomRoom,
  type Obstacle,
  type Vec3,
} from '../../pipeline/sources/simulator/shared/room.js';

const SIZE = { x: 6, y: 6, z: 3 };
const FREE = { size: SIZE, reflection: [0, 0, 0, 0, 0, 0], furniture: [], diffuse: NO_DIFFUSE };
const BAND = bandOf(GROUPS);
const VALUES = 2 * GROUPS.length;
const LAMBDA = 299_792_458 / 2.437e9;
/** The middle group. */
const MIDDLE = 12;

/** A link of 4 m in free space, 1 m high. */
const link = () => new Channel(FREE, [1, 3, 1], [5, 3, 1], BAND);

function standingBody(x: number, y: number, heading = 0, random?: Random): Body {
  const body = new Body(random ? randomBody(random) : { height: 1.75, build: 1, reflectivity: 0.85 });
  const pose = new Float64Array(POSE_SIZE);
  pose[POSE.x] = x;
  pose[POSE.y] = y;
  pose[POSE.heading] = heading;
  body.pose(pose);
  return body;
}

const amplitude = (values: Float64Array): number => Math.hypot(values[MIDDLE]!, values[MIDDLE + 1]!);
const decibels = (ratio: number): number => 20 * Math.log10(ratio);

function respond(channel: Channel, bodies: Body[]): Float64Array {
  const out = new Float64Array(VALUES);
  channel.respond(bodies, out);
  return out;
}

function scatter(channel: Channel, body: Body): Float64Array {
  const out = new Float64Array(VALUES);
  channel.scatter([body], out);
  return out;
}

test.each([
  ['802.11ax, a quarter of the spacing', 4, 78_125, 20],
  ['80 MHz', 1, 312_500, 122],
])('one frequency is the same in every band: %s', (_, step, spacing, edge) => {
  const carriers = Array.from({ length: 2 * edge + 1 }, (__, i) => step * (i - edge));
  const wide = bandOf(carriers, 2.437e9, spacing);
  const body = standingBody(3, 4);
  const out = new Float64Array(2 * carriers.length);
  new Channel(FREE, [1, 3, 1], [5, 3, 1], wide).respond([body], out);
  for (const k of [-20, -7, 1, 20]) {
    const alone = new Float64Array(2);
    new Channel(FREE, [1, 3, 1], [5, 3, 1], bandOf([k])).respond([body], alone);
    const at = 2 * (k + edge);
    expect(Math.hypot(out[at]! - alone[0]!, out[at + 1]! - alone[1]!)).toBeLessThan(
      1e-3 * Math.hypot(alone[0]!, alone[1]!),
    );
  }
});

describe('the static channel', () => {
  test('is Friis alone in free space, over the entire band', () => {
    const values = respond(link(), []);
    for (let k = 0; k < GROUPS.length; k++) {
      const phase = (-2 * Math.PI * (2.437e9 + GROUPS[k]! * 312_500) * 4) / 299_792_458;
      expect(values[2 * k]).toBeCloseTo((LAMBDA / (16 * Math.PI)) * Math.cos(phase), 9);
      expect(values[2 * k + 1]).toBeCloseTo((LAMBDA / (16 * Math.PI)) * Math.sin(phase), 9);
    }
  });

  test.each<[string, Vec3, Vec3]>([
    ['one antenna on a wall', [0, 3, 1], [5, 3, 1]],
    ['both antennas on one wall', [1, 0, 1], [5, 0, 1]],
    ['antennas on opposite walls', [0, 3, 1], [6, 3, 1]],
    ['one on the floor and one on the ceiling', [1, 3, 0], [5, 3, 3]],
    ['antennas in corners', [0, 0, 0], [6, 6, 3]],
  ])('a body in the room leaves a channel of finite numbers: %s', (_, from, to) => {
    const room = { ...FREE, reflection: [-0.5, -0.5, -0.5, -0.5, -0.5, -0.5] };
    const channel = new Channel(room, from, to, BAND);
    const empty = respond(channel, []);
    const occupied = respond(channel, [standingBody(3, 3)]);
    expect(occupied.every(Number.isFinite)).toBe(true);
    expect(occupied).not.toEqual(empty);
  });

  test('wall images have the lengths of mirror geometry', () => {
    const a: Vec3 = [1, 2, 1];
    const b: Vec3 = [4, 3, 2];
    // At the wall y = 6: above the point where the angles are equal, a 4-3 split of the way along x.
    const bounce: Vec3 = [1 + (3 * 4) / 7, 6, 1 + 4 / 7];
    expect(distance(mirror(a, 3, SIZE), b)).toBeCloseTo(distance(a, bounce) + distance(bounce, b), 12);
    expect(SECOND_ORDER).toHaveLength(18);
    const images = SECOND_ORDER.map(([first, second]) => mirror(mirror(a, first, SIZE), second, SIZE).join());
    expect(new Set(images).size).toBe(18);
  });

  test('equals a sum over 1 + 6 + 18 images and the furniture', () => {
    const random = new Random(3);
    const room = randomRoom(random, SIZE);
    const from: Vec3 = [0.4, 1, 1.2];
    const to: Vec3 = [5, 4, 0.8];
    const values = respond(new Channel(room, from, to, BAND), []);
    let re = 0;
    let im = 0;
    const add = (gain: number, length: number) => {
      const k = (2 * Math.PI) / LAMBDA;
      re += ((gain * LAMBDA) / (4 * Math.PI * length)) * Math.cos(k * length);
      im -= ((gain * LAMBDA) / (4 * Math.PI * length)) * Math.sin(k * length);
    };
    add(1, distance(from, to));
    room.reflection.forEach((gain, wall) => {
      add(gain, distance(mirror(from, wall, SIZE), to));
    });
    for (const [first, second] of SECOND_ORDER) {
      const image = mirror(mirror(from, first, SIZE), second, SIZE);
      add(room.reflection[first]! * room.reflection[second]!, distance(image, to));
    }
    for (const { position, crossSection } of room.furniture) {
      const d1 = distance(from, position);
      const d2 = distance(position, to);
      add((Math.sqrt(crossSection / (4 * Math.PI)) * (d1 + d2)) / (d1 * d2), d1 + d2);
    }
    expect(values[MIDDLE]).toBeCloseTo(re, 9);
    expect(values[MIDDLE + 1]).toBeCloseTo(im, 9);
  });
});

/** One path from an ellipsoid by the bistatic radar equation, on every subcarrier. */
function addScattered(
  into: Float64Array,
  gain: number,
  body: Body,
  part: number,
  at: Vec3,
  sent: Vec3,
  heard: Vec3,
): void {
  const d1 = distance(sent, at);
  const d2 = distance(at, heard);
  const sum = [0, 1, 2].map((i) => (sent[i]! - at[i]!) / d1 + (heard[i]! - at[i]!) / d2);
  const [x, y, z] = sum.map((value) => value / Math.hypot(...sum)) as [number, number, number];
  const [xx, yy, zz, xy, xz, yz] = body.shapes.subarray(6 * part, 6 * part + 6) as unknown as number[];
  // pi a^2 b^2 c^2 / (n' diag(a^2, b^2, c^2) n)^2, n halfway between both ends.
  const form = xx! * x * x + yy! * y * y + zz! * z * z + 2 * (xy! * x * y + xz! * x * z + yz! * y * z);
  const crossSection = (body.strengths[part]! / form) ** 2;
  const amplitude = (gain * Math.sqrt(crossSection) * LAMBDA) / ((4 * Math.PI) ** 1.5 * d1 * d2);
  for (let k = 0; k < GROUPS.length; k++) {
    const phase = (2 * Math.PI * (2.437e9 + GROUPS[k]! * 312_500) * (d1 + d2)) / 299_792_458;
    into[2 * k]! += amplitude * Math.cos(phase);
    into[2 * k + 1]! -= amplitude * Math.sin(phase);
  }
}

test('receive antennas are half a wavelength apart, and differ by the phase of their distances', () => {
  const { transmitter, antennas } = linkBetween([1, 1, 1], [4, 5, 2], 3, 0.4);
  expect(distance(antennas[0]!, antennas[1]!)).toBeCloseTo(LAMBDA / 2, 4);
  expect(distance(antennas[0]!, antennas[2]!)).toBeCloseTo(LAMBDA, 4);
  expect(antennas[1]).toEqual([4, 5, 2]);
  const angles = antennas.map((antenna) => {
    const values = respond(new Channel(FREE, transmitter, antenna, BAND), []);
    return Math.atan2(values[MIDDLE + 1]!, values[MIDDLE]!);
  });
  for (const [a, b] of [
    [0, 1],
    [1, 2],
  ] as const) {
    const way = distance(transmitter, antennas[b]!) - distance(transmitter, antennas[a]!);
    const turns = (angles[b]! - angles[a]!) / (2 * Math.PI) + way / LAMBDA;
    expect(Math.abs(turns - Math.round(turns))).toBeLessThan(1e-9);
  }
});

describe('a body', () => {
  test('gives the same channel when transmitter and receiver are swapped', () => {
    const random = new Random(11);
    for (let round = 0; round < 20; round++) {
      const room = randomRoom(random, SIZE);
      const from: Vec3 = [0.1, random.uniform(0.5, 5), random.uniform(0.5, 2)];
      const to: Vec3 = [5.9, random.uniform(0.5, 5), random.uniform(0.5, 2)];
      const body = standingBody(random.uniform(1, 5), random.uniform(1, 5), random.uniform(-3, 3), random);
      const there = respond(new Channel(room, from, to, BAND), [body]);
      const back = respond(new Channel(room, to, from, BAND), [body]);
      for (let i = 0; i < VALUES; i++)
        expect(Math.abs(there[i]! - back[i]!)).toBeLessThan(2e-3 * amplitude(there));
    }
  });

  test('scatters by 13 paths for each ellipsoid: direct, and by one wall on the way there or back', () => {
    const random = new Random(17);
    const room = randomRoom(random, SIZE);
    const from: Vec3 = [0.2, 1.4, 1.7];
    const to: Vec3 = [5.6, 4.3, 0.7];
    const body = standingBody(2.2, 4.1, 0.7, random);
    const values = scatter(new Channel(room, from, to, BAND), body);
    const expected = new Float64Array(VALUES);
    for (let part = 0; part < PARTS; part++) {
      const at = [0, 1, 2].map((i) => body.centres[3 * part + i]!) as unknown as Vec3;
      for (let wall = -1; wall < 6; wall++) {
        const gain = wall < 0 ? 1 : room.reflection[wall]!;
        const ends: [Vec3, Vec3][] =
          wall < 0
            ? [[from, to]]
            : [
                [mirror(from, wall, SIZE), to],
                [from, mirror(to, wall, SIZE)],
              ];
        for (const [sent, heard] of ends) addScattered(expected, gain, body, part, at, sent, heard);
      }
    }
    const size = Math.hypot(...expected);
    expect(Math.hypot(...values.map((value, i) => value - expected[i]!)) / size).toBeLessThan(1e-3);
  });

  test('scatters twice as much where echoes are twice as strong, and the empty room stays', () => {
    const room = randomRoom(new Random(17), SIZE);
    const [usual, strong] = [room, { ...room, echo: 2 }].map(
      (one) => new Channel(one, [0.2, 1.4, 1.7], [5.6, 4.3, 0.7], BAND),
    );
    const body = standingBody(2.2, 4.1, 0.7);
    const twice = scatter(usual!, body).map((value) => 2 * value);
    scatter(strong!, body).forEach((value, i) => {
      expect(value).toBeCloseTo(twice[i]!, 12);
    });
    expect(respond(strong!, [])).toEqual(respond(usual!, []));
  });

  test('receding at 1 m/s has the Doppler of the formula within 5 %', () => {
    const channel = link();
    // Crosses the middle of the link at right angles, 1.5 m from it: f = -(1/lambda) d(d1 + d2)/dt.
    const values: [number, number][] = [];
    for (let i = 0; i <= 200; i++) {
      const y = 4.5 + (i - 100) / 500;
      const out = scatter(channel, standingBody(3, y));
      values.push([out[MIDDLE]!, out[MIDDLE + 1]!]);
    }
    let turned = 0;
    for (let i = 1; i < values.length; i++) {
      const [a, b] = values[i - 1]!;
      const [c, d] = values[i]!;
      turned += Math.atan2(a * d - b * c, a * c + b * d);
    }
    const measured = turned / (2 * Math.PI) / (200 / 500);
    const path = (y: number) => 2 * Math.hypot(2, y - 3);
    const formula = -(path(4.7) - path(4.3)) / LAMBDA / 0.4;
    expect(Math.abs(measured / formula - 1)).toBeLessThan(0.05);
  });

  test('attenuates a line of sight of 4 m by 4 to 12 dB', () => {
    const channel = link();
    const empty = amplitude(respond(channel, []));
    const random = new Random(5);
    const losses = Array.from({ length: 80 }, () => {
      const body = standingBody(
        random.uniform(2.5, 3.5),
        random.uniform(2.9, 3.1),
        random.uniform(-3, 3),
        random,
      );
      return decibels(amplitude(respond(channel, [body])) / empty);
    }).sort((a, b) => a - b);
    expect(losses[40]).toBeGreaterThan(-12);
    expect(losses[40]).toBeLessThan(-4);
  });

  test('0.8 to 1.2 m beside it scatters 14 to 17 dB below the line of sight', () => {
    const channel = link();
    const empty = amplitude(respond(channel, []));
    const random = new Random(6);
    let power = 0;
    for (let i = 0; i < 200; i++) {
      const body = standingBody(
        random.uniform(2.5, 3.5),
        3 + random.sign() * random.uniform(0.8, 1.2),
        random.uniform(-3, 3),
        random,
      );
      power += (amplitude(scatter(channel, body)) / empty) ** 2;
    }
    const ratio = 10 * Math.log10(power / 200);
    expect(ratio).toBeGreaterThan(-17);
    expect(ratio).toBeLessThan(-14);
  });

  test('reflects more when it faces the link than sideways', () => {
    const channel = link();
    const power = (heading: number) => {
      let sum = 0;
      for (let i = 0; i < 40; i++)
        sum += amplitude(scatter(channel, standingBody(3, 4.2 + i * 0.01, heading))) ** 2;
      return sum;
    };
    expect(power(Math.PI / 2)).toBeGreaterThan(1.5 * power(0));
  });
});

/** Median over links and rooms of the part of a 1 s window that changes, decibels. */
function dynamics(kind: keyof MotionMix): number {
  const none = Object.fromEntries(Object.keys(MOTION_MIX).map((name) => [name, 0])) as unknown as MotionMix;
  const shares: number[] = [];
  for (let seed = 0; seed < 40; seed++) {
    const { csi, links, samples } = simulateSequence(seed, {
      seconds: 1,
      mix: { ...none, [kind]: 1 },
      impairments: NO_IMPAIRMENTS,
    });
    for (let index = 0; index < links; index++) {
      let moving = 0;
      let whole = 0;
      for (let value = 0; value < VALUES; value++) {
        let sum = 0;
        let square = 0;
        for (let i = 0; i < samples; i++) {
          const x = csi[(index * samples + i) * VALUES + value]!;
          sum += x;
          square += x * x;
        }
        whole += square;
        moving += square - (sum * sum) / samples;
      }
      shares.push(10 * Math.log10(moving / whole));
    }
  }
  return shares.sort((a, b) => a - b)[shares.length >> 1]!;
}

describe('change within a second', () => {
  test('is -15 to -20 dB for walkers', () => {
    const level = dynamics('walk');
    expect(level).toBeGreaterThan(-20);
    expect(level).toBeLessThan(-15);
  });

  test('is -45 dB or lower for people who sit still', () => {
    expect(dynamics('sit')).toBeLessThan(-45);
  });
});

describe('blocking furniture', () => {
  const cupboard = { from: [2.8, 2.5, 0], to: [3.2, 3.5, 1.8], opacity: 1 } as const;
  const behind = (obstacles: readonly Obstacle[]) =>
    new Channel({ ...FREE, obstacles }, [1, 3, 1], [5, 3, 1], BAND);

  test('attenuates a line of sight of 4 m by 10 to 25 dB, and none beside it', () => {
    const free = amplitude(respond(behind([]), []));
    const loss = decibels(amplitude(respond(behind([cupboard]), [])) / free);
    expect(loss).toBeGreaterThan(-25);
    expect(loss).toBeLessThan(-10);
    const aside = { ...cupboard, from: [2.8, 4.5, 0], to: [3.2, 5.5, 1.8] } as const;
    expect(Math.abs(decibels(amplitude(respond(behind([aside]), [])) / free))).toBeLessThan(0.5);
  });

  test('transmits half if it is half opaque', () => {
    const free = amplitude(respond(behind([]), []));
    const half = amplitude(respond(behind([{ ...cupboard, opacity: 0.5 }]), [])) / free;
    expect(half).toBeGreaterThan(0.4);
    expect(half).toBeLessThan(0.65);
  });

  test('edges follow the knife edge within 2 dB, within 4 in deep shadow', () => {
    // A wide screen whose top is at a height h above the line of sight, halfway: J(v) of ITU-R P.526.
    for (const height of [-0.3, 0, 0.3, 0.6]) {
      const screen = { from: [2.99, -20, -20], to: [3.01, 26, 1 + height], opacity: 1 } as const;
      const loss = -decibels(amplitude(respond(behind([screen]), [])) / amplitude(respond(behind([]), [])));
      const v = height * Math.sqrt((2 * 4) / (LAMBDA * 2 * 2));
      const knife = v > -0.78 ? 6.9 + 20 * Math.log10(Math.sqrt((v - 0.1) ** 2 + 1) + v - 0.1) : 0;
      expect(Math.abs(loss - knife), `${height} m`).toBeLessThan(height > 0.5 ? 4 : 2);
    }
  });

  test('weakens a body behind it, but not one beside it', () => {
    const link = (obstacles: readonly Obstacle[]) =>
      new Channel({ ...FREE, obstacles }, [0.1, 3, 1], [0.1, 5.5, 1], BAND);
    const wall = { from: [2, 1, 0], to: [2.4, 5, 2.5], opacity: 1 } as const;
    const power = (channel: Channel, x: number, y: number): number => {
      let sum = 0;
      for (let i = 0; i < 20; i++) sum += amplitude(scatter(channel, standingBody(x + 0.01 * i, y))) ** 2;
      return sum;
    };
    expect(power(link([wall]), 3.5, 4)).toBeLessThan(0.1 * power(link([]), 3.5, 4));
    expect(power(link([wall]), 1, 4)).toBeGreaterThan(0.8 * power(link([]), 1, 4));
  });

  test('of random rooms stands at the walls, away from the antennas, and changes nothing else', () => {
    const plain = simulateSequence(700_030, { links: 2 });
    const blocked = simulateSequence(700_030, { links: 2, obstacles: [3, 3] });
    expect(blocked.truth).toEqual(plain.truth);
    expect(blocked.csi).not.toEqual(plain.csi);
    const links = plain.room.links;
    for (let seed = 0; seed < 20; seed++) {
      for (const { from, to } of randomObstacles(new Random(seed), plain.room.size, links, 3)) {
        expect(from[0] >= 0 && from[1] >= 0 && to[0] <= plain.room.size.x && to[1] <= plain.room.size.y).toBe(
          true,
        );
        for (const {
          transmitter: [x, y, z],
        } of links) {
          expect(x > from[0] && x < to[0] && y > from[1] && y < to[1] && z < to[2]).toBe(false);
        }
      }
    }
  });
});
