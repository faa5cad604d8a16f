import { describe, expect, it } from 'vitest';
import { denoise } from '../../operators/denoise/denoise.js';
import { detectMotion } from '../../operators/detect-motion/detect-motion.js';
import { normalizeGain } from '../../operators/normalize-gain/normalize-gain.js';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { leftOutOf, withUsableLinks } from '../../operators/shared/usable-links.js';
import { window } from '../../operators/window/window.js';
import {
  LinkTable,
  type CsiBlock,
  type Data,
  type LinkFault,
  type Measure,
  type Window,
} from '../../pipeline/model/index.js';
import { IMPAIRMENTS, simulateSequence } from '../../pipeline/sources/simulator/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { anySender, recordingBlocks } from '../support/recordings.js';
import { sharedFile } from '../support/shared.js';
import { blockOf, layoutOf, outputs, windowsOf } from './frames.js';

const START = 1_700_000_000_000_000;
const SUBCARRIERS = Array.from({ length: 52 }, (_, i) => (i < 26 ? i - 26 : i - 25));
const layout = layoutOf({ subcarriers: Int16Array.from(SUBCARRIERS) });
const WALK = { walk: 1, stand: 0, arms: 0, sit: 0, lie: 0, change: 0, fall: 0 };
const config = withDefaults(window, { length_ms: 1000, hop_ms: 1000, points: 50 });

/** Frames that a receiver of one link sends in ten seconds: 50 per second, minus those lost. */
type Frames = readonly { readonly time: number; readonly values: Float32Array }[];

function framesOf(seed: number, snrDb: number, persons: number): Frames {
  const impairments = { ...IMPAIRMENTS, snrDb: [snrDb, snrDb] as const, bits: 0 };
  const options = { seconds: 10, links: 1, subcarriers: SUBCARRIERS, persons, mix: WALK, impairments };
  const { csi, present } = simulateSequence(seed, options);
  return Array.from(present).flatMap((arrived, i) =>
    arrived ? [{ time: START + i * 20_000, values: csi.slice(i * 104, (i + 1) * 104) }] : [],
  );
}

/** Windows of links with these frames. */
function windows(...links: Frames[]) {
  const { context, recorded } = testContext();
  const frames = links
    .flatMap((list, link) => list.map((frame) => ({ link, ...frame })))
    .sort((a, b) => a.time - b.time);
  const node = window.create(config as never, context);
  return { given: windowsOf(node, [blockOf(layout, frames)]), recorded, node };
}

const qualities = (given: readonly Window[], link = 'link-1') =>
  given.flatMap(({ links }) => links.filter(({ id }) => id === link).map(({ quality }) => quality));
const last = (...links: Frames[]) => qualities(windows(...links).given).at(-1)!;
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

function noise(seed: number, frames: Frames): Frames {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  return frames.map(({ time, values }) => ({ time, values: values.map(() => 20 * normal()) }));
}

describe('the signal to noise of a link', () => {
  it.each([5, 10, 15, 20, 25, 30, 35, 40, 45])(
    'is found within 3 dB in an empty room, five of five times: %i dB',
    (snrDb) => {
      const found = Array.from({ length: 5 }, (_, i) => last(framesOf(700_200 + i, snrDb, 0)).snrDb);
      expect(Math.abs(median(found) - snrDb)).toBeLessThan(2);
      for (const one of found) expect(Math.abs(one - snrDb)).toBeLessThan(3);
    },
  );

  it.each([5, 10, 15, 20, 25, 30, 35, 40, 45])(
    'is found within 3 dB, in the median, while a person walks, and no good link is rejected: %i dB',
    (snrDb) => {
      const all = Array.from({ length: 5 }, (_, i) =>
        qualities(windows(framesOf(700_300 + i, snrDb, 1)).given).slice(2),
      );
      expect(all.flat().every(({ fault }) => fault === null)).toBe(true);
      const found = all.flat().map((quality) => quality.snrDb);
      expect(Math.abs(median(found) - snrDb)).toBeLessThan(3);
    },
  );

  it('is unknown before 64 frames, and with three carriers', () => {
    const few = windows(framesOf(700_200, 30, 0).slice(0, 60)).given;
    expect(qualities(few)[0]).toEqual({ snrDb: NaN, fault: null });
    const narrow = layoutOf({ subcarriers: Int16Array.of(-2, -1, 1) });
    const frames = Array.from({ length: 300 }, (_, i) => ({
      time: START + i * 10_000,
      values: [1, 2, 3, 4, 5, 6 + (i % 3)],
    }));
    const given = windowsOf(window.create(config as never, testContext().context), [blockOf(narrow, frames)]);
    expect(qualities(given).at(-1)).toEqual({ snrDb: NaN, fault: null });
  });
});

describe('an impossible link', () => {
  const good = framesOf(700_400, 25, 1);
  const bad: Record<LinkFault, Frames> = {
    noise: noise(1, good),
    frozen: good.map(({ time }) => ({ time, values: good[0]!.values })),
    silent: good.map(({ time, values }) => ({ time, values: values.map(() => 0) })),
    unsteady: good.map(({ time, values }, i) => ({
      time,
      values: values.map((value) => value * (i % 3 === 0 ? 8 : 1)),
    })),
  };

  it.each(Object.keys(bad) as LinkFault[])('is found: %s', (fault) => {
    const { given, recorded, node } = windows(good, bad[fault]);
    expect(qualities(given, 'link-2').at(-1)!.fault).toBe(fault);
    expect(qualities(given, 'link-1').every((quality) => quality.fault === null)).toBe(true);
    expect(recorded.problem).toMatch(/^link link-2 is faulty and ignored: /);
    expect(node.describe!()).toMatchObject({ links: { 'link-2': { usable: false, fault } } });
    expect(leftOutOf(given.at(-1)!)).toEqual([{ link: 'link-2', fault }]);
  });

  it.each([
    ['whose RSSI lives', false],
    ['and its values are small whole numbers', true],
  ])('is found behind normalize-gain, which follows the RSSI: repeated frames %s', (_, isRounded) => {
    const round = (values: Float32Array) =>
      values.map((value) => (isRounded ? Math.round(value / 4) : value));
    const frames = good.flatMap(({ time, values }, i) => {
      const rssi = -50 - ((i * 7) % 5);
      return [
        { link: 0, time, rssi, values: round(values) },
        { link: 1, time, rssi, values: round(good[Math.min(i, 100)]!.values) },
      ];
    });
    const { context } = testContext();
    const chain = [normalizeGain, denoise, phaseSanitize].map((one) =>
      one.create(withDefaults(one, {}) as never, context),
    );
    const blocks = chain.reduce<readonly Data[]>(
      (data, one) => outputs(one, data),
      [blockOf(layout, frames)],
    );
    const given = windowsOf(window.create(config as never, context), blocks as CsiBlock[]);
    expect(qualities(given, 'link-2').at(-1)!.fault).toBe('frozen');
    expect(qualities(given, 'link-1').every(({ fault }) => fault === null)).toBe(true);
  });

  it('is not a link of one subcarrier, whose frames all have a common factor', () => {
    const single = layoutOf({ subcarriers: Int16Array.of(3) });
    const frames = Array.from({ length: 300 }, (_, i) => ({
      ...{ time: START + i * 20_000, values: [20 + (i % 7), 0] },
    }));
    const given = windowsOf(window.create(config as never, testContext().context), [blockOf(single, frames)]);
    expect(qualities(given).at(-1)!.fault).toBeNull();
  });

  it('is trusted again once it is right, which the node reports', () => {
    const back = good.map((frame, i) => (i < 150 ? bad.noise[i]! : frame));
    const { given, recorded } = windows(good, back);
    expect(qualities(given, 'link-2').some(({ fault }) => fault === 'noise')).toBe(true);
    expect(qualities(given, 'link-2').at(-1)!.fault).toBeNull();
    expect(recorded.problem).toBeNull();
    expect(recorded.lines.map(({ message }) => message)).toEqual([
      'a link is faulty and ignored',
      'a link is usable again',
    ]);
  });

  it('has no influence: measures are those of the other link alone', () => {
    const { given } = windows(good, bad.noise);
    const late = given.slice(3);
    const motion = (input: readonly Window[]) =>
      (
        outputs(
          detectMotion.create(withDefaults(detectMotion, {}) as never, testContext().context),
          input,
        ) as Measure[]
      ).map(({ name, subject, value }) => ({ name, subject, value }));
    const alone = late.map((one) => ({ ...one, links: one.links.slice(0, 1) }));
    expect(motion(late)).toEqual(motion(alone));
    expect(withUsableLinks(late[0]!).links.map(({ id }) => id)).toEqual(['link-1']);
    expect(withUsableLinks(alone[0]!)).toBe(alone[0]);
  });
});

it('is judged the same by a window operator restored from a snapshot', () => {
  const frames = framesOf(700_500, 20, 1);
  const whole = windows(frames).given;
  const cut = 200;
  const one = window.create(config as never, testContext().context);
  const block = (list: Frames) => [blockOf(layout, list)];
  const before = windowsOf(one, block(frames.slice(0, cut)));
  const other = window.create(config as never, testContext().context);
  other.restore!(structuredClone(one.snapshot!()));
  const after = windowsOf(other, block(frames.slice(cut)));
  expect(qualities([...before, ...after])).toEqual(qualities(whole));
});

const CAPTURES = [
  'esp32-serial/still.txt.gz',
  'esp32-serial/motion.txt.gz',
  'esp32-serial/fall_01.txt.gz',
  'adr018/pretrain-1775182186.csi.jsonl',
  'intel5300/sample_0x1_ap.dat',
  'intel5300/sample_0x5_64_3000.dat',
] as const;
const captures = sharedFile('captures');

describe.skipIf(captures === undefined)('on real links', () => {
  it.each(CAPTURES)('all are plausible, with 15 to 40 dB: %s', (name) => {
    const { context } = testContext({ environments: [anySender], links: new LinkTable([anySender]) });
    const node = window.create(config as never, context);
    const all = qualities(windowsOf(node, recordingBlocks(`${captures!}/${name}`, context)));
    const known = all.filter(({ snrDb }) => Number.isFinite(snrDb));
    expect(known.length).toBeGreaterThan(1);
    for (const { snrDb, fault } of known) {
      expect(fault).toBeNull();
      expect(snrDb).toBeGreaterThan(15);
      expect(snrDb).toBeLessThan(40);
    }
  });
});
