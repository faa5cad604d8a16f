import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { window } from '../../operators/window/window.js';
import {
  defineSource,
  type Clock,
  type RawBatch,
  type SourceOutput,
} from '../../pipeline/component/index.js';
import type { Window } from '../../pipeline/model/index.js';
import type { Runner } from '../../pipeline/runtime/runner.js';
import {
  aborted,
  decodeNumbers,
  rawNumbers,
  runnerOf,
  Table,
  temporaryFolder,
  topologyOf,
} from '../support/flow.js';
import { until } from '../support/waiting.js';

const HOUR = 3_600_000_000;

/**
 * A system whose wall clock a test sets. Its monotonic clock advances with each batch, so a stall of the
 * machine is not a silence.
 */
class SetClock implements Clock {
  off = 0;
  #elapsed = 0;
  now = () => 1_800_000_000_000_000 + this.#elapsed * 1000 + this.off;
  elapsed = () => this.#elapsed;
  pass(ms: number): void {
    this.#elapsed += ms;
  }
}

/** Frames that change slightly from one to the next: a link that repeats itself is reported as faulty. */
function decodeAlive(raw: RawBatch): ReturnType<typeof decodeNumbers> {
  const decoded = decodeNumbers(raw);
  for (const { values, sequence, count } of decoded.data) {
    const size = values.length / count;
    for (let i = 0; i < values.length; i++)
      values[i] = 10 + Math.sin(sequence[Math.floor(i / size)]! + (i % size));
  }
  return decoded;
}

/** Live input: two frames every 5 ms, timed at their arrival. */
class Air {
  #number = 0;
  readonly #system: SetClock;

  constructor(system: SetClock) {
    this.#system = system;
  }

  readonly component = defineSource({
    name: 'air',
    summary: 'Frames from the air.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: false,
    create: (_config, { clock }) => ({
      open: async (_position, output: SourceOutput) => {
        output.ready?.();
        const timer = setInterval(() => {
          this.#system.pass(5);
          const numbers = [this.#number++, this.#number++];
          const now = clock.now();
          void output.offer({ position: this.#number, raw: rawNumbers(numbers, [now, now]) });
        }, 5);
        await aborted(output.signal);
        clearInterval(timer);
      },
      decode: decodeAlive,
    }),
  });
}

function setUp() {
  const clock = new SetClock();
  const table = new Table();
  const topology = topologyOf(
    {
      in: { component: new Air(clock).component },
      windows: {
        component: window,
        from: ['in'],
        config: { length_ms: 100, hop_ms: 20, points: 10, idle_ms: 50 },
      },
      out: { component: table.component, from: ['windows'] },
    },
    temporaryFolder(),
  );
  return { clock, table, topology };
}

const ends = (table: Table) =>
  table.stored.map(({ record }) => {
    const { start, step, points } = record as Window;
    return start + step * points;
  });

/** Waits for windows at the clock's current time, the newest of them last. */
async function windowsOf(clock: Clock, table: Table): Promise<void> {
  await until('windows of now', () => {
    const last = ends(table).at(-1);
    return last !== undefined && Math.abs(clock.now() - last) < 2_000_000;
  });
}

const problemOf = (runner: Runner) => runner.status().problem;

test('a clock set ahead by an hour and back again stops nothing', async () => {
  const { clock, table, topology } = setUp();
  const runner = runnerOf(topology, { clock });
  const problems: string[] = [];
  runner.onChange(({ problem }) => {
    if (problem !== null) problems.push(problem);
  });
  await runner.start();
  await windowsOf(clock, table);
  // A start after the clock was set back is not in the future.
  for (const off of [HOUR, 0, -HOUR]) {
    clock.off = off;
    await windowsOf(clock, table);
    await until('it to be in order', () => runner.status().state === 'running');
  }
  expect(problems.some((text) => text.includes('set forward by 3600.0 s'))).toBe(true);
  expect(problems.some((text) => text.includes('set back by 3600.0 s'))).toBe(true);
  const { startedAt } = runner.status();
  expect(startedAt! + clock.elapsed() * 1000).toBe(clock.now());
  // In order on either side of each jump, with consecutive numbers.
  const indices = table.stored.map(({ record }) => (record as Window).index);
  expect(indices).toEqual(indices.map((_, at) => at));
  expect(problemOf(runner)).toBeNull();
});

test('a clock set back while csiflow is stopped or killed stops nothing', async () => {
  const { clock, table, topology } = setUp();
  clock.off = HOUR;
  const first = runnerOf(topology, { clock });
  await first.start();
  await windowsOf(clock, table);
  await first.stop();
  clock.off = 0;
  const second = runnerOf(topology, { clock });
  await second.start();
  await windowsOf(clock, table);
  await second.stop({ force: true });
  const third = runnerOf(topology, { clock });
  await third.start();
  const before = table.stored.length;
  await until('more windows', () => table.stored.length > before + 5);
  await windowsOf(clock, table);
});

test('a recovery repeats the jump at its place', async () => {
  const { clock, table, topology } = setUp();
  // A hanging store lets no checkpoint complete: everything is read from the journal again.
  table.before = () => new Promise(() => undefined);
  const first = runnerOf(topology, { clock });
  await first.start();
  await until('input', () => first.status().nodes[0]!.sent > 100);
  clock.off = -HOUR;
  const { sent } = first.status().nodes[0]!;
  await until('input after the jump', () => first.status().nodes[0]!.sent > sent + 200);
  await until('a jump that is not safe yet', () => problemOf(first)?.includes('set back') === true);
  await first.stop({ force: true });
  table.before = () => undefined;
  const second = runnerOf(topology, { clock });
  await second.start();
  await windowsOf(clock, table);
  const times = ends(table);
  const backs = times.filter((time, at) => at > 0 && time < times[at - 1]!);
  expect(backs).toHaveLength(1);
  expect(times[0]! - times.at(-1)!).toBeGreaterThan(HOUR - 60_000_000);
});

test('a small difference is corrected slowly: arrival times always advance', async () => {
  const { clock, table, topology } = setUp();
  const runner = runnerOf(topology, { clock });
  await runner.start();
  await windowsOf(clock, table);
  clock.off = -500_000;
  const before = table.stored.length;
  await until('more windows', () => table.stored.length > before + 20);
  expect(runner.status().state).toBe('running');
  const times = ends(table);
  expect(times.every((time, at) => at === 0 || time - times[at - 1]! === 20_000)).toBe(true);
});
