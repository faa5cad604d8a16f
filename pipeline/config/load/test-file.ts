import { dirname, join, resolve } from 'node:path';
import type { Registry } from '../../component/index.js';
import { checkSchema } from '../schema/check-schema.js';
import { readBounded } from '../reading/files.js';
import { loadTopology, type LoadOptions } from './load.js';
import { Problems, type Problem } from '../problems/problem.js';
import { TestFileSchema, type WrittenTest } from '../schema/test-schema.js';
import type { CheckedTest } from '../tests/test-case.js';
import { checkTests, topologyOfTests } from '../tests/tests.js';
import type { CheckedTopology } from '../topology/topology.js';
import { locationOf, valueAt } from '../reading/tree.js';
import { putInVariables } from '../reading/variables.js';
import { readYaml } from '../reading/yaml.js';

/** Tests and their topology, or all problems of their files. */
export type LoadedTests =
  | {
      readonly topology: CheckedTopology;
      readonly tests: readonly CheckedTest[];
      readonly problems: readonly Problem[];
    }
  | { readonly topology?: undefined; readonly tests?: undefined; readonly problems: readonly Problem[] };

/**
 * Reads and checks a file `NAME.test.yaml` and its topology. Never throws for their content.
 * @param file as problems name it; relative to the working folder.
 */
export function loadTests(file: string, registry: Registry, options: LoadOptions): LoadedTests {
  const problems = new Problems();
  const text = readBounded(file, file, problems);
  const raw = text === undefined ? undefined : readYaml(text, file, problems);
  if (!raw) return { problems: problems.list() };
  const tree = putInVariables(raw, options, problems);
  const start = { file, line: 1, column: 1, length: 1 };
  const written = checkSchema(
    tree,
    TestFileSchema,
    { name: 'the file of tests', location: start },
    problems,
  ) as { readonly topology?: string; readonly tests: readonly WrittenTest[] } | undefined;
  if (!written) return { problems: problems.list() };
  const named = join(dirname(file), written.topology ?? topologyOfTests(file));
  if (readBounded(named, named, problems, locationOf(tree, ['topology'], start)) === undefined)
    return { problems: problems.list() };
  const { topology, problems: found } = loadTopology(named, registry, options);
  if (!topology) return { problems: [...found, ...problems.list()] };
  const tested = { nodes: topology.nodes, registry, folder: dirname(resolve(file)) };
  const tests = checkTests(valueAt(tree, ['tests'])!, written.tests, tested, problems);
  const all = [...found, ...problems.list()];
  return problems.errors > 0 ? { problems: all } : { topology, tests, problems: all };
}

/** `demo.test.yaml` holds tests of `demo.yaml`. */
export const isTestFile = (file: string): boolean => /\.test\.ya?ml$/.test(file);
