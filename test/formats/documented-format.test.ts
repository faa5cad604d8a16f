import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { FILE_FORMATS, MESSAGE_FORMATS, type FileFormat, type Format } from '../../pipeline/formats/index.js';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { formatCases } from '../../pipeline/testing/kit/index.js';
import { anySender } from '../support/recordings.js';
import { temporaryFolder } from '../support/flow.js';
import { cutAll } from './cut.js';

/** The module that CONTRIBUTING.md shows, at the path that it states. */
async function shown(): Promise<{ readonly acme: Format; readonly acmeLog: FileFormat }> {
  const page = readFileSync(packageFile('CONTRIBUTING.md'), 'utf8');
  const [, text, name] = /```ts\n(\/\/ (pipeline\/formats\/\S+)\n.*?)```/s.exec(page)!;
  const { code } = await transform(text!, { loader: 'ts' });
  const place = pathToFileURL(join(packageFolder, name!));
  const linked = code.replace(
    /from "(\.[^"]+)\.js"/g,
    (_, path: string) => `from "${new URL(`${path}.ts`, place).pathname}"`,
  );
  const file = join(temporaryFolder(), 'acme.mjs');
  writeFileSync(file, linked);
  return (await import(file)) as Awaited<ReturnType<typeof shown>>;
}

const { acme, acmeLog } = await shown();
const lines = Array.from(
  { length: 12 },
  (_, i) => `ACME,kitchen,${i},${1_000_000 + 10_000 * i},1 2 3 4 5 6 7 ${i}`,
);

test.each(
  formatCases({
    format: acme,
    records: () => lines.map((line) => ({ bytes: Buffer.from(line) })),
    environments: [anySender],
  }),
)('the format of CONTRIBUTING.md: $name', ({ run }) => run());

test.each(['\n', '\r\n', '\r'])('its kind of file splits a log whose lines end with %j', (end) => {
  const log = Buffer.from(`boot${end}${lines.join(`${end}I (12) wifi${end}`)}${end}`);
  expect(acmeLog.recognise(log)).toBe(true);
  const { records, problems } = cutAll(log, 100, acmeLog)!;
  expect(records.map(({ time }) => time)).toEqual(lines.map((_, i) => 1_000_000 + 10_000 * i));
  expect(problems).toEqual([]);
});

test('it is not among ours yet', () => {
  const names = [...MESSAGE_FORMATS, ...FILE_FORMATS].map(({ name }) => name);
  const taken = [acme.name, acmeLog.name].filter((name) => names.includes(name));
  expect(taken, 'it exists: show another example in CONTRIBUTING.md').toEqual([]);
});
