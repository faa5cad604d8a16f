import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';

/** Text of each file that CONTRIBUTING.md shows, by its path. */
const shown = new Map(
  [...readFileSync(packageFile('CONTRIBUTING.md'), 'utf8').matchAll(/```ts\n(\/\/ (\S+)\n.*?)```/gs)].map(
    ([, text, name]) => [join(packageFolder, name!), text!],
  ),
);

test('the endpoint and the format of CONTRIBUTING.md compile as the files they name', () => {
  expect(shown.size).toBe(2);
  const { config } = ts.readConfigFile(packageFile('tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, packageFolder);
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const read = host.readFile.bind(host);
  host.readFile = (path) => shown.get(path) ?? read(path);
  host.fileExists = (path) => shown.has(path) || ts.sys.fileExists(path);
  const made = host.getSourceFile.bind(host);
  host.getSourceFile = (path, language, ...rest) => {
    const text = shown.get(path);
    return text === undefined ? made(path, language, ...rest) : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([...shown.keys()], { ...options, incremental: false }, host);
  const problems = [...shown.keys()].flatMap((file) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  expect(
    problems.map(
      ({ file, messageText }) => `${file!.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    ),
  ).toEqual([]);
}, 300_000);
