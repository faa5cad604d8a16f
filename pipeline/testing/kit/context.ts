import { tmpdir } from 'node:os';
import type { Context, Logger, NodeMetrics } from '../../component/index.js';
import { LinkTable, type Environment } from '../../model/index.js';

/** Counters and logs of a component, for tests. */
export interface Recorded {
  readonly dropped: Record<string, number>;
  missing: number;
  readonly failed: Record<string, number>;
  readonly gauges: Record<string, number>;
  readonly counts: Record<string, number>;
  problem: string | null;
  readonly lines: { level: string; message: string; fields: unknown }[];
}

/**
 * An environment of 5 x 4 x 2.6 m with two crossing links, `link-1` and `link-2`, whose senders are `node-1`
 * and `node-2`.
 */
export const testEnvironment: Environment = {
  id: 'test-room',
  size: { x: 5, y: 4, z: 2.6 },
  links: [
    { id: 'link-1', transmitter: [0.1, 0.1, 1], receiver: [4.9, 3.9, 1.2], sender: 'node-1' },
    { id: 'link-2', transmitter: [4.9, 0.1, 1.4], receiver: [0.1, 3.9, 0.8], sender: 'node-2' },
  ],
  walls: [],
  zones: [],
  timezone: 'UTC',
  assumed: [],
};

/** A context under the test's control: time stands still, random numbers are seeded, counters and logs are recorded. */
export function testContext(overrides: Partial<Context> = {}): { context: Context; recorded: Recorded } {
  const recorded: Recorded = {
    dropped: {},
    missing: 0,
    failed: {},
    gauges: {},
    counts: {},
    problem: null,
    lines: [],
  };
  const add = (into: Record<string, number>, key: string, value: number) => {
    into[key] = (into[key] ?? 0) + value;
  };
  const metrics: NodeMetrics = {
    dropped: (reason, count) => {
      add(recorded.dropped, reason, count);
    },
    missing: (count) => {
      recorded.missing += count;
    },
    failed: (stage, count) => {
      add(recorded.failed, stage, count);
    },
    gauge: (name, value) => {
      recorded.gauges[name] = value;
    },
    count: (name, value) => {
      add(recorded.counts, name, value);
    },
  };
  const line = (level: string) => (message: string, fields?: unknown) => {
    recorded.lines.push({ level, message, fields });
  };
  const log: Logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const environments = overrides.environments ?? [testEnvironment];
  let seed = 1;
  const context: Context = {
    topology: 'test',
    node: 'node-under-test',
    environments,
    inputs: [],
    links: new LinkTable(environments),
    clock: { now: () => 1_700_000_000_000_000, elapsed: () => 0 },
    random: () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32;
    },
    log,
    metrics,
    folder: tmpdir(),
    stateFolder: tmpdir(),
    provenance: { origin: 'live' },
    degrade: (problem) => {
      recorded.problem = problem;
    },
    ...overrides,
  };
  return { context, recorded };
}
