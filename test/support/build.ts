import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { useDist } from '../../dist.config.mjs';
import { packageFile } from '../../pipeline/base/paths.js';

/**
 * Builds dist/ once before the tests: they import from there, and worker threads and child processes run from there.
 * It stays as it is until they end; not while tests are watched, which import the sources.
 */
export default async function build({ vitest }: TestProject): Promise<(() => void) | undefined> {
  execFileSync(process.execPath, [packageFile('build.config.mjs')], { stdio: 'inherit' });
  return vitest.config.watch ? undefined : useDist(packageFile('.cache/dist.lock'));
}
