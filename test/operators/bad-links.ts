import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AnyOperator, Output } from '../../pipeline/component/index.js';
import { frameSize, type CsiBlock, type CsiLayout, type Data } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { comparable, singles } from '../../pipeline/testing/kit/run-operator.js';
import { testContext } from '../support/context.js';
import { blockOf, csiValue, layoutOf } from './frames.js';

const START = 1_700_000_000_000_000;
const good = layoutOf({ rx: 2 });

/** Layouts of a misbehaving sender: one antenna, one subcarrier, another channel. */
const layouts: readonly CsiLayout[] = [
  good,
  layoutOf(),
  layoutOf({ rx: 2, subcarriers: Int16Array.of(3) }),
  layoutOf({ rx: 2, centreMhz: 5320 }),
];

interface BadFrames {
  readonly layout: number;
  /** Microseconds since the good link's previous frame. */
  readonly ahead: number;
  readonly silent: boolean;
  readonly values: readonly number[];
}

const badFrames: fc.Arbitrary<BadFrames> = fc.record({
  layout: fc.nat(layouts.length - 1),
  ahead: fc.nat(9000),
  silent: fc.boolean(),
  values: fc.array(csiValue, { minLength: 24, maxLength: 24 }),
});

/**
 * For any frames of one link (NaNs, zeros, one subcarrier, a layout change in mid-stream), a component's
 * output for it is finite, and its output for another link does not change.
 * @param finite false: it passes NaNs on
 */
export function breaksNothing(component: AnyOperator, settings: object, finite = true): void {
  it('one link does not affect another, whatever it sends', () => {
    const alone = comparable(of(run(component, settings, []), 0));
    fc.assert(
      fc.property(fc.array(badFrames, { maxLength: 30 }), (bad) => {
        const beside = run(component, settings, bad);
        expect(isDeepStrictEqual(comparable(of(beside, 0)), alone)).toBe(true);
        for (const block of finite ? of(beside, 1) : [])
          expect(block.values.every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 6 },
    );
  });
}

/** Blocks of one frame of the link. */
const of = (blocks: readonly CsiBlock[], link: number): CsiBlock[] =>
  (singles(blocks) as CsiBlock[]).filter((block) => block.link[0] === link);

function run(component: AnyOperator, settings: object, bad: readonly BadFrames[]): CsiBlock[] {
  const operator = component.create(withDefaults(component, settings) as never, testContext().context);
  const out: Data[] = [];
  for (let i = 0; i < 30; i++) {
    const time = START + i * 10_000;
    const values = Array.from({ length: 24 }, (_, k) => 20 * Math.cos(k + i / 5) + ((i * 7 + k) % 5));
    out.push(...(operator.process(blockOf(good, [{ time, values }]), 'input') as Output<Data>).data);
    const next = bad[i];
    if (next) {
      const layout = layouts[next.layout]!;
      const row = next.silent ? new Float32Array(frameSize(layout)) : next.values.slice(0, frameSize(layout));
      const block = blockOf(layout, [{ link: 1, time: time + next.ahead, values: row }]);
      out.push(...(operator.process(block, 'input') as Output<Data>).data);
    }
    out.push(...(operator.watermark?.(time).data ?? []));
  }
  out.push(...(operator.watermark?.(Infinity).data ?? []));
  return out.filter((data): data is CsiBlock => data.port === 'csi');
}
