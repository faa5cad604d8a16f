import { detectFalls } from '../../../operators/detect-falls/detect-falls.js';
import type { CsiBlock } from '../../../pipeline/model/index.js';
import { csiInput, START } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';
import { windowsOver } from './windows.js';

/** Quiet with a burst of movement every five seconds: bounded peaks that the operator must judge. */
function bursts(seconds: number): CsiBlock[] {
  return csiInput(seconds).map((block) => {
    const size = block.values.length / block.count;
    const values = block.values.map((value, i) => {
      const time = (block.time[Math.floor(i / size)]! - START) / 1e6;
      const burst = Math.exp(-(((time % 5) - 2.5) ** 2) / 0.1);
      return value * (1 + 0.5 * burst * Math.sin(25 * time + (i % size)));
    });
    return { ...block, values };
  });
}

const windows = windowsOver(bursts, { length_ms: 500, hop_ms: 100, points: 25 });

export const operator: OperatorDriver = {
  component: detectFalls,
  config: { threshold: -50, cooldown_ms: 0 },
  invalid: [{ method: 'guess' }, { room_quantile: 2 }],
  input: () => windows(21),
  runs: 5,
  bad: () => {
    const [one] = windows(1);
    const link = { ...one!.links[0]!, values: new Float32Array(one!.links[0]!.values.length).fill(NaN) };
    const early = { ...one!, start: START - 10_000_000 };
    return [
      { ...early, environment: 'nowhere' },
      { ...early, links: [] },
      { ...early, links: [link] },
    ];
  },
};
