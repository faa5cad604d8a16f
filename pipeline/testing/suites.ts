import type { Registry } from '../component/index.js';
import {
  isTestFile,
  loadTests,
  loadTopology,
  type CheckedTest,
  type CheckedTopology,
  type Problem,
} from '../config/index.js';
import { judge } from './judge.js';
import type { TestResult } from './report.js';
import { runTest, TestError } from './run-test.js';

/** The tests of one file. */
export interface Suite {
  readonly file: string;
  readonly topology: CheckedTopology;
  readonly tests: readonly CheckedTest[];
}

/**
 * The tests of topologies' files and of files of tests, and all their problems. Tests do not reach anything
 * real, so secrets need not be set.
 * @param filter only tests whose name or file contains it; default: all
 */
export function readSuites(
  files: readonly string[],
  registry: Registry,
  filter = '',
): { readonly suites: readonly Suite[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const suites: Suite[] = [];
  for (const file of files) {
    const load = isTestFile(file) ? loadTests : loadTopology;
    const {
      topology,
      tests = [],
      problems: found,
    } = load(file, registry, { env: process.env, standIn: 'unset' });
    problems.push(...found);
    const asked = tests.filter(({ name }) => name.includes(filter) || file.includes(filter));
    if (topology && asked.length > 0) suites.push({ file, topology, tests: asked });
  }
  return { suites, problems };
}

/** Runs tests one by one, each for at most `limitMs` of real time; `done` receives each result. */
export async function runSuites(
  suites: readonly Suite[],
  limitMs: number,
  done: (result: TestResult) => void = () => undefined,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  for (const suite of suites) {
    for (const test of suite.tests) {
      const result = await resultOf(suite, test, limitMs);
      results.push(result);
      done(result);
    }
  }
  return results;
}

async function resultOf({ file, topology }: Suite, test: CheckedTest, limitMs: number): Promise<TestResult> {
  const began = performance.now();
  const { line, column } = test.location;
  const common = { file, topology: topology.id, name: test.name, line, column };
  const seconds = () => Math.round(performance.now() - began) / 1000;
  try {
    const outcome = await runTest(topology, test, limitMs);
    const unmet = judge(test, outcome);
    return { ...common, passed: unmet.length === 0, seconds: seconds(), unmet, error: null, outcome };
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    return { ...common, passed: false, seconds: seconds(), unmet: [], error: error.message, outcome: null };
  }
}
