import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SettledClock } from '../../pipeline/base/settled-clock.js';
import { systemClock } from '../../pipeline/base/clock.js';
import { counter, order, runnerOf, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { testEnvironment } from '../support/context.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';

const HOUR_MS = 3_600_000;
const DAY_US = 86_400_000_000;
const BEGIN = 1_700_000_000_000_000;

/** A machine whose clock is `off` from the true time, microseconds. */
class Machine {
  off = 0;
  #elapsed = 0;
  now = () => BEGIN + this.#elapsed * 1000 + this.off;
  elapsed = () => this.#elapsed;
  pass(ms: number): void {
    this.#elapsed += ms;
  }
  get truth(): number {
    return BEGIN + this.#elapsed * 1000;
  }
}

/** Checks once an hour. */
function run(clock: SettledClock, machine: Machine, hours: number): number {
  for (let hour = 0; hour < hours; hour++) {
    machine.pass(HOUR_MS);
    clock.now();
  }
  return clock.now();
}

test('a clock that is wrong for less than a day deletes nothing younger, whatever its time', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ off: fc.integer({ min: -4000, max: 4000 }), hours: fc.integer({ min: 1, max: 23 }) }),
        { maxLength: 8 },
      ),
      (spells) => {
        const machine = new Machine();
        const clock = new SettledClock(machine);
        for (const { off, hours } of spells) {
          machine.off = off * DAY_US;
          run(clock, machine, hours);
          // A clock that is off by a day or less is followed.
          expect(clock.now()).toBeLessThanOrEqual(machine.truth + DAY_US);
          machine.off = 0;
          run(clock, machine, 1);
        }
      },
    ),
  );
});

test('a clock corrected after a long stop is followed after a day of running, across restarts', () => {
  const machine = new Machine();
  const before = new SettledClock(machine).snapshot;
  machine.off = 40 * DAY_US;
  const first = new SettledClock(machine, before);
  expect(run(first, machine, 20)).toBe(machine.truth);
  const second = new SettledClock(machine, first.snapshot);
  expect(run(second, machine, 3)).toBe(machine.truth);
  expect(run(second, machine, 3)).toBe(machine.now());
  expect(second.ahead).toBeNull();
});

test('a clock set back is followed at once, and forward again once it is right', () => {
  const machine = new Machine();
  const clock = new SettledClock(machine);
  machine.off = -20_000 * DAY_US;
  expect(run(clock, machine, 2)).toBe(machine.now());
  machine.off = 0;
  expect(run(clock, machine, 1)).toBe(machine.truth);
});

test('a start with a clock a year ahead does not change the store', async () => {
  const folder = temporaryFolder();
  const start = Math.round(systemClock.now() / 1000) - 60_000;
  const runner = (off: number) =>
    runnerOf(
      topologyOf(
        {
          in: { component: counter, config: { count: 11, offset: start, holdAt: 10 } },
          records: { component: order, from: ['in'] },
          history: {
            component: duckdb,
            config: { path: 'store.duckdb', retention_days: 30 },
            from: ['records'],
          },
        },
        folder,
        { checkpointIntervalMs: 20 },
      ),
      { clock: { now: () => systemClock.now() + off, elapsed: () => systemClock.elapsed() } },
    );
  const first = runner(0);
  await first.start();
  await until('the records', () => first.status().nodes[2]!.received === 10);
  await first.stop();

  const second = runner(365 * DAY_US);
  await second.start();
  const epochs = new Set<number>();
  await until('some checkpoints', () => {
    const { checkpoint } = second.status();
    if (checkpoint) epochs.add(checkpoint.epoch);
    return epochs.size > 2;
  });
  const [reader] = second.readers.values();
  expect(await reader!.measures({ environment: testEnvironment.id })).toHaveLength(10);
  await second.stop();
});
