import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hideSecret } from '../../base/secrets.js';
import { nearest } from '../../base/nearest.js';
import type { Location, Problems } from '../problems/problem.js';
import type { Reach } from './reach.js';
import { asWritten, mapScalars, type ScalarTree, type Tree } from './tree.js';

/** Origin of variables and secrets. */
export interface VariableSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder with one file per secret; undefined: none. */
  readonly secrets?: string | undefined;
  /** Replaces secrets that are not set, if nothing real is reached, as in tests. */
  readonly standIn?: string | undefined;
  /** Default: everything. */
  readonly reach?: Reach | undefined;
}

const EXPRESSION = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const SECRET = /^secret:([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$/;
const SECRET_PREFIX = 'CSIFLOW_SECRET_';

/**
 * Puts `${NAME}`, `${NAME:-default}` and `${secret:name}` into the string leaves of a tree; `$${` stands for
 * `${`. Keys stay as they are, and values are neither read as YAML nor expanded again.
 */
export function putInVariables(tree: Tree, sources: VariableSources, problems: Problems): Tree {
  return mapScalars(tree, (scalar) =>
    typeof scalar.value === 'string' && scalar.value.includes('${')
      ? expand(scalar, sources, problems)
      : scalar,
  );
}

function expand(scalar: ScalarTree, sources: VariableSources, problems: Problems): ScalarTree {
  let origin: ScalarTree['origin'];
  const [before, hidden] = [problems.errors, problems.hidden.length];
  // The same expressions are in the file's text, except for those hidden by escapes.
  const written = [...scalar.text.matchAll(EXPRESSION)];
  const locationOf = locator(scalar);
  let count = 0;
  const value = String(scalar.value).replace(EXPRESSION, (whole: string, inner: string | undefined) => {
    const location = locationOf(whole, written[count++]?.index);
    if (whole === '$${') return '${';
    const secret = inner === undefined ? null : SECRET.exec(inner);
    origin = secret || origin === 'secret' ? 'secret' : 'variable';
    if (secret) return readSecret(secret[1]!, location, sources, problems);
    const variable = inner === undefined ? null : VARIABLE.exec(inner);
    if (variable) return readVariable(variable[1]!, variable[2], location, sources, problems);
    problems.add(
      'config.variable.syntax',
      location,
      `\`${whole}\` is not \${NAME}, \${NAME:-default} or \${secret:name}`,
    );
    return '';
  });
  const broken = problems.errors > before;
  if (problems.hidden.length > hidden) problems.hide(value, asWritten(scalar));
  return { ...scalar, value, ...(origin && { origin }), ...(broken && { broken }) };
}

function readVariable(
  name: string,
  fallback: string | undefined,
  location: Location,
  { env, reach }: VariableSources,
  problems: Problems,
): string {
  if (name.startsWith(SECRET_PREFIX)) {
    const secret = name.slice(SECRET_PREFIX.length).toLowerCase();
    const message = `\`${name}\` holds a secret, which a plain value would show`;
    problems.add('config.variable.syntax', location, message, { suggestion: `\${secret:${secret}}` });
    return '';
  }
  if (reach && !reach.allowsVariable(name)) {
    const message = `the environment variable \`${name}\` may not be used by a topology that arrived over the network: the host's owner can allow it with --allow-variable ${name}`;
    problems.add('config.variable.not_allowed', location, message);
    return '';
  }
  const value = env[name];
  // As in a shell: `:-` also replaces an empty variable.
  if (fallback !== undefined && (value === undefined || value === '')) return fallback;
  if (value !== undefined) {
    problems.hide(value, `\${${name}}`);
    return value;
  }
  const near = nearest(name, Object.keys(env));
  const fix = near === undefined ? `\${${name}:-default}` : `\${${near}}`;
  problems.add('config.variable.unset', location, `the environment variable \`${name}\` is not set`, {
    suggestion: fix,
  });
  return '';
}

function readSecret(name: string, location: Location, sources: VariableSources, problems: Problems): string {
  const variable = SECRET_PREFIX + name.toUpperCase().replaceAll(/[.-]/g, '_');
  const value = secretFile(name, sources.secrets) ?? sources.env[variable] ?? sources.standIn;
  if (value === undefined || value === '') {
    const folder =
      sources.secrets === undefined ? '' : ` and there is no file ${join(sources.secrets, name)}`;
    problems.add(
      'config.secret.unset',
      location,
      `the secret \`${name}\` is not set: ${variable} is empty${folder}`,
    );
    return '';
  }
  problems.hide(value);
  hideSecret(value);
  return value;
}

/** A file's content without its last line break, as editors add one. */
function secretFile(name: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  try {
    return readFileSync(join(folder, name), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    // If missing, the environment may have it. An unreadable file is reported as not set.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Locations of expressions in a scalar, also over several lines. Asked in their order, it reads the text once. */
function locator({
  text,
  location,
}: ScalarTree): (expression: string, start: number | undefined) => Location {
  let [breaks, lineStart, nextBreak] = [0, 0, text.indexOf('\n')];
  return (expression, start) => {
    if (start === undefined) return location;
    for (; nextBreak !== -1 && nextBreak < start; nextBreak = text.indexOf('\n', lineStart)) {
      breaks++;
      lineStart = nextBreak + 1;
    }
    const column = breaks === 0 ? location.column + start : start - lineStart + 1;
    return { file: location.file, line: location.line + breaks, column, length: expression.length };
  };
}
