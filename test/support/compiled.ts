import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { packageFile } from '../../pipeline/base/paths.js';

/** A module that threads can load. */
export interface CompiledModule {
  readonly url: string;
  remove(): void;
}

let modules = 0;

/** Compiles a module of test/support/ with what it imports. @param code TypeScript, with paths from there */
export async function compiled(code: string): Promise<CompiledModule> {
  const file = packageFile(`node_modules/.cache/csiflow-threads/${process.pid}-${++modules}.mjs`);
  await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
  });
  return {
    url: pathToFileURL(file).href,
    remove: () => {
      rmSync(file, { force: true });
    },
  };
}
