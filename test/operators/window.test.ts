import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blend } from '../../operators/shared/blend.js';
import { window } from '../../operators/window/window.js';
import { LinkTable, type CsiBlock, type Window, type WindowLink } from '../../pipeline/model/index.js';
import { testContext, testEnvironment } from '../support/context.js';
import { blockOf, golden, layoutOf, pieces, windowsOf } from './frames.js';

const reference = golden();
const START = 1_700_000_000_000_000;
const layout = layoutOf({ subcarriers: Int16Array.of(1) });
const base = {
  length_ms: 100,
  hop_ms: 20,
  points: 10,
  training: ['lltf', 'ht-ltf'] as ('lltf' | 'ht-ltf')[],
  idle_ms: 50,
  max_gap_periods: 3,
};
const operator = (config: Partial<typeof base> = {}, context = testContext().context) =>
  window.create({ ...base, ...config }, context);

type Node = ReturnType<typeof operator>;
const run: (node: Node, blocks: readonly CsiBlock[]) => Window[] = windowsOf;
const finish = (node: Node) => node.watermark!(Infinity).data;
const amplitudes = ({ values }: WindowLink) =>
  Array.from({ length: values.length / 2 }, (_, i) => Math.hypot(values[2 * i]!, values[2 * i + 1]!));

/** Frames with one value each; `[link, milliseconds, value]`. */
const frames = (list: readonly (readonly [link: number, ms: number, value: number])[], of = layout) =>
  blockOf(
    of,
    list.map(([link, ms, value]) => ({ link, time: START + ms * 1000, values: [value, 0] })),
  );

/** A ramp on one link: value 100 + t at t ms, every `period` ms until `until`. */
const ramp = (link: number, period: number, until: number, from = 0) =>
  Array.from({ length: Math.floor((until - from) / period) + 1 }, (_, i) => {
    const ms = from + i * period;
    return [link, ms, 100 + ms] as const;
  });

const byTime = (...lists: (readonly (readonly [number, number, number])[])[]) =>
  lists.flat().sort((a, b) => a[1] - b[1]);

describe('resampling', () => {
  it.skipIf(!reference)('is numpy.interp on the amplitude, as Float32 allows: 1e-6', () => {
    // Close to 1970, because today's times have steps of 0.25 us, and the reference has finer ones.
    const start = 1_000_000_000;
    const { t_in, x_in, t_out, y } = reference!.resample_linear;
    const list = t_in.map((t, i) => ({ link: 0, time: start + t * 1e6, values: [x_in[i]!, 0] }));
    // A frame before the first, because numpy holds the first value.
    list.unshift({ link: 0, time: start + t_in[0]! * 1e6 - 5000, values: [x_in[0]!, 0] });
    // A grid step of 10 ms as in the reference, from its first point; the series runs from 0 to 0.51 s.
    const node = operator({ length_ms: 500, hop_ms: 500, points: 50, max_gap_periods: 100, idle_ms: 500 });
    const [first] = run(node, [blockOf(layout, list)]);
    expect(first!.step).toBe(10_000);
    expect(first!.start).toBe(start);
    const got = amplitudes(first!.links[0]!);
    t_out.forEach((_, i) => {
      expect(Math.abs(got[i]! - y[i]!)).toBeLessThan(1e-6);
    });
  });

  it('keeps the amplitude linear and rotates the phase the shorter way', () => {
    const polar = fc.tuple(
      fc.double({ min: 0.1, max: 50, noNaN: true }),
      fc.double({ min: -3, max: 3, noNaN: true }),
    );
    fc.assert(
      fc.property(polar, polar, fc.double({ min: 0, max: 1, noNaN: true }), ([r1, p1], [r2, p2], weight) => {
        const out = new Float32Array(2);
        const at = (r: number, p: number) => Float32Array.of(r * Math.cos(p), r * Math.sin(p));
        blend(at(r1, p1), at(r2, p2), 0, weight, out, 0);
        expect(Math.hypot(out[0]!, out[1]!)).toBeCloseTo((1 - weight) * r1 + weight * r2, 4);
      }),
    );
    const out = new Float32Array(2);
    blend(Float32Array.of(0, 2), Float32Array.of(-2, 0), 0, 0.5, out, 0);
    expect(Math.atan2(out[1]!, out[0]!)).toBeCloseTo((3 * Math.PI) / 4, 6);
  });

  it('takes the phase of the nearer of two opposite values', () => {
    const out = new Float32Array(2);
    blend(Float32Array.of(2, 0), Float32Array.of(-2, 0), 0, 0.5, out, 0);
    expect(Array.from(out)).toEqual([-2, 0]);
    blend(new Float32Array(2), new Float32Array(2), 0, 0.5, out, 0);
    expect(Array.from(out)).toEqual([0, 0]);
  });
});

describe('windows', () => {
  it('lie on multiples of the hop, hold the ramp, and count up', () => {
    const windows = run(operator(), [frames(ramp(0, 7, 400, 3))]);
    expect(windows.map(({ start }) => (start - START) / 1000).slice(0, 3)).toEqual([20, 40, 60]);
    expect(windows.map(({ index }) => index)).toEqual(windows.map((_, i) => i));
    for (const { start, links, points, step } of windows) {
      expect([points, step]).toEqual([10, 10_000]);
      amplitudes(links[0]!).forEach((value, i) => {
        expect(value).toBeCloseTo(100 + (start - START) / 1000 + i * 10, 3);
      });
      expect(Array.from(links[0]!.gaps)).toEqual(new Array(10).fill(0));
      expect(links[0]!.rssi).toBe(-50);
    }
  });

  it('of further environments start at eighths of the hop, and keep their phase over a silence', () => {
    const environments = Array.from({ length: 9 }, (_, i) => ({
      ...testEnvironment,
      id: `room-${i}`,
      links: [{ ...testEnvironment.links[0]!, id: `link-${i}` }],
    }));
    const { context } = testContext({ environments, links: new LinkTable(environments) });
    const node = operator({ hop_ms: 80 }, context);
    const list = environments.flatMap((_, link) => [...ramp(link, 10, 260), ...ramp(link, 10, 960, 700)]);
    const windows = run(node, [frames(byTime(list))]);
    const startsOf = (id: string) =>
      windows.filter(({ environment }) => environment === id).map(({ start }) => (start - START) / 1000);
    expect(environments.map(({ id }) => startsOf(id)[0])).toEqual([0, 40, 20, 60, 10, 50, 30, 70, 0]);
    for (const { id } of environments)
      expect(new Set(startsOf(id).map((start) => start % 80)).size, id).toBe(1);
    expect(startsOf('room-3')).toEqual([60, 140, 220, 620, 700, 780, 860]);
  });

  it('count their frames', () => {
    const [first] = run(operator(), [frames(ramp(0, 5, 130))]);
    expect(first!.links[0]!.frames).toBe(20);
  });

  it('close with the first frame at their end', () => {
    const node = operator();
    expect(run(node, [frames(ramp(0, 10, 90))])).toEqual([]);
    expect(run(node, [frames([[0, 99.999, 1]])])).toEqual([]);
    expect(run(node, [frames([[0, 100, 1]])])).toHaveLength(1);
  });

  it('wait for a slow link, but not for an idle one', () => {
    const node = operator();
    const windows = run(node, [frames(byTime(ramp(0, 10, 110), ramp(1, 25, 75)))]);
    expect(windows).toEqual([]);
    const [first] = run(node, [frames([[0, 126, 226]])]);
    expect(first!.links.map(({ id }) => id)).toEqual(['link-1', 'link-2']);
    expect(Array.from(first!.links[1]!.gaps)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    expect(amplitudes(first!.links[1]!).slice(7)).toEqual([170, 175, 175]);
  });

  it('hold the last frame over a gap and mark it', () => {
    const list = [...ramp(0, 10, 50), ...ramp(0, 10, 160, 90)];
    const [first] = run(operator(), [frames(list)]);
    expect(Array.from(first!.links[0]!.gaps)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 0]);
    expect(amplitudes(first!.links[0]!).slice(5)).toEqual([150, 150, 150, 150, 190]);
  });

  it('fill a link that starts within them from its first frame, as gaps', () => {
    const [first] = run(operator(), [frames(byTime(ramp(0, 10, 130), ramp(1, 10, 130, 45)))]);
    expect(Array.from(first!.links[1]!.gaps)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
    expect(amplitudes(first!.links[1]!)[0]).toBe(145);
  });

  it('omit stretches without frames, and links without frames in them', () => {
    const hour = 3_600_000;
    const node = operator();
    const windows = run(node, [frames([...ramp(0, 10, 200), ...ramp(1, 10, hour + 300, hour)])]);
    const silent = windows.filter(
      ({ start }) => start > START + 200_000 && start < START + hour * 1000 - 100_000,
    );
    expect(silent).toEqual([]);
    expect(windows.map(({ index }) => index)).toEqual(windows.map((_, i) => i));
    expect(windows.at(-1)!.links.map(({ id }) => id)).toEqual(['link-2']);
  });

  it('drop and count late frames, frames that are not numbers, and second layouts', () => {
    const { context, recorded } = testContext();
    const node = operator({}, context);
    run(node, [frames([...ramp(0, 10, 200), [0, 195, 1], [1, 20, 1], [0, 210, NaN]])]);
    run(node, [frames([[0, 220, 1]], layoutOf({ subcarriers: Int16Array.of(2) }))]);
    run(node, [frames([[0, 220, 1]], layoutOf({ subcarriers: Int16Array.of(1), training: 'vht-ltf' }))]);
    expect(recorded.dropped).toEqual({ late: 2, not_finite: 1, other_layout: 1 });
  });

  it('prefer the first training field that a link sends', () => {
    const ht = layoutOf({ subcarriers: Int16Array.of(1), training: 'ht-ltf' });
    const node = operator();
    run(node, [frames(ramp(0, 10, 90), ht)]);
    const mixed = ramp(0, 10, 400, 100).flatMap((frame) => [frames([frame]), frames([frame], ht)]);
    const windows = run(node, mixed);
    expect(windows.at(-1)!.links[0]!.layout).toBe(layout.key);
    expect(Array.from(windows.at(-1)!.links[0]!.gaps)).toEqual(new Array(10).fill(0));
  });

  it('end with the input: complete ones close', () => {
    const node = operator();
    run(node, [frames(byTime(ramp(0, 10, 135), ramp(1, 10, 95)))]);
    const rest = finish(node);
    expect(rest.map(({ start }) => (start - START) / 1000)).toEqual([0, 20]);
  });

  it('hold the watermark back to the closed windows', () => {
    const node = operator();
    expect(node.holdWatermark!(START)).toBe(START);
    run(node, [frames(ramp(0, 10, 150))]);
    expect(node.holdWatermark!(START + 150_000)).toBe(START + 140_000);
    expect(node.holdWatermark!(Infinity)).toBe(Infinity);
  });

  it('are due at the end of the next one', () => {
    const node = operator();
    expect(node.due!()).toBe(Infinity);
    run(node, [frames(ramp(0, 10, 150))]);
    expect(node.due!()).toBe(node.holdWatermark!(START + 150_000) + 20_000);
    expect(run(node, [frames([[0, 159, 1]])])).toEqual([]);
    expect(run(node, [frames([[0, 160, 1]])])).toHaveLength(1);
  });

  it('close when a clock tick shows that all links are silent', () => {
    const node = operator();
    run(node, [frames(ramp(0, 10, 90))]);
    expect(node.watermark!(START + 120_000).data).toEqual([]);
    expect(node.watermark!(START + 150_000).data).toHaveLength(3);
  });
});

/** Two links with jitter, gaps, duplicates and frames out of order. */
const traffic = fc
  .array(
    fc.record({
      link: fc.nat(1),
      step: fc.oneof(fc.nat(12), fc.constantFrom(-4, -80, 60, 400)),
      value: fc.nat(90),
    }),
    {
      minLength: 1,
      maxLength: 120,
    },
  )
  .map((list) => {
    let ms = 0;
    return frames(list.map(({ link, step, value }) => [link, (ms += step) + 500, value] as const));
  });

describe('properties', () => {
  it('one block gives the same as its pieces', () => {
    fc.assert(
      fc.property(traffic, fc.array(fc.nat(7), { minLength: 1 }), (block, sizes) => {
        const [one, other] = [operator(), operator()];
        const whole = [...run(one, [block]), ...finish(one)];
        const cut = [...run(other, pieces(block, sizes)), ...finish(other)];
        expect(cut).toEqual(whole);
      }),
    );
  });

  it('one block per layout and batch gives the same as single frames in order', () => {
    const other = layoutOf({ subcarriers: Int16Array.of(2) });
    const list = fc.array(fc.tuple(fc.nat(1), fc.constantFrom(0.2, 3, 9, 30, 200)), {
      minLength: 1,
      maxLength: 80,
    });
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 90 }), (steps, batch) => {
        let ms = 500;
        const all = steps.map(([link, step], i) => [link, (ms += step), i] as const);
        const [one, two] = [operator(), operator()];
        const single = all.flatMap((frame) => run(one, [frames([frame], frame[0] === 0 ? layout : other)]));
        const grouped = Array.from({ length: Math.ceil(all.length / batch) }, (_, i) => {
          const part = all.slice(i * batch, (i + 1) * batch);
          void two.process(frames(part.filter(([link]) => link === 0)), 'from');
          void two.process(
            frames(
              part.filter(([link]) => link === 1),
              other,
            ),
            'from',
          );
          return two.watermark!(START + part.at(-1)![1] * 1000).data;
        });
        expect([...grouped.flat(), ...finish(two)]).toEqual([...single, ...finish(one)]);
      }),
    );
  });

  it('keeps frames that time has not passed yet in its snapshot', () => {
    const [one, other] = [operator(), operator()];
    void one.process(frames(ramp(0, 10, 150)), 'from');
    one.watermark!(START + 50_000);
    other.restore!(structuredClone(one.snapshot!()));
    expect(finish(other)).toEqual(finish(one));
  });

  it('a snapshot at any point continues as if nothing had stopped', () => {
    fc.assert(
      fc.property(traffic, fc.nat(120), (block, cut) => {
        const [first, second] = pieces(block, [Math.max(1, cut), 1000]);
        const one = operator();
        run(one, [first!]);
        const state = structuredClone(one.snapshot!());
        const other = operator();
        other.restore!(state);
        const rest = second ? [second] : [];
        expect([...run(other, rest), ...finish(other)]).toEqual([...run(one, rest), ...finish(one)]);
        expect(other.snapshot!()).toEqual(one.snapshot!());
      }),
    );
  });

  it('the input is never changed, nor are emitted windows', () => {
    fc.assert(
      fc.property(traffic, (block) => {
        const before = structuredClone(block);
        const node = operator();
        const given = run(node, [block]);
        const copy = structuredClone(given);
        run(node, [frames(ramp(0, 3, 900, 5000))]);
        expect(given).toEqual(copy);
        expect(block).toEqual(before);
      }),
    );
  });

  it('windows of one environment follow each other; each point is finite, and fresh or held', () => {
    fc.assert(
      fc.property(traffic, (block) => {
        const node = operator();
        const windows = [...run(node, [block]), ...finish(node)];
        windows.forEach(({ start, links }, i) => {
          expect(start % 20_000).toBe(0);
          if (i > 0) expect(start).toBeGreaterThan(windows[i - 1]!.start);
          expect(links.length).toBeGreaterThan(0);
          for (const link of links) {
            expect(link.frames).toBeGreaterThan(0);
            expect(amplitudes(link).every((value) => value >= 0 && value <= 90.001)).toBe(true);
          }
        });
      }),
    );
  });
});

describe('configuration', () => {
  it('rejects a grid that does not fit', () => {
    expect(window.check!(base)).toEqual([]);
    expect(window.check!({ ...base, hop_ms: 15 })[0]!.path).toEqual(['hop_ms']);
    expect(window.check!({ ...base, hop_ms: 200 })[0]!.path).toEqual(['hop_ms']);
    expect(window.check!({ ...base, points: 7 })[0]!.path).toEqual(['points']);
  });
});
