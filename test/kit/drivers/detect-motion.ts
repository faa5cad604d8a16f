import { detectMotion } from '../../../operators/detect-motion/detect-motion.js';
import { csiInput, START } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';
import { windowsOver } from './windows.js';

/** Windows like those of the operator `window`. */
const windows = windowsOver(csiInput, { length_ms: 500, hop_ms: 100, points: 25 });

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
