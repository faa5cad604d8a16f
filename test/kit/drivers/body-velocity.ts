import { bodyVelocity } from '../../../operators/body-velocity/body-velocity.js';
import type { CsiBlock, Environment } from '../../../pipeline/model/index.js';
import { testEnvironment } from '../../../pipeline/testing/kit/context.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

/** Three links in three directions: the link numbers of `csiInput` in turn. */
const environment: Environment = {
  ...testEnvironment,
  links: [
    ...testEnvironment.links,
    { id: 'link-3', transmitter: [2.5, 0.1, 1], receiver: [2.5, 3.9, 1], sender: 'node-3' },
  ],
};

const threeLinks = (): CsiBlock[] => {
  let frame = 0;
  return csiInput(0.6).map((block) => ({ ...block, link: block.link.map(() => frame++ % 3) }));
};

export const operator: OperatorDriver = {
  component: bodyVelocity,
  config: { rate_hz: 67, window: 8, hop_ms: 50, bins: 6, profile: true },
  invalid: [{ rate_hz: 0 }, { links: 2 }, { place: [1] }],
  environments: [environment],
  input: threeLinks,
  bad: badCsi,
  // Values that are not numbers count as 0: time passes.
  counts: 'all',
  runs: 5,
};
