import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { bundleOf } from '../../bundle.config.mjs';
import { packageFile } from '../../pipeline/base/paths.js';
import { temporaryFolder } from '../support/flow.js';

/** Two modules, as bundled; the second one throws in its second line. */
async function bundled(folder: string): Promise<string> {
  const modules = new Map([
    [
      'entry.js',
      "import { thrown } from './part.js';\nexport const url = import.meta.url;\nexport { thrown };\nexport const late = () => import('node:path');\n",
    ],
    ['part.js', "export function thrown() {\n  return new TypeError('made');\n}\n"],
  ]);
  const file = join(folder, 'bundle/program.cjs');
  const outputs = await bundleOf({
    entry: join(folder, 'entry.js'),
    file,
    compiled: (path) => modules.get(path.slice(folder.length + 1))!,
    commands: [],
  });
  mkdirSync(dirname(file));
  for (const [path, contents] of outputs) writeFileSync(path, contents);
  return file;
}

/** Loads a bundle in a process of its own, and returns what that prints. */
function load(bundle: string, code: string | null, print: string): string {
  const [loader, stacks] = ['load-bundle', 'stack-traces'].map(
    (name) => pathToFileURL(packageFile(`dist/api/cli/bundle/${name}.js`)).href,
  );
  const program = `import { loadBundle } from ${JSON.stringify(loader)};
import { nameBundledFiles } from ${JSON.stringify(stacks)};
const bundle = ${JSON.stringify(bundle)};
const program = loadBundle(bundle, 'run', ${JSON.stringify(code)});
${print}`;
  const options = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout;
}

const PRINT_URL = 'console.log(program.url)';
const PRINT_STACK = 'nameBundledFiles(bundle); console.log(program.thrown().stack)';

test('a bundle runs, and its modules have the URLs of their own files', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  expect(load(bundle, null, PRINT_URL)).toBe(`${pathToFileURL(join(folder, 'entry.js')).href}\n`);
});

test('stack traces name the files that were bundled', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  const [heading, place] = load(bundle, null, PRINT_STACK).split('\n');
  expect(heading).toBe('TypeError: made');
  expect(place).toBe(`    at Object.thrown (${pathToFileURL(join(folder, 'part.js')).href}:2:10)`);
});

test('stack traces name the bundle if the places in it cannot be read', async () => {
  const bundle = await bundled(temporaryFolder());
  writeFileSync(`${bundle}.places.json`, '{');
  expect(load(bundle, null, PRINT_STACK).split('\n')[1]).toContain(`thrown (${bundle}:`);
});

test('errors of Node itself are shown with their code, as without a bundle', async () => {
  const bundle = await bundled(temporaryFolder());
  const thrown = `try { Buffer.alloc('4'); } catch (error) { console.log(error.stack.split('\\n')[0]); }`;
  expect(load(bundle, null, `nameBundledFiles(bundle); ${thrown}`)).toBe(load(bundle, null, thrown));
});

test.each([
  ['an aborted operation', 'AbortSignal.abort().reason'],
  ['a command that failed', "Object.assign(new Error('made'), { code: 1 })"],
])('the error of %s, whose code is a number, is shown as without a bundle', async (_of, error) => {
  const bundle = await bundled(temporaryFolder());
  const shown = `console.log((${error}).stack.split('\\n')[0]);`;
  expect(load(bundle, null, `nameBundledFiles(bundle); ${shown}`)).toBe(load(bundle, null, shown));
});

test('compiled code is kept for the next start, which its owner alone can read', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  const code = join(folder, 'code');
  load(bundle, code, PRINT_URL);
  const [name] = readdirSync(code);
  const file = join(code, name!);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const kept = readFileSync(file);
  utimesSync(file, 1, 1);
  expect(load(bundle, code, PRINT_STACK)).toContain('TypeError: made');
  // It was used, so it was not written anew.
  expect(statSync(file).mtimeMs).toBe(1000);
  expect(readFileSync(file).equals(kept)).toBe(true);
  expect(readdirSync(code)).toEqual([name]);
});

test('what a bundle imports while it runs is found, with kept code too', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  const print = 'console.log((await program.late()).sep)';
  const starts = ['first', 'second'].map(() => load(bundle, join(folder, 'code'), print));
  expect(starts).toEqual([`${sep}\n`, `${sep}\n`]);
});

test('two copies of a bundle keep code of their own, so that each one names its own files', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  const bundle = await bundled(folder);
  cpSync(folder, other, { recursive: true });
  const code = join(folder, 'code');
  const trace = load(bundle, code, PRINT_STACK);
  expect(load(join(other, 'bundle/program.cjs'), code, PRINT_STACK)).toBe(trace.replaceAll(folder, other));
});

test('damaged code is not run, but replaced', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  const code = join(folder, 'code');
  load(bundle, code, PRINT_URL);
  const file = join(code, readdirSync(code)[0]!);
  const { size } = statSync(file);
  truncateSync(file, size / 2);
  expect(load(bundle, code, PRINT_URL)).toContain('entry.js');
  expect(statSync(file).size).toBe(size);
});

test('where kept code cannot be read, a bundle runs all the same', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  const code = join(folder, 'code');
  load(bundle, code, PRINT_URL);
  // A folder in its place cannot be read as a file, not even by root.
  const file = join(code, readdirSync(code)[0]!);
  rmSync(file);
  mkdirSync(file);
  expect(load(bundle, code, PRINT_URL)).toContain('entry.js');
});

test('the code of sixteen versions and commands is kept', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  const code = join(folder, 'code');
  mkdirSync(code);
  for (let index = 0; index < 20; index++) {
    const file = join(code, `run-${index}.code`);
    writeFileSync(file, '');
    utimesSync(file, index + 1, index + 1);
  }
  load(bundle, code, PRINT_URL);
  const left = readdirSync(code);
  expect(left).toHaveLength(16);
  expect(left).not.toContain('run-4.code');
  expect(left).toContain('run-5.code');
});

test('without a folder that can be written, a bundle runs all the same', async () => {
  const folder = temporaryFolder();
  const bundle = await bundled(folder);
  writeFileSync(join(folder, 'file'), '');
  expect(load(bundle, join(folder, 'file/code'), PRINT_URL)).toContain('entry.js');
});

test('an unexpected error of a bundled command names the same line as without the bundle', () => {
  const file = packageFile('dist/api/cli/program.js');
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = 1 + lines.findIndex((text) => text.includes('const asked = words[0];'));
  const stack = load(
    packageFile('dist/bundle/program.cjs'),
    null,
    'nameBundledFiles(bundle); await program.runCommandLine(null).catch((error) => console.log(error.stack));',
  );
  expect(stack).toContain(`.runCommandLine (${pathToFileURL(file).href}:${line}:`);
});
