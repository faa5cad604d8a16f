import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds dist/ once before the tests: worker threads and child processes of the tests run from there. */
export default function build(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../build.config.mjs', import.meta.url))], {
    stdio: 'inherit',
  });
}
