import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InputError } from '../../../pipeline/base/input-error.js';
import { outputFile } from '../../../pipeline/base/paths.js';
import { modelFolder, SHIPPED, shippedModels } from './weights.js';

/**
 * The folder of a model that an option of a command names: a shipped one, or a path.
 * @throws InputError if there is none
 */
export function namedModel(name: string): string {
  const folder = modelFolder(name, process.cwd());
  if (existsSync(join(folder, 'manifest.json'))) return folder;
  const shipped = shippedModels().join(', ');
  throw new InputError(
    `there is no model \`${name}\`: name a shipped one (${shipped}), or a folder with one`,
  );
}

/**
 * Where a command writes a model that it extends: in the model's own folder, except for a shipped model of an
 * installation, which the next `npm ci` would remove. That becomes a copy below the current folder.
 */
export const extendedModel = (name: string): string =>
  shippedModels().includes(name) ? outputFile(join(SHIPPED, name)) : resolve(name);
