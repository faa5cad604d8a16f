import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { NO_KEYS, openState } from '../../pipeline/state/index.js';
import { file } from '../../sinks/file.js';
import { openDatabase } from '../../sinks/shared/database.js';
import { openWriter } from '../../sinks/shared/writer.js';
import { testContext } from '../support/context.js';
import { temporaryFolder } from '../support/flow.js';
import { measure } from '../support/records.js';

/** Opens and writes, like a start. */
async function writeTo(folder: string): Promise<void> {
  const { context } = testContext({ folder });
  const config = { path: 'out.ndjson', format: 'ndjson', rotate_bytes: 1e9, rotate_ms: 3_600_000 } as const;
  const sink: Sink = file.create(config, context);
  await sink.open();
  try {
    await sink.write([measure(1)], 1);
  } finally {
    await sink.close();
  }
}

const MOUNTED_KB = 300;
const mounts = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MOUNTED_KB}k`, 'tmpfs', folder]).status === 0;
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-disk-'));
  const can = mounts(folder) && spawnSync('umount', [folder]).status === 0;
  rmdirSync(folder);
  return can;
})();

describe.skipIf(!canMount)('on a disk that is full at the start', () => {
  let disk: string;
  beforeEach(() => {
    disk = temporaryFolder();
    mounts(disk);
  });
  afterEach(() => {
    spawnSync('umount', [disk]);
  });
  const leave = (kilobytes: number): void => {
    writeFileSync(join(disk, 'fill'), Buffer.alloc((MOUNTED_KB - kilobytes) * 1024));
  };
  const limits = { memoryLimitBytes: 2 ** 26, walLimitBytes: 2 ** 20 };

  test('a file sink names its file', async () => {
    leave(4);
    await expect(writeTo(disk)).rejects.toMatchObject({
      code: 'ENOSPC',
      message: expect.stringMatching(/out\.ndjson\.index: ENOSPC/) as string,
    });
  });

  test('a DuckDB store names its file, and leaves none that the next start would call damaged', async () => {
    leave(12);
    const path = join(disk, 'store.duckdb');
    await expect(openDatabase(path, limits)).rejects.toMatchObject({
      code: 'ENOSPC',
      message: expect.stringContaining(path) as string,
    });
    expect(existsSync(path)).toBe(false);
  });

  test('a DuckDB store that failed to open is opened once there is space: this process holds no lock', async () => {
    const path = join(disk, 'store.duckdb');
    const store = await openWriter(path, limits);
    store.connection.closeSync();
    await store.database.close();
    const free = MOUNTED_KB - Math.ceil(statSync(path).size / 1024) - 8;
    writeFileSync(join(disk, 'fill'), Buffer.alloc(free * 1024));
    const fails = openWriter(path, limits, async (connection) => {
      await connection.run("CREATE TABLE large AS SELECT repeat('x', 1000) AS text FROM range(1000)");
    });
    await expect(fails).rejects.toThrow(/space/);
    rmSync(join(disk, 'fill'));
    const again = await openWriter(path, limits);
    again.connection.closeSync();
    await again.database.close();
  });

  test.each([8, 24])(
    'a state folder with %s kB left is named, and created when there is space',
    async (left) => {
      const folder = join(disk, 'state');
      mkdirSync(folder, { mode: 0o700 });
      leave(left);
      await expect(openState(folder, 'test', NO_KEYS)).rejects.toMatchObject({
        code: 'state.write',
        message: expect.stringContaining(`left at ${folder}`) as string,
      });
      writeFileSync(join(disk, 'fill'), '');
      await (await openState(folder, 'test', NO_KEYS)).close();
    },
  );
});
