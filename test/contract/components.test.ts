import { expect, test } from 'vitest';
import { componentsOf } from '../../api/contract/system.js';
import type { NodeStatus } from '../../pipeline/runtime/status.js';
import { FakeTopology } from '../support/fake-topology.js';

test.each([
  ['active', true],
  ['degraded', true],
  ['starting', false],
  ['unavailable', false],
  ['stopped', false],
] as const)('the model of a network that is %s is loaded: %s', (status, isLoaded) => {
  const topology = new FakeTopology().status();
  const node: NodeStatus = {
    ...topology.nodes[0]!,
    id: 'poses',
    type: 'infer-pose',
    kind: 'operator',
    status,
  };
  const parts = { status: { ...topology, nodes: [node] }, stores: [], networks: ['poses'], trackers: [] };
  expect(componentsOf(parts)).toMatchObject({ network: status, modelLoaded: isLoaded });
});
