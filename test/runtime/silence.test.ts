import { expect, test } from 'vitest';
import type { CheckedNode } from '../../pipeline/config/topology/topology.js';
import type { NodeRun } from '../../pipeline/runtime/nodes/host.js';
import { Lateness } from '../../pipeline/runtime/shard/lateness.js';
import { Problems } from '../../pipeline/runtime/nodes/problems.js';
import { Radio, Table } from '../support/flow.js';

/** The problem of a live source without input for a minute. */
function problemAfterAMinute(isPartition: boolean, watermark: number): string | null {
  let elapsed = 0;
  const nodes = [
    { id: 'in', component: new Radio().component, config: {}, inputs: [] },
    { id: 'out', component: new Table().component, config: {}, inputs: [{ from: 'in' }] },
  ];
  const runs = nodes.map(({ id }) => ({
    ...{ id, problems: new Problems(), watermark, lastRecord: null },
    ...{ heldBack: () => null, meter: { gateClosedSeconds: 0 } },
    context: { provenance: { origin: 'live' }, log: { warn: () => undefined, info: () => undefined } },
  }));
  const lateness = new Lateness({
    nodes: nodes as unknown as readonly CheckedNode[],
    runs: new Map(runs.map((run) => [run.id, run as unknown as NodeRun])),
    limitMs: 10_000,
    isPartition,
    shutFor: () => 0,
    now: () => elapsed * 1000,
    elapsed: () => elapsed,
    onChange: () => undefined,
  });
  elapsed = 60_000;
  lateness.check();
  return runs.map(({ problems }) => problems.text).find((text) => text !== null) ?? null;
}

test.each([
  ['a source', false, -Infinity, 'no input for 60 s'],
  ['a partition that had records', true, 0, 'no input for 60 s'],
  ['a partition that no room is in', true, -Infinity, null],
])('%s that is silent from the start', (_, isPartition, watermark, problem) => {
  expect(problemAfterAMinute(isPartition, watermark)).toBe(problem);
});
