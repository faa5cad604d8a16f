import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyVelocity } from '../../operators/body-velocity/body-velocity.js';
import { profileOf, trunkVelocity, velocities } from '../../operators/body-velocity/profile.js';
import { hertzPerMetre } from '../../operators/body-velocity/projection.js';
import { LinkTable, type Environment, type Measure, type PoseFrame } from '../../pipeline/model/index.js';
import { testEnvironment } from '../../pipeline/testing/kit/context.js';
import { person, poseFrame } from '../../pipeline/testing/kit/records.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { blockOf, layoutOf, outputs } from './frames.js';

const START = 1_700_000_000_000_000;
const RATE = 200;
const MHZ = 5320;
type Point = readonly [x: number, y: number];

/** Links between corners of a square of 4 m: along the walls, and one across. */
const ENDS: readonly (readonly [Point, Point])[] = [
  [
    [0, 0],
    [4, 0],
  ],
  [
    [4, 0],
    [4, 4],
  ],
  [
    [4, 4],
    [0, 4],
  ],
  [
    [0, 0],
    [4, 4],
  ],
];
const MIDDLE: Point = [1.8, 2.3];

const roomOf = (move: (point: Point) => Point, ends = ENDS): Environment => ({
  ...testEnvironment,
  size: { x: 4, y: 4, z: 2.6 },
  links: ends.map(([a, b], i) => ({
    id: `link-${i}`,
    sender: `node-${i}`,
    transmitter: [...move(a), 1],
    receiver: [...move(b), 1.2],
  })),
});

/**
 * The operator's output for a body at `at` that moves at `velocity`: each link has one path that rotates at
 * its Doppler frequency.
 */
function seen(room: Environment, at: Point, velocity: Point, settings: object = {}, before?: PoseFrame) {
  const environments = [room];
  const { context } = testContext({ environments, links: new LinkTable(environments) });
  const layout = layoutOf({ subcarriers: Int16Array.of(1, 2), centreMhz: MHZ });
  const config = { rate_hz: RATE, place: at, ...settings };
  const operator = bodyVelocity.create(withDefaults(bodyVelocity, config) as never, context);
  if (before) outputs(operator, [before]);
  const frames = Array.from({ length: 100 * room.links.length }, (_, i) => {
    const [frame, link] = [Math.floor(i / room.links.length), i % room.links.length];
    const [x, y] = hertzPerMetre(room.links[link]!, { x: at[0], y: at[1] }, MHZ);
    const turn = (2 * Math.PI * (x * velocity[0] + y * velocity[1]) * frame) / RATE;
    const values = [3 + Math.cos(turn), Math.sin(turn), 2 + Math.cos(turn + 1), Math.sin(turn + 1)];
    return { link, time: START + (frame * 1e6) / RATE, values };
  });
  const measures = outputs(operator, [blockOf(layout, frames)]) as Measure[];
  const of = (name: string) => measures.filter((one) => one.name === name);
  return {
    measures,
    details: operator.describe!(),
    velocity: [of('body_velocity_x_mps').at(-1)?.value, of('body_velocity_y_mps').at(-1)?.value] as Point,
    fit: of('body_velocity_fit').at(-1)?.value,
    shares: of('body_velocity_share'),
  };
}

const still = (point: Point): Point => point;
const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
const anyVelocity = fc
  .record({
    speed: fc.double({ min: 0.5, max: 1.6, noNaN: true }),
    angle: fc.double({ min: -3.14, max: 3.14, noNaN: true }),
  })
  .map(({ speed, angle }): Point => [speed * Math.cos(angle), speed * Math.sin(angle)]);

describe('a moving body', () => {
  it('is reported with its velocity, to a bin', () => {
    fc.assert(
      fc.property(anyVelocity, (velocity) => {
        const found = seen(roomOf(still), MIDDLE, velocity);
        expect(distance(found.velocity, velocity)).toBeLessThan(0.2);
        expect(found.fit).toBeGreaterThan(0.5);
      }),
      { numRuns: 6 },
    );
  });

  it('is reported the same wherever the room lies, and rotated with the room', () => {
    const velocity: Point = [0.9, -0.5];
    const { velocity: here } = seen(roomOf(still), MIDDLE, velocity);
    const shift = ([x, y]: Point): Point => [x + 7, y + 3];
    const { velocity: there } = seen(roomOf(shift), shift(MIDDLE), velocity);
    expect(distance(here, there)).toBeLessThan(1e-6);
    const turn = ([x, y]: Point): Point => [4 - y, x];
    const { velocity: turned } = seen(roomOf(turn), turn(MIDDLE), [0.5, 0.9]);
    expect(distance(turned, [-here[1], here[0]])).toBeLessThan(1e-6);
  });

  it('has a sparse profile: few velocities with all of the shares', () => {
    const { shares } = seen(roomOf(still), MIDDLE, [0.9, -0.5], { profile: true });
    const last = shares.filter(({ time }) => time === shares.at(-1)!.time);
    expect(last.length).toBeLessThan(20);
    expect(last.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0.9);
    const most = last.reduce((a, b) => (b.value > a.value ? b : a));
    expect(most.subject).toBe('x=0.90,y=-0.50');
  });

  it('needs enough links, and says how many there are', () => {
    const { measures, details } = seen(roomOf(still, ENDS.slice(0, 2)), MIDDLE, [0.9, -0.5]);
    expect(measures).toEqual([]);
    const rooms = { [testEnvironment.id]: { links_with_spectrum: 2 } };
    expect(details).toEqual({ links_needed: 3, rooms });
  });

  it('is placed by a pose of one person', () => {
    const room = roomOf(still);
    const pose = {
      ...poseFrame(0, { persons: [person(0, 0, { position: { x: MIDDLE[0], y: MIDDLE[1], z: 0 } })] }),
      environment: room.id,
      time: START,
    };
    const velocity: Point = [-0.7, 0.8];
    const elsewhere = { place: [0.4, 0.4] };
    const reported = seen(room, MIDDLE, velocity, elsewhere, pose);
    expect(reported.velocity).toEqual(seen(room, MIDDLE, velocity).velocity);
    expect(distance(seen(room, MIDDLE, velocity, elsewhere).velocity, velocity)).toBeGreaterThan(0.2);
  });
});

it('is not reported with too few links, or without change', () => {
  expect(seen(roomOf(still, ENDS.slice(0, 2)), MIDDLE, [1, 0]).measures).toEqual([]);
  expect(seen(roomOf(still), MIDDLE, [0, 0]).measures).toEqual([]);
});

it('a link sees a body approaching both ends at twice its speed, and not one moving across', () => {
  const link = { transmitter: [0, 2, 1], receiver: [0.01, 2, 1] };
  const [x, y] = hertzPerMetre(link, { x: 3, y: 2 }, MHZ);
  const wavelength = 299.792458 / MHZ;
  expect(x).toBeCloseTo(-2 / wavelength, 2);
  expect(y).toBeCloseTo(0, 6);
});

it('explains spectra of two velocities by both, and names the stronger one', () => {
  const grid = velocities(20, 2);
  const axes: Point[] = [
    [20, 0],
    [0, 20],
    [15, 15],
    [15, -15],
  ];
  const links = axes.map((axis) => {
    const spectrum = new Float64Array(128);
    for (const [x, y, share] of [
      [0.9, 0.3, 0.7],
      [-1.1, -0.5, 0.3],
    ] as const)
      for (let k = 0; k < 128; k++)
        spectrum[k]! += share * Math.exp(-0.5 * (((k - 64) * 1.5 - (axis[0] * x + axis[1] * y)) / 2) ** 2);
    const sum = spectrum.reduce((a, b) => a + b, 0);
    return { spectrum: spectrum.map((value) => value / sum), step: 1.5, width: 2, axis };
  });
  const { shares, fit } = profileOf(links, grid, 0.001)!;
  expect(fit).toBeGreaterThan(0.95);
  expect(distance(trunkVelocity(shares, grid), [0.9, 0.3])).toBeLessThan(0.1);
});

breaksNothing(bodyVelocity, { window: 8 });
