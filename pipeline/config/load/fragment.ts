import { checkSchema } from '../schema/check-schema.js';
import { formatProblem, Problems, type Location } from '../problems/problem.js';
import { readYaml } from '../reading/yaml.js';

/**
 * Parses a single value in YAML, such as an option of a command.
 * @param name its name in messages: `--table`
 * @returns the value with defaults filled in; or what is wrong with it, in lines
 */
export function readFragment(
  text: string,
  schema: object,
  name: string,
): { readonly value: unknown } | { readonly problems: readonly string[] } {
  const problems = new Problems();
  const location: Location = { file: name, line: 1, column: 1, length: 1 };
  const tree = readYaml(text, name, problems);
  const value = tree && checkSchema(tree, schema, { name, location }, problems);
  if (value !== undefined) return { value };
  return { problems: problems.list().map((problem) => formatProblem(problem, text)) };
}
