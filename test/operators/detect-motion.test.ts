import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { denoise } from '../../operators/denoise/denoise.js';
import { detectMotion } from '../../operators/detect-motion/detect-motion.js';
import { RoomPresence } from '../../operators/detect-motion/presence.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { linkMotion } from '../../operators/shared/link-motion.js';
import { window } from '../../operators/window/window.js';
import type { AnyOperator, Operator, SourceOutput } from '../../pipeline/component/index.js';
import {
  csiLayout,
  type CsiBlock,
  type Data,
  type Measure,
  type Window,
} from '../../pipeline/model/index.js';
import { simulator } from '../../pipeline/sources/simulator/source.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { arraysByName } from '../../pipeline/formats/tables/arrays.js';
import { readNpz } from '../../pipeline/formats/tables/npz.js';
import { sharedFile } from '../support/shared.js';
import { recordingBlocks } from '../support/recordings.js';
import { blockOf, outputs, windowsOf } from './frames.js';

const START = 1_700_000_000_000_000;
const config = { interval_ms: 1000, threshold: 0.1, energy_threshold_db: 10, hold_ms: 10_000 };
const grid = {
  length_ms: 1000,
  hop_ms: 100,
  points: 50,
  training: ['lltf' as const],
  idle_ms: 500,
  max_gap_periods: 3,
};
const operator = (changes: Partial<typeof config> = {}) =>
  detectMotion.create({ ...config, ...changes }, testContext().context);

interface Scene {
  /** Frames per second, and their offset from the grid's points, microseconds. */
  readonly rate?: number;
  readonly offset?: number;
  readonly gain?: (frame: number) => number;
  readonly links?: number;
}

/** Windows of links with 16 subcarriers: `amplitude` of a subcarrier at a second, with noise. */
function windows(
  seconds: number,
  amplitude: (k: number, t: number, link: number, frame: number) => number,
  { rate = 100, offset = 0, gain = () => 1, links = 1 }: Scene = {},
): Window[] {
  const { context } = testContext();
  const layout = csiLayout({
    rx: 1,
    tx: 1,
    subcarriers: Array.from({ length: 16 }, (_, k) => k + 1),
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'lltf',
  });
  const frames = Array.from({ length: links * (seconds * rate + 1) }, (_, at) => {
    const [i, link] = [Math.floor(at / links), at % links];
    return {
      link,
      time: START + offset + Math.round((i * 1e6) / rate),
      values: Array.from({ length: 32 }, (_, j) =>
        j % 2 === 1 ? 0 : gain(i) * (amplitude(j / 2, i / rate, link, i) + (context.random() - 0.5) * 0.4),
      ),
    };
  });
  return windowsOf(window.create(grid, context), [blockOf(layout, frames)]);
}

const still = (k: number) => 10 + Math.sin(k);
const moving = (k: number, t: number) => 10 + Math.sin(k) + 2 * Math.sin(2 * Math.PI * 3 * t + k / 4);
/** All carriers change alike, as if somebody walked close to the line between the nodes. */
const swaying =
  (hz: number) =>
  (k: number, t: number): number =>
    still(k) * (1 + 0.2 * Math.sin(2 * Math.PI * hz * t + 2 * Math.sin(t)));
/** Factors that differ from frame to frame by chance, with this spread. */
function factorsOf(frames: number, spread: number): readonly number[] {
  const { context } = testContext();
  return Array.from({ length: frames }, () => 1 + spread * (context.random() - 0.5));
}
/** Somebody walks from a second on, so fast that the level does not persist from frame to frame. */
const walkingFrom =
  (second: number, factors: readonly number[]) =>
  (k: number, t: number, _link: number, frame: number): number =>
    still(k) * (t > second ? factors[frame]! : 1);
const named = (measures: readonly Measure[], name: string, subject: string | null = null) =>
  measures.filter((measure) => measure.name === name && measure.subject === subject);
const valuesOf = (measures: readonly Measure[], name: string, subject: string | null = null) =>
  named(measures, name, subject).map(({ value }) => value);
const measure = (node: ReturnType<typeof operator>, input: readonly Window[]) =>
  outputs(node, input) as Measure[];

/** `presence` by the second: `1`, `0`, or `?` if unknown. */
function reported(measures: readonly Measure[]): string {
  const known = new Map(named(measures, 'presence').map(({ time, value }) => [time, String(value)]));
  return named(measures, 'presence_probability')
    .map(({ time }) => known.get(time) ?? '?')
    .join('');
}

/** How often an answer occurs in `of`. */
const count = (of: string, one: string) => of.split(one).length - 1;

describe('detect-motion', () => {
  it('measures once per interval, at the end of windows', () => {
    const given = named(measure(operator(), windows(5, still)), 'motion');
    expect(given.map(({ time }) => (time - START) / 1000)).toEqual([1000, 2000, 3000, 4000, 5000]);
  });

  it('describes what its newest measures say about each room', () => {
    const node = operator();
    expect(node.describe!()).toEqual({ rooms: {} });
    const given = measure(node, windows(5, moving));
    const [id] = given.map(({ environment }) => environment);
    expect(node.describe!()).toEqual({
      rooms: {
        [id!]: {
          time: new Date((START + 5e6) / 1000).toISOString(),
          origin: given.at(-1)!.provenance.origin,
          motion: valuesOf(given, 'motion').at(-1),
          presence_probability: valuesOf(given, 'presence_probability').at(-1),
          presence: true,
          interval_ms: 1000,
        },
      },
    });
  });

  it.each([
    [10, 1000],
    [5000, 5000],
  ])('describes when measures every %i ms follow windows of a second: after %i ms', (interval, expected) => {
    const node = operator({ interval_ms: interval });
    measure(node, windows(5, moving));
    const { rooms } = node.describe!() as { rooms: Record<string, { interval_ms: number }> };
    expect(Object.values(rooms).map(({ interval_ms: described }) => described)).toEqual([expected]);
  });

  it('distinguishes movement from noise, whatever the gain does', () => {
    const gain = (i: number) => (i % 7 === 0 ? 2 : 1);
    const quiet = measure(operator(), windows(5, still, { gain }));
    const loud = measure(operator(), windows(5, moving, { gain }));
    expect(Math.max(...valuesOf(quiet, 'motion'))).toBeLessThan(0.05);
    expect(Math.min(...valuesOf(loud, 'motion'))).toBeGreaterThan(0.4);
  });

  it.each([45, 50, 55, 70, 90])(
    'ignores noise shared by points of the grid: %i frames a second, a third of a step beside it',
    (rate) => {
      const given = measure(operator(), windows(20, still, { rate, offset: 7000 }));
      expect(Math.max(...valuesOf(given, 'motion'))).toBeLessThan(0.1);
    },
  );

  it('ignores alternating antennas of a link', () => {
    const { context } = testContext();
    const antennas = Array.from({ length: 4000 }, () => context.random() < 0.5);
    const alternating = (k: number, _t: number, _link: number, frame: number) =>
      10 + (antennas[frame] ? 2 * Math.sin(k / 5) : 0);
    const given = measure(operator(), windows(120, alternating, { rate: 22 }));
    expect(valuesOf(given, 'motion').filter((value) => value > 0.1).length).toBeLessThan(0.1 * 120);
    expect(reported(given)).not.toContain('1');
  });

  it.each([2, 3, 4])('ignores %i antennas that take turns by chance, through noise', (count) => {
    const { context } = testContext();
    const antennas = Array.from({ length: 1400 }, () => Math.floor(context.random() * count));
    const alternating = (k: number, _t: number, _link: number, frame: number) =>
      10 + 4 * Math.sin(k / 5 + 2 * antennas[frame]!) + 0.8 * (context.random() - 0.5);
    const given = measure(operator(), windows(60, alternating, { rate: 22 }));
    expect(valuesOf(given, 'motion').filter((value) => value > 0.1).length).toBeLessThan(0.1 * 60);
    expect(reported(given)).not.toContain('1');
  });

  it('notices movement that changes the channel faster than frames arrive', () => {
    const { context } = testContext();
    const paths = [1, 2, 3, 4, 5].map(() =>
      Array.from({ length: 1400 }, () => 10 * (context.random() - 0.5)),
    );
    const fading = (k: number, _t: number, _link: number, frame: number) =>
      paths.reduce((sum, path, i) => sum + path[frame]! * Math.cos((i * k) / 8 + i), 30);
    const given = measure(operator(), windows(60, fading, { rate: 22 }));
    expect(valuesOf(given, 'motion').filter((value) => value > 0.03).length).toBeGreaterThan(0.66 * 60);
  });

  it('notices movement that changes all carriers alike', () => {
    const given = valuesOf(measure(operator(), windows(10, swaying(3))), 'motion');
    expect(Math.min(...given.slice(1))).toBeGreaterThan(0.3);
  });

  it.each([
    ['steps of the gain by a decibel', (i: number) => 1.12 ** (Math.floor(i / 130) % 2)],
    ['a gain that differs from frame to frame', (i: number) => 1 + 0.2 * Math.sin(i * i)],
    ['a slow drift of the gain', (i: number) => 1 + i / 20_000],
  ])('does not mistake %s for it', (_name, gain) => {
    const given = measure(operator(), windows(60, still, { gain }));
    expect(Math.max(...valuesOf(given, 'motion'))).toBeLessThan(0.03);
    expect(reported(given)).not.toContain('1');
  });

  it.each([12, 20, 50])('does not mistake two antennas in turn for it, of %i frames a second', (rate) => {
    const gain = (i: number) => (i % 2 === 0 ? 1 : 1.4);
    const given = measure(operator(), windows(60, still, { rate, gain }));
    expect(Math.max(...valuesOf(given, 'motion'))).toBeLessThan(0.03);
    expect(reported(given)).not.toContain('1');
  });

  it('measures energy above the learnt quiet level', () => {
    const given = measure(
      operator(),
      windows(10, (k, t) => (t > 6 ? moving(k, t) : still(k))),
    );
    const energy = valuesOf(given, 'motion_energy_db', 'link-1');
    expect(Math.max(...energy.slice(0, 5))).toBeLessThan(3);
    expect(energy.at(-1)).toBeGreaterThan(15);
  });

  it('reports nothing for a link of zeros', () => {
    const given = measure(
      operator(),
      windows(2, () => 0),
    );
    expect(given).toEqual([]);
  });

  it('gives finite numbers whatever points of a window are measured', () => {
    const whole = windows(8, moving).filter((_, i) => i % 10 === 0);
    const points = fc.uint8Array({ minLength: grid.points, maxLength: grid.points, max: 1 });
    const gaps = fc.array(fc.tuple(points, fc.integer({ min: 1, max: grid.points })), {
      minLength: whole.length,
      maxLength: whole.length,
    });
    fc.assert(
      fc.property(gaps, (given) => {
        const damaged = whole.map((one, i) => ({
          ...one,
          links: one.links.map((link) => ({ ...link, gaps: given[i]![0], frames: given[i]![1] })),
        }));
        for (const { name, value } of measure(operator(), damaged))
          expect(Number.isFinite(value), `${name} is ${value}`).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('gives finite numbers for thresholds of 0, which any movement exceeds', () => {
    const none = { threshold: 0, energy_threshold_db: 0 };
    const probabilities = valuesOf(measure(operator(none), windows(8, moving)), 'presence_probability');
    expect(probabilities.every(Number.isFinite)).toBe(true);
    expect(probabilities.at(-1)).toBeGreaterThan(0.9);
  });

  it('continues from a checkpoint of csiflow 0.5.0, which knew nothing of levels', () => {
    const input = windows(30, (k, t) => (t > 25 ? moving(k, t) : still(k)));
    const node = operator();
    measure(node, input.slice(0, 200));
    const old = structuredClone(node.snapshot!());
    for (const [, link] of old.presence.flatMap(({ links }) => links))
      delete (link as { levels?: unknown }).levels;
    const later = operator();
    later.restore!(old);
    expect(reported(measure(later, input.slice(200)))).toMatch(/^0+1*$/);
  });

  it('continues from a snapshot as if it had never stopped, and never changes its input', () => {
    const input = windows(30, (k, t) => (t > 3 && t < 9 ? moving(k, t) : still(k)));
    const copy = structuredClone(input);
    const whole = measure(operator(), input);
    fc.assert(
      fc.property(fc.nat(input.length), (cut) => {
        const one = operator();
        const first = measure(one, input.slice(0, cut));
        const other = operator();
        other.restore!(structuredClone(one.snapshot!()));
        expect([...first, ...measure(other, input.slice(cut))]).toEqual(whole);
      }),
      { numRuns: 10 },
    );
    expect(input).toEqual(copy);
  });
});

describe('presence', () => {
  it('is unknown at first, then follows the evidence', () => {
    const quiet = reported(measure(operator(), windows(20, still)));
    expect(quiet).toMatch(/^\?{2,8}0+$/);
    const loud = reported(measure(operator(), windows(20, moving)));
    expect(loud).toMatch(/^\?{2}1+$/);
  });

  it('starts within six seconds of movement, and ends hold_ms after it', () => {
    const input = windows(60, (k, t) => (t > 20 && t < 30 ? moving(k, t) : still(k)));
    const given = reported(measure(operator({ hold_ms: 10_000 }), input));
    expect(given.indexOf('1')).toBeLessThan(26);
    expect(given.lastIndexOf('1')).toBeGreaterThan(35);
    expect(given.lastIndexOf('1')).toBeLessThan(44);
    expect(given).toMatch(/0$/);
  });

  it('is not caused by bursts of two seconds in twenty, nor by four seconds on one of two links', () => {
    const seldom = windows(120, (k, t) => (t % 20 > 18 ? moving(k, t) : still(k)));
    expect(count(reported(measure(operator({ hold_ms: 20_000 }), seldom)), '1')).toBeLessThan(6);
    const single = (k: number, t: number, link: number) =>
      link === 1 && t % 20 > 16 ? moving(k, t) : still(k);
    expect(
      reported(measure(operator({ hold_ms: 20_000 }), windows(120, single, { links: 2 }))),
    ).not.toContain('1');
  });

  it('is not caused for long by a fan, and still notices a person', () => {
    const fan = (k: number, t: number) => still(k) + 0.5 * Math.sin(2 * Math.PI * 5 * t + k / 6);
    const somebody = (k: number, t: number) => fan(k, t) + (t > 150 ? moving(k, t) - still(k) : 0);
    const given = reported(measure(operator(), windows(180, somebody)));
    expect(given.slice(70, 148)).toMatch(/^0+$/);
    expect(given.slice(-20)).toMatch(/^1+$/);
  });

  it('is caused by a level that changes more than at rest, if too fast to persist', () => {
    const walker = walkingFrom(30, factorsOf(2000, 0.3));
    const given = reported(measure(operator(), windows(60, walker, { rate: 20 })));
    expect(given.slice(10, 29)).toMatch(/^0+$/);
    expect(given.slice(37)).toMatch(/^1+$/);
  });

  it('lasts for half a minute while a person walks so that the level changes weakly and steadily', () => {
    const walker = walkingFrom(40, factorsOf(2000, 0.14));
    const given = reported(measure(operator(), windows(68, walker, { rate: 20 })));
    expect(given.slice(48)).toMatch(/^1+$/);
  });

  it('is noticed after a machine has stopped, although something else disturbs the level weakly', () => {
    const factors = factorsOf(4000, 0.3);
    const scene = (k: number, t: number, _link: number, frame: number) => {
      const factor = factors[frame]!;
      if (t < 40 || t > 120) return still(k) * factor;
      return still(k) * (1 + (t % 9 > 8 ? 0.15 : 0) * (factor - 1));
    };
    const given = reported(measure(operator(), windows(140, scene, { rate: 20 })));
    expect(given.slice(60, 119)).toMatch(/^0+$/);
    expect(given.slice(127)).toMatch(/^1+$/);
  });

  it('is unknown for longer if the level changes from the start, by movement or by the gain', () => {
    const gains = factorsOf(2000, 0.3);
    const given = reported(measure(operator(), windows(60, still, { rate: 20, gain: (i) => gains[i]! })));
    expect(given).toMatch(/^\?{15,30}0+$/);
  });

  it('is not caused for long by a machine that changes the level', () => {
    const given = reported(measure(operator(), windows(180, swaying(3))));
    expect(given.slice(0, 30)).toContain('1');
    expect(given.slice(70)).toMatch(/^0+$/);
  });

  it('ends within the hour if a receiver becomes noisy whose level was seen at rest', () => {
    const { context } = testContext();
    const strengths = Array.from({ length: 3700 }, () => 0.3 * context.random());
    const noise = (i: number, strength: number) => 1 + strength * Math.sin(i * i);
    const gain = (i: number) => (i < 1200 ? 1 : noise(i, strengths[Math.floor(i / 20)]!));
    const given = reported(measure(operator(), windows(3600, still, { rate: 20, gain })));
    expect(given.slice(20, 60)).toMatch(/^0+$/);
    expect(given.slice(-600)).toMatch(/^0+$/);
  });

  it('is known of a room one of whose three links has a noisy gain', () => {
    const { context } = testContext();
    const gain = () => 1 + 0.3 * (context.random() - 0.5);
    const noisy = windows(20, still, { rate: 20, gain });
    const room = new RoomPresence({ threshold: 0.03, energyThreshold: 1, hold: 20e6 });
    const answers = windows(20, still, { rate: 20 }).flatMap((one, i) => {
      if (i % 10 > 0) return [];
      const [quiet, loud] = [linkMotion(one.links[0]!, one), linkMotion(noisy[i]!.links[0]!, one)];
      room.see(one.start, [
        ['a', quiet],
        ['b', loud],
        ['c', quiet],
      ]);
      return [room.present];
    });
    expect(answers.slice(10)).toEqual(answers.slice(10).fill(false));
  });

  it('is noticed at any interval of measures if too fast to persist', () => {
    const { context } = testContext();
    const factors = Array.from({ length: 2000 }, (_, i) => {
      const strength = i % 60 < 30 ? 0.2 : 0.5;
      return 1 + strength * (context.random() - 0.5);
    });
    const walker = walkingFrom(30, factors);
    const given = reported(measure(operator({ interval_ms: 100 }), windows(90, walker, { rate: 20 })));
    expect(given.slice(-400)).toMatch(/^1+$/);
  });

  it('is forgotten after a minute without measurements', () => {
    const input = windows(100, (k, t) => (t < 10 ? moving(k, t) : still(k)));
    const node = operator();
    measure(node, input.slice(0, 100));
    const later = measure(node, input.slice(-10));
    expect(reported(later)).toMatch(/^\?+$/);
  });
});

const make = (component: AnyOperator, config: object = {}): Operator =>
  component.create(withDefaults(component, config) as never, testContext().context);

/** The windows of a shipped topology. */
function chain(blocks: readonly CsiBlock[]): Window[] {
  const clean = outputs(make(phaseSanitize), outputs(make(denoise), blocks)) as CsiBlock[];
  return windowsOf(make(window, { length_ms: 2000, hop_ms: 1000, points: 100 }), clean);
}

/** Measures of a simulated room of two links. */
async function simulated(seed: number, script: readonly object[], seconds: number): Promise<Measure[]> {
  const blocks: CsiBlock[] = [];
  const output: SourceOutput = {
    offer: ({ data }: { data?: readonly Data[] }) => {
      for (const one of data ?? []) if (one.port === 'csi') blocks.push(one);
      return Promise.resolve(true);
    },
    signal: new AbortController().signal,
  };
  const config = { seed, rate_hz: 25, speed: 0, duration_s: seconds, people: [{ script }] };
  await simulator.create(withDefaults(simulator, config) as never, testContext().context).open(null, output);
  return outputs(make(detectMotion), chain(blocks)) as Measure[];
}

describe('presence in simulated rooms', () => {
  const comesAndGoes = async (seed: number): Promise<void> => {
    const script = [
      { activity: 'walk', seconds: 20 },
      { activity: 'away', seconds: 60 },
      { activity: 'walk', seconds: 30 },
    ];
    const given = reported(await simulated(seed, script, 108));
    expect(given.slice(50, 78)).toMatch(/^0+$/);
    expect(given.slice(91, 104)).toMatch(/^1+$/);
  };

  it.each([700_701, 700_703, 700_704, 700_705, 700_706, 700_707, 700_708])(
    'ends within 30 s of the last person leaving, and starts within 11 s of one arriving (seed %i)',
    async (seed) => {
      await comesAndGoes(seed);
    },
  );

  // Known defect: in this room the last person's leaving is mistaken for resting, and presence lasts.
  it.fails('ends in the room of seed 700702 too', async () => {
    await comesAndGoes(700_702);
  });

  it('keeps a seated person, once it knows the empty room', async () => {
    const script = [
      { activity: 'away', seconds: 90 },
      { activity: 'walk', seconds: 15 },
      { activity: 'sit', seconds: 90 },
    ];
    const given = reported(await simulated(700_704, script, 195));
    expect(given.slice(20, 88)).toMatch(/^0+$/);
    expect(count(given.slice(-90), '1')).toBeGreaterThan(80);
  });
});

const folder = sharedFile('labelled/esp32-presence');

/** Measures of one of the recordings, through the shipped chain. */
function recording(name: string): Measure[] {
  const arrays = arraysByName(readNpz(readFileSync(join(folder!, name))));
  const { shape, re: csi } = arrays.get('csi_data')!;
  const duration = Number(arrays.get('duration_ms')!.re[0]);
  const layout = csiLayout({
    rx: 1,
    tx: 1,
    subcarriers: Array.from({ length: 64 }, (_, k) => k - 32),
    bandwidthMhz: 20,
    centreMhz: 2437,
    training: 'lltf',
  });
  const frames = Array.from({ length: shape[0]! }, (_, i) => ({
    time: START + Math.round((i * duration * 1000) / shape[0]!),
    values: csi.subarray(i * 128, (i + 1) * 128),
  }));
  return outputs(make(detectMotion), chain([blockOf(layout, frames)])) as Measure[];
}

describe.skipIf(folder === undefined)('on recordings of three ESP32 chips', () => {
  const motions: Record<'baseline' | 'movement', number[]> = { baseline: [], movement: [] };
  const presence: Record<'baseline' | 'movement', string> = { baseline: '', movement: '' };
  for (const name of folder === undefined ? [] : readdirSync(folder)) {
    const kind = name.startsWith('baseline') ? 'baseline' : 'movement';
    const given = recording(name);
    motions[kind].push(...valuesOf(given, 'motion'));
    presence[kind] += reported(given);
  }
  const share = (of: string, one: string) => count(of, one) / of.length;

  it('separates movement from empty rooms by the default threshold: F1 of at least 0.94', () => {
    const { threshold } = withDefaults(detectMotion, {}) as { threshold: number };
    const found = motions.movement.filter((value) => value > threshold).length;
    const wrong = motions.baseline.filter((value) => value > threshold).length;
    expect([motions.baseline.length, motions.movement.length]).toEqual([50, 56]);
    expect((2 * found) / (found + wrong + motions.movement.length)).toBeGreaterThan(0.94);
  });

  it('reports nobody in 95 of 100 seconds of empty rooms, and misses nobody who moves', () => {
    expect(share(presence.baseline, '1')).toBeLessThan(0.05);
    expect(share(presence.movement, '0')).toBe(0);
    expect(share(presence.movement, '1')).toBeGreaterThan(0.75);
  });
});

const captures = sharedFile('captures/esp32-serial');

it.skipIf(captures === undefined)(
  'sees a person keeping still in 9 of 10 seconds of a real recording',
  () => {
    const blocks = recordingBlocks(`${captures!}/still.txt.gz`, testContext().context);
    const given = reported(outputs(make(detectMotion), chain(blocks)) as Measure[]);
    expect(count(given, '1') / given.length).toBeGreaterThan(0.9);
  },
);
