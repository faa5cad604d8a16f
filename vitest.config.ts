import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { compiledModules } from './test/support/compiled-modules.js';
import { inOrder } from './test/support/order.js';

/** Set by CI to collect the counts of several runs. */
const report = process.env['CSIFLOW_TEST_REPORT'];

/** InfluxDB 2 takes minutes to build, so its tests are a separate run. */
const INFLUX2 = 'test/services/influxdb2*.test.ts';

/** Tests that need real servers: `npm run test:services`, `npm run test:influx2`. */
function servicesLeftOut(wanted: string | undefined): string[] {
  if (!wanted) return ['test/services/**'];
  return wanted === 'influx2' ? ['test/services/!(influxdb2*)'] : [INFLUX2];
}

/** Runs with real servers, native parts or hours of work: each file in its own process. */
const special = ['NATIVE', 'SERVICES', 'KILL', 'LONG'].some((run) => process.env[`CSIFLOW_${run}`]);

/** `npm test`, or files of it. */
const isPlain = !special && !process.env['CSIFLOW_WEB'] && !process.env['CSIFLOW_WEBGPU'];

/**
 * Most functions of these tests run briefly, so V8 optimises only what runs 15 times as long as it would wait for: its
 * threads took 9 of the 25 s of processor time of test/kit/registry.test.ts, and now take 4 of 21 (Node.js 20). With
 * Node.js 22, three files took 26.0 s, and take 20.7. In Node.js 24 a faster compiler takes what has run briefly.
 */
const LATE_OPTIMISATION: Readonly<Record<string, string>> = {
  '20': '--interrupt-budget=1000000',
  '22': '--invocation-count-for-turbofan=45000',
};
const late = LATE_OPTIMISATION[process.versions.node.split('.')[0]!];

/**
 * Megabytes for new objects, of which most live as long as a test: collecting them in V8's 16 MB (1 at first) copies
 * them several times. Seven files of these tests took 34.5 s of processor time, and take 30.9.
 */
const NEW_OBJECTS = ['--min-semi-space-size=16', '--max-semi-space-size=64'];

class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return inOrder(await super.sort(files));
  }
}

export default defineConfig({
  plugins: isPlain ? [compiledModules()] : [],
  test: {
    // Transforming modules takes a tenth of the processor time of a run: only of the first one.
    experimental: { fsModuleCache: true },
    include: ['test/**/*.test.ts'],
    exclude: [
      // Needs the native part of TensorFlow: `npm run test:native`.
      ...(process.env['CSIFLOW_NATIVE'] ? [] : ['test/native/**']),
      // Needs a GPU, or software in its place: `npm run test:webgpu`.
      ...(process.env['CSIFLOW_WEBGPU'] ? [] : ['test/webgpu/**']),
      ...servicesLeftOut(process.env['CSIFLOW_SERVICES']),
      // Two minutes of kills: `npm run test:scale`.
      ...(process.env['CSIFLOW_SCALE'] ? [] : ['test/services/scale-kills.test.ts']),
      // With the real servers, or complete with `npm run test:kill`.
      ...(process.env['CSIFLOW_SERVICES'] || process.env['CSIFLOW_KILL'] ? [] : ['test/kill/**']),
      // Opens a browser: `npm run test:web`.
      ...(process.env['CSIFLOW_WEB'] ? [] : ['test/web/**']),
      // Takes minutes: `npm run test:long`.
      ...(process.env['CSIFLOW_LONG'] ? [] : ['test/long/**']),
    ],
    globalSetup: [
      'test/support/build.ts',
      // Servers and installed packages would take too much memory.
      ...(isPlain ? ['test/support/files-in-memory.ts'] : []),
      'test/support/left-folders.ts',
    ],
    setupFiles: ['test/support/setup.ts'],
    // Files share a process and its modules: loading them for each file would take a quarter of the time.
    isolate: special,
    // Spies of one test do not affect the next.
    restoreMocks: true,
    pool: 'forks',
    execArgv: isPlain ? [...(late === undefined ? [] : [late]), ...NEW_OBJECTS] : [],
    // One more than processors: tests spend a third of their time waiting for other processes, sockets and
    // timers.
    maxWorkers: special ? 2 : Math.min(availableParallelism() + 1, 8),
    sequence: { sequencer: Order },
    // Only what hangs should reach them: machines of CI have taken four times as long as usual.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // A poll ends before the test's own timeout, not after vitest's default of one second.
    expect: { poll: { timeout: 45_000 } },
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
