import { defineConfig } from 'vitest/config';

// Only the tests of the mutated files: each mutant runs those that reach it.
export default defineConfig({
  test: {
    include: [
      'test/operators/{denoise,phase-sanitize}.test.ts',
      'test/runtime/{queue,settled-now,group-feed}.test.ts',
    ],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 20_000,
  },
});
