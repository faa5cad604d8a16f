import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Barriers, type BarriersOptions } from '../../pipeline/runtime/checkpoints/barriers.js';
import type { NodeRun } from '../../pipeline/runtime/nodes/host.js';

/** Barriers of one node over a store that never responds, with its own clock, milliseconds. */
function stuck(clock: { ms: number }) {
  const run = { id: 'out' } as NodeRun;
  const commit = vi.fn(() => new Promise<void>(() => undefined));
  const options = {
    runs: new Map([['out', run]]),
    sources: [],
    state: { commit },
    committed: 0,
    clock: { now: () => clock.ms * 1000, elapsed: () => clock.ms },
    patience: { barrierMs: 10_000 },
    onInject: () => () => undefined,
    wake: () => undefined,
    onChange: () => undefined,
  } as unknown as BarriersOptions;
  return { run, commit, barriers: new Barriers(options) };
}

test('a checkpoint that does not complete names the node or store it waits for', () => {
  const clock = { ms: 0 };
  const { run, barriers } = stuck(clock);
  barriers.inject();
  clock.ms = 14_000;
  barriers.tick();
  expect(barriers.problem).toBe('a checkpoint has been waiting for out for 14 s');
  barriers.passed(run, 1, undefined);
  barriers.tick();
  expect(barriers.problem).toBe('a checkpoint has been waiting for the state to be stored for 14 s');
});

test.each([
  { what: 'is written', abandon: false, written: 1 },
  { what: 'is not begun at a store that is about to close', abandon: true, written: 0 },
])('a checkpoint that all nodes have passed $what', async ({ abandon, written }) => {
  const { run, commit, barriers } = stuck({ ms: 0 });
  barriers.inject();
  barriers.passed(run, 1, undefined);
  if (abandon) barriers.abandon();
  await setImmediate();
  expect(commit).toHaveBeenCalledTimes(written);
});
