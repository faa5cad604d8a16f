import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../pipeline/state/index.js';
import { lockFile } from '../../pipeline/base/file-lock.js';
import { temporaryFolder } from '../support/flow.js';
import { hasContainers, Holder } from '../support/holder.js';

const holders: Holder[] = [];
afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.kill();
});

function holderOfFolder(folder: string, container: boolean): Holder {
  const take = `module.lockFolder(${JSON.stringify(folder)})`;
  const holder = new Holder('pipeline/state/lock.js', take, { container });
  holders.push(holder);
  return holder;
}

function holderOfFiles(folder: string, container: boolean): Holder {
  const take = `await module.file.create(
    { path: 'out.ndjson', format: 'ndjson', rotate_bytes: 1e9, rotate_ms: 3600000 },
    { folder: ${JSON.stringify(folder)} }).open()`;
  const holder = new Holder('sinks/file.js', take, { container });
  holders.push(holder);
  return holder;
}

describe.skipIf(!hasContainers)('between containers, where both processes have the same pid', () => {
  test('a state folder is held by one process', async () => {
    const folder = temporaryFolder();
    expect(await holderOfFolder(folder, true).printed()).toBe('taken by 1\n');
    expect(await holderOfFolder(folder, true).printed()).toMatch(/^state\.locked .* in use by process 1 on/);
    expect(() => lockFolder(folder)).toThrow(/in use by process 1 on/);
  });

  test('the files of a sink are written by one process', async () => {
    const folder = temporaryFolder();
    expect(await holderOfFiles(folder, true).printed()).toBe('taken by 1\n');
    expect(await holderOfFiles(folder, true).printed()).toMatch(/^store\.locked .* written by process 1 on/);
  });
});

test('a killed process holds no lock', async () => {
  const folder = temporaryFolder();
  const holder = holderOfFolder(folder, false);
  expect(await holder.printed()).toBe(`taken by ${holder.process.pid}\n`);
  await holder.kill();
  expect(existsSync(join(folder, 'lock'))).toBe(true);
  lockFolder(folder)();
});

test('a lock file left by an earlier csiflow is no lock', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock'), '1 5');
  lockFolder(folder)();
});

test('a released lock can be taken again, and leaves no file', () => {
  const file = join(temporaryFolder(), 'lock');
  const release = lockFile(file);
  expect(() => lockFile(file)).toThrow(expect.objectContaining({ code: 'lock.held' }));
  release();
  release();
  expect(existsSync(file)).toBe(false);
  lockFile(file)();
});

test('releasing a lock whose file was deleted does not affect the next one', () => {
  const file = join(temporaryFolder(), 'lock');
  const release = lockFile(file);
  rmSync(file);
  const releaseNext = lockFile(file);
  release();
  expect(() => lockFile(file)).toThrow(expect.objectContaining({ code: 'lock.held' }));
  releaseNext();
});

test.skipIf(!existsSync('/dev/full'))('a lock file that cannot be written is named', () => {
  expect(() => lockFile('/dev/full')).toThrow(/^\/dev\/full cannot be written: E/);
});
