/** Exports of `csiflow/testing`: the conformance kits, and the laboratory behind `csiflow test`. */
export * from '../pipeline/testing/kit/index.js';
export type { Outcome, TestRecord } from '../pipeline/testing/outcome.js';
export { testText, type TestResult } from '../pipeline/testing/report.js';
export { readSuites, runSuites, type Suite } from '../pipeline/testing/suites.js';
