import { defineConfig } from 'vitest/config';

/** Set by CI to collect the counts of several runs. */
const report = process.env['CSIFLOW_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      // Need the native part of TensorFlow: `npm run test:native`.
      ...(process.env['CSIFLOW_NATIVE'] ? [] : ['test/native/**']),
      // Need real servers: `npm run test:services`.
      ...(process.env['CSIFLOW_SERVICES'] ? [] : ['test/services/**']),
      // Take minutes: `npm run test:long`.
      ...(process.env['CSIFLOW_LONG'] ? [] : ['test/long/**']),
    ],
    globalSetup: ['test/support/build.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
  },
});
