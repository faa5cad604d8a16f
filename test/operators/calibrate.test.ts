import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrate } from '../../operators/calibrate/calibrate.js';
import { Correction } from '../../operators/calibrate/correction.js';
import { entryOf, readCalibrations } from '../../operators/calibrate/link-calibration.js';
import { detectMotion } from '../../operators/detect-motion/detect-motion.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import type { CsiBlock, CsiLayout, Data, Measure } from '../../pipeline/model/index.js';
import { comparable, throughDisk } from '../../pipeline/testing/kit/run-operator.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { blockOf, layoutOf, outputs } from './frames.js';

const START = 1_700_000_000_000_000;
const layout = layoutOf({ rx: 3, subcarriers: Int16Array.of(-3, -2, -1, 1, 2, 3) });
const RESPONSE = Array.from({ length: 18 }, (_, i) => (i < 6 ? 2 : 1) + 0.5 * Math.sin(i));
const PHASE = [0, 0.7, -2];

interface Scene {
  readonly of?: CsiLayout;
  readonly seconds: number;
  readonly from?: number;
  readonly phase?: readonly number[];
  readonly response?: readonly number[];
  readonly link?: number;
  /** Amplitude of the moving part. */
  readonly moving?: number;
}

/** 50 frames per second of a link whose packets have random phases, slopes and gains. */
function scene({
  of = layout,
  seconds,
  from = 0,
  phase = PHASE,
  response = RESPONSE,
  link = 0,
  moving = 0,
}: Scene): CsiBlock {
  const { context } = testContext();
  const columns = of.rx * of.subcarriers.length;
  const frames = Array.from({ length: seconds * 50 }, (_, i) => {
    const [gain, offset, slope] = [1 + context.random(), 6 * context.random(), context.random() / 4];
    const values = Array.from({ length: columns }, (_, column) => {
      const antenna = Math.floor(column / of.subcarriers.length);
      const k = of.subcarriers[column % of.subcarriers.length]!;
      const noise = 1 + 0.01 * (context.random() - 0.5) + moving * Math.sin(i / 4 + column / 3);
      const amplitude = 20 * gain * response[column]! * noise;
      const angle = offset + slope * k + phase[antenna]!;
      return [amplitude * Math.cos(angle), amplitude * Math.sin(angle)];
    });
    return { link, time: START + (from + i / 50) * 1e6, values: values.flat() };
  });
  return blockOf(of, frames);
}

function open(settings: object = {}, folder?: string) {
  const { context, recorded } = testContext(folder === undefined ? {} : { folder });
  const config = withDefaults(calibrate, { learn_s: 4, check_s: 2, interval_ms: 1000, ...settings });
  return { operator: calibrate.create(config as never, context) as Operator, recorded };
}

const framesOf = (data: readonly Data[]): CsiBlock[] => data.filter((one) => one.port === 'csi');
const reported = (data: readonly Data[], name: string): number[] =>
  data.flatMap((one) => (one.port === 'measure' && one.name === name ? [one.value] : []));

/**
 * Amplitude over the frame's mean, and the angle relative to the first antenna, of each value of a block's
 * last frame.
 */
function lastFrame(data: readonly Data[]): { amplitude: number[]; angle: number[] } {
  const block = framesOf(data).at(-1)!;
  const columns = block.layout.rx * block.layout.subcarriers.length;
  const values = block.values.subarray(-2 * columns);
  const of = (f: (re: number, im: number) => number) =>
    Array.from({ length: columns }, (_, i) => f(values[2 * i]!, values[2 * i + 1]!));
  const amplitude = of(Math.hypot);
  const mean = amplitude.reduce((a, b) => a + b, 0) / columns;
  const phase = of((re, im) => Math.atan2(im, re));
  const each = block.layout.subcarriers.length;
  const turn = (angle: number) => Math.atan2(Math.sin(angle), Math.cos(angle));
  return {
    amplitude: amplitude.map((one) => one / mean),
    angle: phase.map((angle, i) => turn(angle - phase[i % each]!)),
  };
}

describe('learning', () => {
  const { operator, recorded } = open();
  const data = outputs(operator, [scene({ seconds: 10 })]);

  it('drops the frames it learns from, and no others', () => {
    expect(recorded.dropped).toEqual({ learning: framesOf(data)[0]!.sequence[0] });
    expect(recorded.dropped['learning']).toBe(201);
  });

  it('flattens the still room, and aligns the phases of antennas', () => {
    const { amplitude, angle } = lastFrame(data);
    for (const one of amplitude) expect(one).toBeCloseTo(1, 1);
    for (const one of angle) expect(one).toBeCloseTo(0, 2);
  });

  it('reports thresholds, and that the calibration fits', () => {
    expect(reported(data, 'motion_threshold')[0]).toBeGreaterThanOrEqual(0.02);
    expect(reported(data, 'motion_threshold')[0]).toBeLessThan(0.2);
    // 1 % of uniform noise: -55 dB of the power, of which neighbours share little.
    expect(reported(data, 'noise_level_db')[0]).toBeLessThan(-45);
    expect(reported(data, 'calibration_drift').at(-1)).toBeLessThan(0.01);
    expect(reported(data, 'calibration_phase_drift_deg').at(-1)).toBeLessThan(1);
    expect(recorded.problem).toBeNull();
  });
});

describe('the check that it fits', () => {
  const changes: readonly (readonly [string, Partial<Scene>, boolean])[] = [
    ['a turned antenna', { phase: [0, 0.7 + Math.PI, -2] }, false],
    ['another channel', { response: RESPONSE.map((_, i) => RESPONSE[(7 * i + 3) % 18]! ** 2) }, false],
    ['an antenna that is silent', { response: RESPONSE.map((one, i) => (i < 6 ? 0 : one)) }, false],
    ['somebody who moves', { moving: 0.3 }, true],
    ['nothing', {}, true],
  ];
  it.each(changes)('%s', (_, change, fits) => {
    const { operator, recorded } = open();
    outputs(operator, [scene({ seconds: 5 }), scene({ seconds: 8, from: 5, ...change })]);
    if (fits) expect(recorded.problem).toBeNull();
    else expect(recorded.problem).toMatch(/^link link-1 no longer fits its calibration/);
  });

  it('recovers when the room is as before, and logs both once', () => {
    const { operator, recorded } = open();
    outputs(operator, [scene({ seconds: 5 }), scene({ seconds: 8, from: 5, phase: [0, 2, 1] })]);
    expect(recorded.problem).toMatch(/no longer fits/);
    outputs(operator, [scene({ seconds: 15, from: 13 })]);
    expect(recorded.problem).toBeNull();
    const told = recorded.lines.filter(({ message }) => /fits? its calibration/.test(message));
    expect(told).toMatchObject([
      { level: 'warn', message: 'a link no longer fits its calibration', fields: { link: 'link-1' } },
      { level: 'info', message: 'a link fits its calibration again', fields: { link: 'link-1' } },
    ]);
  });
});

describe('links', () => {
  it('an antenna with unsteady phase is not rotated, and does not count as a misfit', () => {
    const { operator, recorded } = open();
    const blocks = [scene({ seconds: 10 })];
    const { values } = blocks[0]!;
    for (let frame = 0; frame < 500; frame++)
      for (let k = 0; k < 6; k++) {
        // The third antenna: rotated by another angle in each frame.
        const at = frame * 36 + 24 + 2 * k;
        const [re, im] = [values[at]!, values[at + 1]!];
        values[at] = re * Math.cos(frame * frame) - im * Math.sin(frame * frame);
        values[at + 1] = re * Math.sin(frame * frame) + im * Math.cos(frame * frame);
      }
    const state = (outputs(operator, blocks), operator.snapshot!()) as {
      frames: { state: { learnt: { phase: (number | null)[] } } }[];
    };
    expect(state.frames[0]!.state.learnt.phase[2]).toBeNull();
    expect(recorded.problem).toBeNull();
  });

  it('are learnt separately, even one subcarrier of one antenna; pauses and new layouts do not end it', () => {
    const { operator } = open();
    const one = layoutOf({ rx: 1, subcarriers: Int16Array.of(4) });
    const blocks = [
      scene({ seconds: 2 }),
      scene({ of: one, link: 1, seconds: 6 }),
      scene({ seconds: 4, from: 60 }),
      scene({ of: one, seconds: 6, from: 70 }),
      scene({ seconds: 1, from: 90 }),
    ];
    const links = framesOf(outputs(operator, blocks)).map(({ link, layout: { rx } }) => [link[0], rx]);
    expect(new Set(links.map(String))).toEqual(new Set(['0,3', '1,1', '0,1']));
  });
});

describe('a file', () => {
  let folder: string;
  const known = { response: RESPONSE, reference: 0, phase: PHASE, motion: 0.2, noiseDb: -50 };
  const write = (content: object) => {
    writeFileSync(join(folder, 'room.json'), JSON.stringify(content));
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'csiflow-calibrate-operator-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('applies from the first frame, and reports its thresholds', () => {
    write({ features: 1, profiles: {}, links: { 'link-1': [entryOf(layout, known)] } });
    const { operator, recorded } = open({ calibration: 'room.json' }, folder);
    const data = outputs(operator, [scene({ seconds: 5 })]);
    expect(framesOf(data).reduce((sum, { count }) => sum + count, 0)).toBe(250);
    expect(recorded.dropped).toEqual({});
    for (const one of lastFrame(data).angle) expect(one).toBeCloseTo(0, 2);
    expect(reported(data, 'motion_threshold')[0]).toBe(0.2);
    expect(reported(data, 'noise_level_db')[0]).toBe(-50);
  });

  it('passes unknown links on, and names them', () => {
    write({ links: { 'link-2': [entryOf(layout, known)] } });
    const { operator, recorded } = open({ calibration: 'room.json' }, folder);
    const block = scene({ seconds: 1 });
    expect(framesOf(outputs(operator, [block]))[0]!.values).toEqual(block.values);
    expect(recorded.problem).toMatch(/^link link-1 sends frames that its calibration does not know/);
  });

  it.each([
    [{}, /has no "links"/],
    [{ links: { a: 1 } }, /"links.a" must be a list/],
    [{ links: { a: [{}] } }, /without subcarriers/],
    [{ links: { a: [{ ...entryOf(layout, known), response: [1] }] } }, /response must be 18 numbers/],
    [{ links: { a: [{ ...entryOf(layout, known), phase: [1] }] } }, /phase must be 3 numbers/],
    [{ links: { a: [{ ...entryOf(layout, known), motion: 0 }] } }, /motion from 0 to 1/],
  ])('that is invalid is rejected: %#', (content, message) => {
    write(content);
    expect(() => open({ calibration: 'room.json' }, folder)).toThrow(message);
    expect(() => readCalibrations(join(folder, 'none.json'))).toThrow(/does not exist/);
  });
});

it("inverts a device's distortion exactly", () => {
  const response = fc.array(fc.double({ min: 0.1, max: 3, noNaN: true }), { minLength: 18, maxLength: 18 });
  const phase = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 3, maxLength: 3 });
  const values = fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 36, maxLength: 36 });
  fc.assert(
    fc.property(response, phase, values, (r, p, x) => {
      const done = new Float64Array(36);
      for (let i = 0; i < 36; i += 2) {
        const [gain, turn] = [r[i / 2]!, p[Math.floor(i / 12)]!];
        done[i] = gain * (x[i]! * Math.cos(turn) - x[i + 1]! * Math.sin(turn));
        done[i + 1] = gain * (x[i]! * Math.sin(turn) + x[i + 1]! * Math.cos(turn));
      }
      const out = new Float64Array(36);
      const learnt = { response: r, phase: p, reference: 0, motion: 1, noiseDb: 0 };
      new Correction(layout, learnt, ['phase', 'response']).apply(done, 0, out, 0);
      out.forEach((value, i) => {
        expect(value).toBeCloseTo(x[i]!, 9);
      });
    }),
    { numRuns: 30 },
  );
});

it('after a restart keeps what it learnt, and how well that fits', () => {
  const blocks = [scene({ seconds: 8 }), scene({ seconds: 7, from: 8, phase: [0, 2, 1] })];
  const whole = open();
  outputs(whole.operator, [blocks[0]!]);
  const again = open();
  again.operator.restore!(throughDisk(whole.operator.snapshot!()));
  const rest = ({ operator }: { operator: Operator }) => comparable(outputs(operator, [blocks[1]!]));
  expect(isDeepStrictEqual(rest(again), rest(whole))).toBe(true);
  expect(again.recorded.dropped).toEqual({});
  expect(again.recorded.problem).toMatch(/no longer fits/);
});

it('its thresholds are those by which detect-motion judges a link', () => {
  const measure = (name: string, value: number, source = 'csiflow'): Measure => ({
    port: 'measure',
    ...{ name, value, source, environment: 'test-room', subject: 'link-1' },
    ...{ time: START, provenance: { origin: 'simulated' } },
  });
  const operator = detectMotion.create(withDefaults(detectMotion, {}) as never, testContext().context);
  const tell = (one: Measure) => operator.process(one, 'calibrated') as Output<Measure>;
  const quiet = () => operator.snapshot!().presence[0]!.links.map(([link, state]) => [link, state.quiet]);
  expect(tell(measure('motion_threshold', 0.2)).data).toEqual([]);
  tell(measure('noise_level_db', -50));
  tell(measure('motion', 0.9));
  tell(measure('motion_threshold', 0.9, 'node-1'));
  expect(quiet()).toEqual([['link-1', { threshold: 0.2, level: -5 }]]);
});

breaksNothing(calibrate, { learn_s: 0.1, check_s: 0.1 }, false);
