import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** What Node 22.1 and later add: the types are those of the oldest supported version. */
interface CachingModule {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/**
 * Stores V8's compiled code of modules loaded from now on in the user's cache folder (`$XDG_CACHE_HOME` or
 * `~/.cache`), so that later starts take less processor time. Node 20 cannot, and compiles at each start.
 *
 * Not in Node's default, the folder for temporary files: on a shared machine, somebody else could put code
 * there. `NODE_COMPILE_CACHE` selects another folder, `NODE_DISABLE_COMPILE_CACHE=1` none. A folder that
 * cannot be written is not an error: Node then runs without a cache.
 */
export function cacheCompiledCode(
  { enableCompileCache }: CachingModule = module as CachingModule,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  enableCompileCache?.(environment['NODE_COMPILE_CACHE'] || join(cacheFolder(environment), 'csiflow/code'));
}

/** Relative paths in the variable are invalid (XDG Base Directory Specification). */
function cacheFolder({ XDG_CACHE_HOME: given = '' }: NodeJS.ProcessEnv): string {
  return isAbsolute(given) ? given : join(homedir(), '.cache');
}
