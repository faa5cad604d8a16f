import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { csiflowWith } from '../support/csiflow.js';
import { temporaryFolder } from '../support/flow.js';

const page = readFileSync(packageFile('docs/receivers.md'), 'utf8');
const commands = [...page.matchAll(/`((?:[A-Z_]+=\S+ )*)csiflow run (topologies\/\S+)`/g)].map(
  ([command, variables, file]) => ({ command, variables: variables!, file: file! }),
);

const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => {
        const [name, value] = one.split('=') as [string, string];
        return [name, value.replace('$PWD', temporaryFolder())] as const;
      }),
  );

// The first one loads the whole command line.
test.each(commands)('$command is valid', { timeout: 60_000 }, async ({ variables, file }) => {
  const set = variablesOf(variables);
  const text = readFileSync(packageFile(file), 'utf8');
  for (const [name, value] of Object.entries(set)) {
    expect(text, `${file} does not read it`).toContain(`\${${name}`);
    if (name === 'CSIFLOW_FILE') expect(value, 'it would be relative to the topology').toMatch(/^\//);
  }
  const { code, output } = await csiflowWith(set, 'validate', packageFile(file));
  expect(code, output).toBe(0);
});

test('the page names each shipped topology', () => {
  const shipped = readdirSync(packageFile('topologies')).filter((name) => /^[^.]+\.yaml$/.test(name));
  const named = new Set(['topologies/demo.yaml', ...commands.map(({ file }) => file)]);
  expect([...named].sort()).toEqual(shipped.map((name) => `topologies/${name}`).sort());
});
