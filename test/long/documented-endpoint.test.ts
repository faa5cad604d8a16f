import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';

test('the endpoint of CONTRIBUTING.md compiles as the file that it says it is', () => {
  const [, text, name] = /```ts\n(\/\/ (\S+)\n.*?)```/s.exec(
    readFileSync(packageFile('CONTRIBUTING.md'), 'utf8'),
  )!;
  const file = join(packageFolder, name!);
  const { config } = ts.readConfigFile(packageFile('tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, packageFolder);
  const host = ts.createCompilerHost({ ...options, incremental: false });
  const read = host.readFile.bind(host);
  host.readFile = (path) => (path === file ? text : read(path));
  host.fileExists = (path) => path === file || ts.sys.fileExists(path);
  const made = host.getSourceFile.bind(host);
  host.getSourceFile = (path, language, ...rest) =>
    path === file ? ts.createSourceFile(path, text!, language) : made(path, language, ...rest);
  const program = ts.createProgram([file], { ...options, incremental: false }, host);
  const source = program.getSourceFile(file)!;
  const problems = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
}, 120_000);
