import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Registry, type Component } from '../pipeline/component/index.js';
import { packageFolder } from '../pipeline/base/paths.js';
import { CommandError, EXIT } from '../pipeline/base/exit.js';
import { components } from './components.js';
import { errorText, stackText } from '../pipeline/base/error-text.js';

/**
 * The shipped components, and those of your own modules (compiled; default export: a component or a list).
 * @throws CommandError with a module that cannot be loaded or exports something else, or with the field of a component
 * whose schema is not valid. Schemas of shipped components are not checked: tests do that.
 */
export async function registryWith(files: readonly string[]): Promise<Registry> {
  const registry = new Registry(components.list());
  if (files.length === 0) return registry;
  const { schemaFault } = await import('../pipeline/config/schema/schema-fault.js');
  for (const file of files) {
    for (const component of await componentsOf(file)) {
      const fault = schemaFault(component.config);
      if (fault !== null)
        throw new CommandError(`${file}: ${component.kind} \`${component.name}\`: ${fault}`, EXIT.invalid);
      add(registry, component, file);
    }
  }
  return registry;
}

async function componentsOf(file: string): Promise<readonly Component[]> {
  const module = await load(file);
  const own: unknown =
    typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  const list: readonly unknown[] = Array.isArray(own) ? own : [own];
  if (list.every(isComponent)) return list;
  throw new CommandError(
    `${file} must have components as its default export: results of defineOperator, defineSource or defineSink`,
    EXIT.invalid,
  );
}

async function load(file: string): Promise<unknown> {
  const { href } = pathToFileURL(resolve(file));
  try {
    return await import(href);
  } catch (error) {
    const reason = errorText(error);
    const place =
      placeIn(href, error) ?? (error instanceof SyntaxError ? await syntaxPlace(file) : undefined);
    const where = place === undefined ? '' : ` (${file}:${place})`;
    throw new CommandError(
      `--plugin ${file} cannot be loaded: ${reason}${where}${hintFor(reason)}`,
      EXIT.invalid,
    );
  }
}

/** Line and column of the module in the error's stack; undefined if it is not there. */
const placeIn = (href: string, error: unknown): string | undefined =>
  /^\d+(:\d+)?/.exec(stackText(error).split(`${href}:`)[1] ?? '')?.[0];

/** Line and column of a mistake that V8 reports without its place; undefined if it is in a module that this one imports. */
async function syntaxPlace(file: string): Promise<string | undefined> {
  const { readModule } = await import('../operators/script/module.js');
  const read = readModule(file, await readFile(file, 'utf8'));
  const fault = 'code' in read ? undefined : read.find(({ code }) => code === 'script.syntax');
  return fault && `${fault.line}:${fault.column}`;
}

/** A module outside this folder finds its packages only if they were installed beside it. */
const hintFor = (reason: string): string =>
  /package '(csiflow|typebox)'/.test(reason)
    ? `; run in its folder: npm install ${packageFolder} typebox`
    : '';

function add(registry: Registry, component: Component, file: string): void {
  try {
    registry.add(component);
  } catch (error) {
    throw new CommandError(`${file}: ${errorText(error)}`, EXIT.invalid);
  }
}

const isComponent = (value: unknown): value is Component =>
  typeof value === 'object' && value !== null && 'kind' in value && 'name' in value && 'create' in value;
