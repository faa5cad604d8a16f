import { detectMotion } from '../../../operators/detect-motion/detect-motion.js';
import { window } from '../../../operators/window/window.js';
import type { Window } from '../../../pipeline/model/index.js';
import { testContext } from '../../support/context.js';
import { csiInput, START } from '../csi-input.js';
import { withDefaults } from '../definition.js';
import type { OperatorDriver } from '../operator.js';

/** Windows like those of the operator `window`. */
function windows(seconds: number): Window[] {
  const config = withDefaults(window, { length_ms: 500, hop_ms: 100, points: 25 });
  const operator = window.create(config as never, testContext().context);
  const blocks = csiInput(seconds);
  for (const block of blocks) void operator.process(block, 'input');
  return [...operator.watermark!(Infinity).data];
}

export const operator: OperatorDriver = {
  component: detectMotion,
  config: { interval_ms: 200 },
  invalid: [{ interval_ms: 0 }, { threshold: 2 }],
  input: () => windows(4),
  bad: () => {
    const [one] = windows(1);
    const link = { ...one!.links[0]!, values: new Float32Array(one!.links[0]!.values.length).fill(NaN) };
    // Longer ago than it remembers: a window that measures nothing still says that time passes.
    const early = { ...one!, start: START - 120_000_000 };
    return [
      { ...early, environment: 'nowhere' },
      { ...early, links: [] },
      { ...early, links: [link] },
    ];
  },
};
