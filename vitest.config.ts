import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Set by CI to collect the counts of several runs. */
const report = process.env['CSIFLOW_TEST_REPORT'];

/** InfluxDB 2 takes minutes to build, so its tests are a run of their own. */
const INFLUX2 = 'test/services/influxdb2*.test.ts';

/** Tests need real servers: `npm run test:services`, `npm run test:influx2`. */
function servicesLeftOut(wanted: string | undefined): string[] {
  if (!wanted) return ['test/services/**'];
  return wanted === 'influx2' ? ['test/services/!(influxdb2*)'] : [INFLUX2];
}

/** Runs over real servers, native parts, hours: each file in a process of its own. */
const special = ['NATIVE', 'SERVICES', 'KILL', 'LONG'].some((run) => process.env[`CSIFLOW_${run}`]);

/** Their tests mostly wait: for processes, pages, servers that are away, floods to pass. */
const WAITING = /\/test\/(e2e|cli|client|faults)\/|\/(ws|webhooks|load-shedding|lateness)\.test/;

/** Begun together, files that wait would leave the processors idle: they are spread among the others, and end before them. */
class WaitingSpread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId));
    const working = sorted.filter((file) => !waiting.includes(file));
    const between = Math.floor((0.8 * working.length) / Math.max(waiting.length, 1));
    const spread = waiting.flatMap((file, index) => [
      file,
      ...working.slice(index * between, (index + 1) * between),
    ]);
    return [...spread, ...working.slice(waiting.length * between)];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      // Need the native part of TensorFlow: `npm run test:native`.
      ...(process.env['CSIFLOW_NATIVE'] ? [] : ['test/native/**']),
      ...servicesLeftOut(process.env['CSIFLOW_SERVICES']),
      // Two minutes of kills: `npm run test:scale`.
      ...(process.env['CSIFLOW_SCALE'] ? [] : ['test/services/scale-kills.test.ts']),
      // With the real servers, or whole by `npm run test:kill`.
      ...(process.env['CSIFLOW_SERVICES'] || process.env['CSIFLOW_KILL'] ? [] : ['test/kill/**']),
      // Open a browser: `npm run test:web`.
      ...(process.env['CSIFLOW_WEB'] ? [] : ['test/web/**']),
      // Take minutes: `npm run test:long`.
      ...(process.env['CSIFLOW_LONG'] ? [] : ['test/long/**']),
    ],
    globalSetup: ['test/support/build.ts'],
    setupFiles: ['test/support/setup.ts'],
    // Files share a process and its modules: to load them anew for each would take a quarter of the time.
    isolate: special,
    // What a test spies on is as before for the next one.
    restoreMocks: true,
    pool: 'forks',
    // One more than processors: a third of a test's time is waiting for other processes, for sockets and for timers.
    maxWorkers: special ? 2 : Math.min(availableParallelism() + 1, 8),
    sequence: { sequencer: WaitingSpread },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A wait ends when the test's own time does, not after vitest's second.
    expect: { poll: { timeout: 15_000 } },
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
