import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_FORMATS, FORMATS, MESSAGE_FORMATS } from '../../pipeline/formats/index.js';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { FILES, SAMPLES } from './samples.js';

const FOLDERS = ['containers', 'devices', 'json'].map((name) => packageFile(`pipeline/formats/${name}`));

interface Named {
  readonly name: string;
}
const isFormat = (value: unknown): value is Named =>
  typeof value === 'object' && value !== null && 'recognise' in value && 'name' in value;

/** Every format, and kind of file, that a module exports, alone or in a list: name and file. */
async function exported(): Promise<readonly { readonly name: string; readonly file: string }[]> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const modules = await Promise.all(
    files.map(async (file) => ({ file, values: Object.values((await import(file)) as object) })),
  );
  return modules.flatMap(({ file, values }) =>
    values
      .flat()
      .filter(isFormat)
      .map(({ name }) => ({ name, file })),
  );
}

test('every format that a file exports is in a list of pipeline/formats/index.ts', async () => {
  const listed = [...MESSAGE_FORMATS, ...FILE_FORMATS].map(({ name }) => name);
  const found = await exported();
  expect(found.length).toBeGreaterThan(40);
  const missing = found
    .filter(({ name }) => !listed.includes(name))
    .map(
      ({ name, file }) => `${name} of ${relative(packageFolder, file)}: add it to FORMATS or FILE_FORMATS`,
    );
  expect(missing).toEqual([]);
});

test('the damage tests cover every kind of file', () => {
  const sampled = [...SAMPLES, ...FILES].map(({ kind }) => kind);
  const missing = FILE_FORMATS.filter(({ name }) => name !== 'capture' && !sampled.includes(name)).map(
    ({ name }) => `${name}: add records to SAMPLES or FILES of test/formats/samples.ts`,
  );
  expect(missing).toEqual([]);
});

test('docs/formats/README.md names every format and kind of file', () => {
  const page = readFileSync(packageFile('docs/formats/README.md'), 'utf8');
  const missing = [...FORMATS.filter(({ variantOf }) => variantOf === undefined), ...FILE_FORMATS]
    .filter(({ name }) => !page.includes(`\`${name}\``))
    .map(({ name }) => `\`${name}\` is missing in the table of docs/formats/README.md`);
  expect(missing).toEqual([]);
});
