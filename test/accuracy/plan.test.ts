import { expect, test } from 'vitest';
import { components } from '../../api/components.js';
import { isCalibrated } from '../../bench/accuracy/chain/plan.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadTopology, type CheckedTopology } from '../../pipeline/config/index.js';

const demo = (): CheckedTopology =>
  loadTopology(packageFile('topologies/demo.yaml'), components, { env: {} }).topology!;

test('rooms are calibrated only for a topology that names a calibration', () => {
  const shipped = demo();
  expect(isCalibrated(shipped)).toBe(true);
  const nodes = shipped.nodes.map((node) =>
    node.component.name === 'infer-pose'
      ? { ...node, config: { ...node.config, calibration: undefined } }
      : node,
  );
  expect(isCalibrated({ ...shipped, nodes })).toBe(false);
});
