import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** What Node 22.1 and later add: the types are those of the oldest supported version. */
interface CachingModule {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/**
 * Stores V8's compiled code of modules loaded from now on in {@link codeFolder}, so that later starts take less
 * processor time. Node 20 cannot, and compiles them at each start; of the bundle, `bundle/load-bundle.ts` keeps the
 * code in every version. A folder that cannot be written is not an error: Node then runs without a cache.
 */
export function cacheCompiledCode(
  { enableCompileCache }: CachingModule = module as CachingModule,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const folder = codeFolder(environment);
  if (folder !== null) enableCompileCache?.(folder);
}

/**
 * The folder of compiled code, in the user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`).
 *
 * Not in Node's default, the folder for temporary files: on a shared machine, somebody else could put code
 * there. `NODE_COMPILE_CACHE` selects another folder, `NODE_DISABLE_COMPILE_CACHE=1` none (null).
 */
export function codeFolder(environment: NodeJS.ProcessEnv): string | null {
  if (environment['NODE_DISABLE_COMPILE_CACHE']) return null;
  return environment['NODE_COMPILE_CACHE'] || join(cacheFolder(environment), 'csiflow/code');
}

/** Relative paths in the variable are invalid (XDG Base Directory Specification). */
function cacheFolder({ XDG_CACHE_HOME: given = '' }: NodeJS.ProcessEnv): string {
  return isAbsolute(given) ? given : join(homedir(), '.cache');
}
