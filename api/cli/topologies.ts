import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkTogether,
  formatProblem,
  loadTopology,
  type CheckedTopology,
  type LoadOptions,
  type Problem,
} from '../../pipeline/config/index.js';
import type { Registry } from '../../pipeline/component/index.js';
import { CommandError, EXIT } from '../../pipeline/base/exit.js';
import { numberOf } from './number-of.js';

/** A topology that cannot be used; its problems are printed already. */
export class InvalidTopology extends CommandError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(summary(problems), EXIT.invalid);
    this.problems = problems;
  }
}

/**
 * Loads a topology for a command. Prints warnings on stderr.
 * @throws InvalidTopology with exit code 2, after printing the problems like a compiler, if it cannot be used.
 */
export function loadForCommand(file: string, options: LoadOptions, registry: Registry): CheckedTopology {
  const { topology, problems } = loadTopology(file, registry, options);
  if (problems.length > 0) process.stderr.write(`${printProblems(problems)}\n`);
  if (topology) return topology;
  throw new InvalidTopology(problems);
}

/**
 * Loads topologies that are to run together in this process: each must be valid, and no two may use the same
 * resource. Prints problems on stderr.
 * @throws CommandError with exit code 2 if they cannot be used.
 */
export function loadTogether(
  files: readonly string[],
  options: LoadOptions,
  registry: Registry,
): readonly CheckedTopology[] {
  const topologies = files.map((file) => loadForCommand(file, options, registry));
  const problems = checkTogether(topologies.map((topology, index) => ({ topology, file: files[index]! })));
  if (problems.length === 0) return topologies;
  process.stderr.write(`${printProblems(problems)}\n`);
  throw new CommandError(`${summary(problems)} between the topologies`, EXIT.invalid);
}

/** Problems with their source lines. */
export function printProblems(problems: readonly Problem[]): string {
  const texts = new Map<string, string | undefined>();
  const textOf = (file: string): string | undefined => {
    if (!texts.has(file)) texts.set(file, readText(file));
    return texts.get(file);
  };
  return problems.map((problem) => formatProblem(problem, textOf(problem.file))).join('\n');
}

/** `2 errors, 1 warning`. */
export function summary(problems: readonly Problem[]): string {
  const count = (severity: Problem['severity']) =>
    numberOf(problems.filter((problem) => problem.severity === severity).length, severity);
  return `${count('error')}, ${count('warning')}`;
}

/** Undefined for a file that is missing or too large to show lines of: the problem says so. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/**
 * Topologies and files of tests: files as named; in folders, all YAML files with a section of a topology,
 * recursively (others, such as environments, are checked with their topology or ignored).
 * @throws CommandError if there is none.
 */
export function topologyFiles(paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((named) => {
    if (!statSync(named, { throwIfNoEntry: false })?.isDirectory()) return [named];
    return yamlBelow(named).filter((file) => SECTION.test(readText(file) ?? ''));
  });
  if (files.length > 0) return files;
  throw new CommandError(`there is no topology in ${paths.join(', ')}`, EXIT.invalid);
}

const SECTION = /^(sources|operators|sinks|tests)\s*:/m;

/** In order of their names; without packages and folders whose name begins with a dot. */
const yamlBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) ? [] : yamlBelow(path);
      return /\.ya?ml$/.test(entry.name) ? [path] : [];
    });
