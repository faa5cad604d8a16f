import { estimateVitals } from '../../../operators/estimate-vitals/estimate-vitals.js';
import type { CsiBlock } from '../../../pipeline/model/index.js';
import { csiInput, START } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';
import { windowsOver } from './windows.js';

/** A still room of two links in which some subcarriers oscillate 21 times per minute. */
function breathing(seconds: number): CsiBlock[] {
  return csiInput(seconds).map((block) => {
    const size = block.values.length / block.count;
    const values = Float32Array.from(block.values, (_, i) => {
      const breath = Math.sin(2 * Math.PI * 0.35 * ((block.time[Math.floor(i / size)]! - START) / 1e6));
      return i % 2 === 1 ? 0 : 20 + (i % size) + (i % 3) * 0.3 * breath + 0.1 * Math.sin(i * i);
    });
    return { ...block, values };
  });
}

const windows = windowsOver(breathing, { length_ms: 1000, hop_ms: 500, points: 50 });

export const operator: OperatorDriver = {
  component: estimateVitals,
  config: { length_ms: 15_000, interval_ms: 1000, min_quality: 0.1 },
  invalid: [{ length_ms: 1000 }, { interval_ms: 1500 }, { min_quality: 2 }],
  input: () => windows(22),
  runs: 5,
  bad: () => {
    const [one] = windows(2);
    const link = { ...one!.links[0]!, values: new Float32Array(one!.links[0]!.values.length).fill(NaN) };
    const early = { ...one!, start: START - 10_000_000 };
    return [
      { ...early, environment: 'nowhere' },
      { ...early, step: 200_000 },
      { ...early, links: [] },
      { ...early, links: [link] },
    ];
  },
};
