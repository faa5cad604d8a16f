import { errorText } from '../../base/error-text.js';
import type { Complaint, Component } from '../../component/index.js';
import { label } from './check-schema.js';
import type { Location, Problems } from '../problems/problem.js';
import { locationOf, valueAt, type Tree } from '../reading/tree.js';

/** A component's own rules; what they say is located by its path. */
export function checkOwnRules(
  component: Component,
  config: object,
  tree: Tree,
  location: Location,
  problems: Problems,
): void {
  if (!component.check) return;
  let complaints: readonly Complaint[];
  try {
    complaints = component.check(config as never);
  } catch (error) {
    const why = errorText(error);
    problems.add('config.component.check', location, `the check of ${component.name} failed: ${why}`, {
      component,
    });
    return;
  }
  for (const { path, message, span, suggestion, code = 'config.value.invalid', severity } of complaints) {
    const whole = path.length === 0 ? location : locationOf(tree, path, location);
    const at = span ? spanOf(valueAt(tree, path), span, whole) : whole;
    const field = label(path);
    const text = field === '' || message.includes(field) ? message : `\`${field}\`: ${message}`;
    problems.addForeign(code, at, text, { component, severity, suggestion });
  }
}

/** Where a part of a text stands; the whole value where it is written with escapes, over several lines, or with variables. */
function spanOf(
  tree: Tree | undefined,
  { start, length }: NonNullable<Complaint['span']>,
  whole: Location,
): Location {
  if (tree?.kind !== 'scalar' || !tree.text.includes(String(tree.value)) || tree.text.includes('\n'))
    return whole;
  const quote = tree.text.indexOf(String(tree.value));
  return { ...whole, column: whole.column + quote + start, length: Math.max(1, length) };
}
