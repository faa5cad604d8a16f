import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { beginnings } from '../../pipeline/testing/outcome.js';
import {
  NO_IMPAIRMENTS,
  simulateSequence,
  THINGS,
  type ThingKind,
} from '../../pipeline/sources/simulator/index.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { makeThing } from '../../pipeline/sources/simulator/things.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';

const SIZE = { x: 5, y: 4, z: 2.6 };

/** Part of an empty room's power that changes within a window, decibels: the median over rooms and links. */
function dynamics(kind: ThingKind): number {
  const shares: number[] = [];
  for (let seed = 700_000; seed < 700_012; seed++) {
    const { csi, links, samples, subcarriers, things } = simulateSequence(seed, {
      seconds: 6,
      links: 2,
      persons: 0,
      impairments: NO_IMPAIRMENTS,
      things: { [kind]: 1 },
    });
    expect(things.map((thing) => thing.kind)).toEqual([kind]);
    const values = 2 * subcarriers;
    for (let link = 0; link < links; link++) {
      let moving = 0;
      let whole = 0;
      for (let value = 0; value < values; value++) {
        const course = Array.from({ length: samples }, (_, i) => csi[(link * samples + i) * values + value]!);
        const mean = course.reduce((a, b) => a + b) / samples;
        for (const one of course) {
          moving += (one - mean) ** 2;
          whole += one ** 2;
        }
      }
      shares.push(10 * Math.log10(moving / whole + 1e-12));
    }
  }
  return shares.sort((a, b) => a - b)[shares.length >> 1]!;
}

describe('things', () => {
  test('change the channel less than a walker does, and more than nothing', () => {
    for (const [kind, low] of [
      ['fan', -60],
      ['curtain', -60],
      ['falling_object', -60],
    ] as const) {
      const level = dynamics(kind);
      expect(level, kind).toBeGreaterThan(low);
      expect(level, kind).toBeLessThan(-15);
    }
  });

  test('stay inside the room, and move without a jump', () => {
    for (const kind of THINGS) {
      for (let seed = 0; seed < 10; seed++) {
        const thing = makeThing(kind, new Random(seed), SIZE, 120);
        let before: number[] | undefined;
        for (let time = 0; time < 300; time += 0.02) {
          thing.at(time);
          const [x, y, z] = thing.reflector.middle as unknown as [number, number, number];
          const inside = x > 0 && x < SIZE.x && y > 0 && y < SIZE.y && z > 0 && z < SIZE.z;
          if (!inside) expect.fail(`${kind}, seed ${seed}: at ${x}, ${y}, ${z} m`);
          const speed = before ? Math.hypot(x - before[0]!, y - before[1]!, z - before[2]!) / 0.02 : 0;
          if (speed > 7) expect.fail(`${kind}, seed ${seed}: ${speed} m/s at ${time.toFixed(2)} s`);
          before = [x, y, z];
        }
      }
    }
  });

  test('are placed by time alone', () => {
    for (const kind of THINGS) {
      const thing = makeThing(kind, new Random(4), SIZE, 120);
      thing.at(17.3);
      const first = thing.reflector.centres.slice();
      thing.at(80);
      thing.at(17.3);
      expect(thing.reflector.centres).toEqual(first);
    }
  });

  test('change nothing else of a scene', () => {
    const plain = simulateSequence(700_020, { links: 1 });
    const with_ = simulateSequence(700_020, { links: 1, things: { fan: 1 } });
    expect(with_.truth).toEqual(plain.truth);
    expect(with_.calibration).toEqual(plain.calibration);
    expect(with_.csi).not.toEqual(plain.csi);
  });

  test('of the source are in the truth, beside the people', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'csiflow-'));
    try {
      const truth = join(folder, 'truth.ndjson');
      const config = withDefaults(simulator, {
        speed: 0,
        start_time: '2026-01-01T00:00:00Z',
        duration_s: 30,
        people: [{ script: [{ activity: 'stand', seconds: 10 }] }],
        things: [{ type: 'fan', position: [1, 1, 1], rpm: 900 }, { type: 'pet' }],
        truth,
      });
      const { context } = testContext({ folder });
      await simulator
        .create(config as never, context)
        .open(null, { signal: new AbortController().signal, offer: () => true });
      const text = await readFile(truth, 'utf8');
      const lines = text
        .trim()
        .split('\n')
        .map(
          (line) =>
            JSON.parse(line) as { thing?: string; number?: number; moving?: boolean; place?: number[] },
        );
      const fan = lines.filter(({ thing }) => thing === 'fan');
      expect(fan).toHaveLength(30 * 20);
      expect(fan.every(({ number, moving }) => number === 0 && moving === true)).toBe(true);
      expect(Math.hypot(fan[0]!.place![0]! - 1, fan[0]!.place![1]! - 1)).toBeLessThan(0.05);
      const pet = lines.filter(({ thing }) => thing === 'pet');
      expect(new Set(pet.map(({ moving }) => moving)).size).toBeGreaterThan(0);
      expect(
        beginnings(text, Date.parse('2026-01-01T00:00:00Z') * 1000).every(({ person }) => person === 0),
      ).toBe(true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('that are not fans have no speed', () => {
    const config = withDefaults(simulator, { things: [{ type: 'pet', rpm: 100 }] });
    expect(simulator.check!(config as never)).toEqual([
      { path: ['things', 0, 'rpm'], message: 'a pet has no `rpm`; leave it out' },
    ]);
  });
});
