import { inferPose } from '../../../operators/infer-pose/infer-pose.js';
import { simulatedWindow } from '../../../bench/shared/simulated-window.js';
import type { OperatorDriver } from '../operator.js';

const room = simulatedWindow(3, { links: 3 });
const windows = [3, 4, 5].map((seed, index) => ({
  ...simulatedWindow(seed, { links: 3, index, id: room.environment.id }).window,
}));

export const operator: OperatorDriver = {
  component: inferPose,
  config: { backend: 'wasm', max_wait_ms: 1, presence: 0 },
  invalid: [
    { backend: 'abacus' },
    { max_batch: 0 },
    { presence: 2 },
    { weights: '' },
    { weights: 'genral' },
    { backend: 'remote' },
    { url: 'http://gpu' },
  ],
  environments: [room.environment],
  input: () => windows,
  bad: () => [
    { ...windows[0]!, points: 50 },
    { ...windows[0]!, links: [{ ...windows[0]!.links[0]!, subcarriers: new Int16Array(3) }] },
    { ...windows[0]!, links: [] },
    { ...windows[0]!, environment: 'nowhere' },
  ],
  runs: 3,
  oneBeside: true,
};
