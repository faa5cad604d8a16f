import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { INPUTS, buildAndUse } from '../../dist.config.mjs';
import { packageFile } from '../../pipeline/base/paths.js';

const build = (): void => {
  execFileSync(process.execPath, [packageFile('build.config.mjs')], { stdio: 'inherit' });
};

/**
 * Builds dist/ once before the tests: they import from there, and worker threads and child processes run from there.
 * It stays as it is until they end; not while tests are watched, which import the sources.
 */
export default async function buildForTests({ vitest }: TestProject): Promise<(() => void) | undefined> {
  if (!vitest.config.watch)
    return buildAndUse({
      sources: INPUTS.map(packageFile),
      lock: packageFile('.cache/dist.lock'),
      build,
    });
  build();
  return undefined;
}
