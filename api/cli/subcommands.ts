import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import type { CommandModule } from './command-module.js';

/**
 * The subcommands in `folder`: each file (compiled or not) contains one, named by the file, under the rules
 * of {@link CommandModule}.
 */
export async function loadSubcommands(folder: URL): Promise<readonly CommandModule[]> {
  const extension = extname(import.meta.url);
  const files = readdirSync(folder).filter((file) => extname(file) === extension && !file.endsWith('.d.ts'));
  return Promise.all(
    files.sort().map(async (file) => (await import(new URL(file, folder).href)) as CommandModule),
  );
}
