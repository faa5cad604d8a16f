import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phaseSanitize } from '../../operators/phase-sanitize/phase-sanitize.js';
import { endpointLine, leastSquaresLine, unwrap } from '../../operators/phase-sanitize/phase.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { arbitraryBlock, blockOf, golden, layoutOf, outputs, pieces, valuesOf } from './frames.js';

const reference = golden();
const methods = ['linear', 'spotfi'] as const;
const operator = (method: (typeof methods)[number]) =>
  phaseSanitize.create({ method }, testContext().context);

/** Columns of one frame and antenna of the reference. */
const column = (values: number[][], antenna: number) => Float64Array.from(values, (row) => row[antenna]!);

describe.skipIf(!reference)('against numpy', () => {
  const { meta, csi_first8: csi } = reference ?? { meta: { k: [] }, csi_first8: { re: [], im: [] } };
  const index = Float64Array.from(meta.k);
  const layout = layoutOf({ rx: 3, subcarriers: Int16Array.from(meta.k) });
  const frames = csi.re.map((re, frame) => ({
    values: [0, 1, 2].flatMap((antenna) =>
      re.flatMap((row, k) => [row[antenna]!, csi.im[frame]![k]![antenna]!]),
    ),
  }));
  const at = (block: CsiBlock, frame: number, antenna: number, k: number) => {
    const i = 2 * ((frame * 3 + antenna) * meta.k.length + k);
    return { re: block.values[i]!, im: block.values[i + 1]! };
  };

  it('unwraps and removes the line through the end points, to 1e-9', () => {
    csi.re.forEach((re, frame) => {
      for (const antenna of [0, 1, 2]) {
        const im = column(csi.im[frame]!, antenna);
        const phase = column(re, antenna).map((x, k) => Math.atan2(im[k]!, x));
        unwrap(phase, 0, phase.length);
        const unwrapped = column(reference!.unwrap_first8[frame]!, antenna);
        const { slope, offset } = endpointLine(phase, index, 0, index.length);
        const sanitised = column(reference!.calib_endpoint_first8[frame]!, antenna);
        phase.forEach((value, k) => {
          expect(Math.abs(value - unwrapped[k]!)).toBeLessThan(1e-9);
          expect(Math.abs(value - slope * index[k]! - offset - sanitised[k]!)).toBeLessThan(1e-9);
        });
      }
    });
  });

  it('`linear` gives the phases of csiread, as Float32 allows: 1e-5 radians', () => {
    const [block] = outputs(operator('linear'), [blockOf(layout, frames)]) as [CsiBlock];
    reference!.calib_endpoint_first8.forEach((frame, i) => {
      frame.forEach((row, k) => {
        row.forEach((phase, antenna) => {
          const { re, im } = at(block, i, antenna, k);
          const difference = Math.atan2(im, re) - phase;
          expect(Math.abs(Math.sin(difference / 2))).toBeLessThan(1e-5);
        });
      });
    });
  });

  it('`spotfi` gives the values of the reference, as Float32 allows: 1e-5', () => {
    const [block] = outputs(operator('spotfi'), [blockOf(layout, frames)]) as [CsiBlock];
    const expected = reference!.spotfi_csi_first8;
    expected.re.forEach((frame, i) => {
      frame.forEach((row, k) => {
        row.forEach((re, antenna) => {
          const value = at(block, i, antenna, k);
          expect(Math.abs(value.re - re)).toBeLessThan(1e-5);
          expect(Math.abs(value.im - expected.im[i]![k]![antenna]!)).toBeLessThan(1e-5);
        });
      });
    });
  });
});

describe('unwrap', () => {
  it.each([2.5, -2.5, 0.1])('removes turns from steps of %f radians, and changes nothing else', (step) => {
    const straight = Array.from({ length: 8 }, (_, k) => 1 + step * k);
    const phase = Float64Array.of(
      9,
      ...straight.map((value) => Math.atan2(Math.sin(value), Math.cos(value))),
      9,
    );
    unwrap(phase, 1, straight.length);
    expect([phase[0], phase.at(-1)]).toEqual([9, 9]);
    straight.forEach((value, k) => {
      expect(phase[k + 1]).toBeCloseTo(value, 12);
    });
  });
});

describe('lines', () => {
  it('a line is found exactly by both fits', () => {
    const index = Float64Array.of(-3, -1, 0, 2, 5);
    const phase = index.map((k) => 0.3 * k - 1);
    expect(leastSquaresLine(phase, index, 0, 5).slope).toBeCloseTo(0.3, 14);
    expect(leastSquaresLine(phase, index, 0, 5).offset).toBeCloseTo(-1, 14);
    expect(endpointLine(phase, index, 0, 5).slope).toBeCloseTo(0.3, 14);
  });

  it('one subcarrier has no slope', () => {
    expect(leastSquaresLine(Float64Array.of(1, 2), Float64Array.of(4, 4), 0, 2)).toEqual({
      slope: 0,
      offset: 1.5,
    });
  });
});

describe('phase-sanitize', () => {
  // Evenly spaced around zero, so that the mean phase of a line is its offset.
  const layout = layoutOf({ subcarriers: Int16Array.of(-6, -4, -1, 1, 4, 6) });

  it.each(methods)('%s removes any offset and slope', (method) => {
    fc.assert(
      fc.property(
        fc.double({ min: -0.45, max: 0.45, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (slope, offset) => {
          const values = Array.from(layout.subcarriers).flatMap((k) => [
            5 * Math.cos(slope * k + offset),
            5 * Math.sin(slope * k + offset),
          ]);
          const [block] = outputs(operator(method), [blockOf(layout, [{ values }])]) as [CsiBlock];
          // Unwrapping at exactly half a turn can leave whole turns: compares on the circle, like the
          // reference.
          for (let k = 0; k < 6; k++) {
            expect(block.values[2 * k]).toBeCloseTo(5, 4);
            expect(block.values[2 * k + 1]).toBeCloseTo(0, 4);
          }
        },
      ),
    );
  });

  it('`spotfi` keeps the phase between antennas', () => {
    const two = layoutOf({ rx: 2, subcarriers: layout.subcarriers });
    const values = [0, 0.5].flatMap((shift) =>
      Array.from(two.subcarriers).flatMap((k) => [Math.cos(0.1 * k + shift), Math.sin(0.1 * k + shift)]),
    );
    const [block] = outputs(operator('spotfi'), [blockOf(two, [{ values }])]) as [CsiBlock];
    const phase = (i: number) => Math.atan2(block.values[2 * i + 1]!, block.values[2 * i]!);
    expect(phase(6) - phase(0)).toBeCloseTo(0.5, 6);
  });

  /**
   * Two receive and two transmit antennas: the phase of each pair is its slope times the subcarrier, plus its
   * offset.
   */
  const four = layoutOf({ rx: 2, tx: 2, subcarriers: layout.subcarriers });
  const phasesAfter = (
    method: (typeof methods)[number],
    pairs: readonly (readonly [slope: number, offset: number])[],
  ): readonly (readonly number[])[] => {
    const values = pairs.flatMap(([slope, offset]) =>
      Array.from(four.subcarriers).flatMap((k) => [
        Math.cos(slope * k + offset),
        Math.sin(slope * k + offset),
      ]),
    );
    const [block] = outputs(operator(method), [blockOf(four, [{ values }])]) as [CsiBlock];
    return pairs.map((_, pair) =>
      Array.from(four.subcarriers, (_k, index) => {
        const at = 2 * (pair * four.subcarriers.length + index);
        const [re, im] = [block.values[at]!, block.values[at + 1]!];
        expect(Math.hypot(re, im)).toBeCloseTo(1, 5);
        return Math.atan2(im, re);
      }),
    );
  };
  const expectPhases = (found: readonly (readonly number[])[], wanted: readonly number[]) => {
    found.forEach((phases, pair) => {
      for (const phase of phases) expect(phase).toBeCloseTo(wanted[pair]!, 5);
    });
  };

  it.each([
    ['ahead', [-3, 3, -3], [-3, 3 - 2 * Math.PI, -3]],
    ['behind', [3, -3, 3], [3, -3 + 2 * Math.PI, 3]],
  ])('`spotfi` brings an antenna that is a turn %s near the first one', (_, offsets, near) => {
    const three = layoutOf({ rx: 3, subcarriers: layout.subcarriers });
    const values = offsets.flatMap((offset) =>
      Array.from(three.subcarriers).flatMap(() => [Math.cos(offset), Math.sin(offset)]),
    );
    const [block] = outputs(operator('spotfi'), [blockOf(three, [{ values }])]) as [CsiBlock];
    const common = near.reduce((sum, offset) => sum + offset, 0) / 3;
    for (const [antenna, offset] of near.entries()) {
      const at = 2 * antenna * three.subcarriers.length;
      expect(Math.atan2(block.values[at + 1]!, block.values[at]!)).toBeCloseTo(offset - common, 5);
    }
  });

  it('`linear` removes from each pair of antennas its own line', () => {
    const pairs = [
      [0.1, 0.5],
      [-0.2, -1],
      [0.4, 2],
      [0, 0.25],
    ] as const;
    expectPhases(phasesAfter('linear', pairs), [0, 0, 0, 0]);
  });

  it.each([
    ['near each other', 0.5, 1],
    ['half a turn apart by the way they are written, upwards', 3, 3.5],
    ['half a turn apart by the way they are written, downwards', -3, -3.5],
  ])('`spotfi` removes one line from each stream, even if antennas are %s', (_, first, second) => {
    const slopes = [0.01, 0.03] as const;
    const pairs = [first, second].flatMap((offset) => slopes.map((slope) => [slope, offset] as const));
    const apart = (second - first) / 2;
    expectPhases(phasesAfter('spotfi', pairs), [-apart, -apart, apart, apart]);
  });

  it.each(methods)('%s keeps amplitudes', (method) => {
    fc.assert(
      fc.property(arbitraryBlock(layoutOf({ rx: 2 })), (block) => {
        const [result] = outputs(operator(method), [block]) as [CsiBlock];
        for (let i = 0; i < block.values.length; i += 2) {
          const before = Math.hypot(block.values[i]!, block.values[i + 1]!);
          if (!Number.isFinite(before)) continue;
          const after = Math.hypot(result.values[i]!, result.values[i + 1]!);
          expect(Math.abs(after - before)).toBeLessThanOrEqual(before * 1e-6);
        }
      }),
    );
  });

  it('a frame of zeros, and a single value, are unchanged', () => {
    const values = [0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0];
    for (const method of methods) {
      const block = blockOf(layout, [{ values }, { values: new Float32Array(12) }]);
      expect(valuesOf(outputs(operator(method), [block]))).toEqual(Array.from(block.values));
    }
  });

  it('gives the same for one block and for its pieces, and never changes its input', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...methods),
        arbitraryBlock(layoutOf({ rx: 2, tx: 2 })),
        fc.array(fc.nat(5), { minLength: 1 }),
        (method, block, sizes) => {
          const before = structuredClone(block);
          expect(valuesOf(outputs(operator(method), pieces(block, sizes)))).toEqual(
            valuesOf(outputs(operator(method), [block])),
          );
          expect(block).toEqual(before);
        },
      ),
    );
  });
});

describe.each(['linear', 'spotfi', 'sharp'])('%s, of a link that sends anything', (method) => {
  breaksNothing(phaseSanitize, { method }, false);
});
