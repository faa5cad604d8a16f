import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Tests and the processes that they start get a temporary folder of their own, so that what they leave behind is
 * found, whatever else runs on the machine.
 */
export default function ownTemporaryFolder(): () => void {
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-tests-'));
  // PostgreSQL refuses to run as root: its own user must get to its folder.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => name.startsWith('csiflow'));
    rmSync(folder, { recursive: true, force: true });
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    if (left.length > 0)
      throw new Error(
        `tests left ${left.length} temporary folders, which they must remove: ${left.join(', ')}`,
      );
  };
}
