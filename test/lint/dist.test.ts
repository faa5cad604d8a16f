import { mkdirSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { buildAndUse, filesBelow, INPUTS, stateOf, update, updateDist, useDist } from '../../dist.config.mjs';
import { temporaryFolder } from '../support/flow.js';

let folder: string;
const inDist = (name: string): string => join(folder, 'dist', name);
const lock = (): string => join(folder, 'lock');

beforeEach(() => {
  folder = temporaryFolder();
  // This is the process of a test run, which uses dist/.
  vi.stubEnv('CSIFLOW_USES_DIST', undefined);
  mkdirSync(join(folder, 'dist'));
  writeFileSync(inDist('a.js'), 'old');
  writeFileSync(inDist('a.d.ts'), 'declares');
  return () => {
    vi.unstubAllEnvs();
  };
});

/** Compiles dist/ to one module with these contents. */
const compileTo = (contents: () => string, onWait = (): void => undefined) =>
  updateDist({
    dist: join(folder, 'dist'),
    lock: lock(),
    compile: () => Promise.resolve(new Map([[inDist('a.js'), contents()]])),
    kept: (others) => others.filter((file) => file.endsWith('.d.ts')),
    onWait,
  });

test('a file that is up to date is not written again', () => {
  const { ino } = statSync(inDist('a.js'));
  update(inDist('a.js'), 'old');
  expect(statSync(inDist('a.js')).ino).toBe(ino);
});

test('a process that has opened a file reads it whole, as it was', () => {
  const opened = openSync(inDist('a.js'), 'r');
  update(inDist('a.js'), 'a new one');
  expect(readFileSync(opened, 'utf8')).toBe('old');
  expect(readFileSync(inDist('a.js'), 'utf8')).toBe('a new one');
});

test('what is not compiled any more is removed, what is to remain is not', async () => {
  writeFileSync(inDist('b.js'), 'of a deleted source');
  await compileTo(() => 'new');
  expect(readdirSync(join(folder, 'dist')).sort()).toEqual(['a.d.ts', 'a.js']);
});

test('a compilation that changes nothing does not wait for tests', async () => {
  const end = await useDist(lock());
  await compileTo(() => 'old');
  end();
});

test('a compilation that changes something waits for the end of tests, then compiles what there is by then', async () => {
  const end = await useDist(lock());
  vi.stubEnv('CSIFLOW_USES_DIST', undefined);
  let source = 'new';
  let updated = Promise.resolve();
  await new Promise<void>((resolve) => {
    updated = compileTo(() => source, resolve);
  });
  expect(readFileSync(inDist('a.js'), 'utf8')).toBe('old');
  source = 'newer';
  end();
  await updated;
  expect(readFileSync(inDist('a.js'), 'utf8')).toBe('newer');
});

test('several runs use dist/ at the same time', async () => {
  const [first, second] = [await useDist(lock()), await useDist(lock())];
  first();
  second();
});

test('a compilation in a test, which its own run would wait for, fails', async () => {
  const end = await useDist(lock());
  await expect(compileTo(() => 'new')).rejects.toThrow(
    'sources have changed since this test run compiled them',
  );
  end();
});

test('a compilation reads the sources after the one before it has written', async () => {
  let source = 'new';
  let compiled = (): void => undefined;
  const slow = new Promise<void>((resolve) => (compiled = resolve));
  const first = updateDist({
    dist: join(folder, 'dist'),
    lock: lock(),
    compile: () => slow.then(() => new Map([[inDist('a.js'), 'new']])),
    kept: (others) => others,
    onWait: () => undefined,
  });
  let waits = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (waits = resolve));
  const second = compileTo(() => source, waits);
  // The second finds `new`, too, but not in dist/ yet.
  await waiting;
  source = 'newer';
  compiled();
  await Promise.all([first, second]);
  expect(readFileSync(inDist('a.js'), 'utf8')).toBe('newer');
});

test('a run builds again if sources change before it uses dist/', async () => {
  const source = join(folder, 'sources/a.ts');
  mkdirSync(dirname(source));
  writeFileSync(source, 'old');
  const read: string[] = [];
  const end = await buildAndUse({
    sources: [dirname(source)],
    lock: lock(),
    build: () => {
      read.push(readFileSync(source, 'utf8'));
      if (read.length === 1) writeFileSync(source, 'changed');
    },
  });
  end();
  expect(read).toEqual(['old', 'changed']);
});

test('a source that is removed while they are listed is a change', () => {
  const sources = join(folder, 'dist');
  const before = stateOf([sources]);
  const state = stateOf([sources], (path) => {
    const files = filesBelow(path);
    rmSync(inDist('a.js'));
    return files;
  });
  expect(state).not.toBe(before);
});

test.each(['build.config.mjs', 'package.json'])('%s is watched, because dist/ depends on it', (file) => {
  expect(INPUTS).toContain(file);
  const config = join(folder, file);
  writeFileSync(config, 'old');
  const before = stateOf([config]);
  writeFileSync(config, 'another');
  expect(stateOf([config])).not.toBe(before);
});

test('declarations are written under the lock of dist/', () => {
  const declarations = readFileSync(join(import.meta.dirname, '../../declarations.config.mjs'), 'utf8');
  expect(declarations).toContain('await updateDist({');
  expect(declarations).not.toMatch(/rmSync|writeFileSync|\bupdate\(/);
});
