import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, test } from 'vitest';

/**
 * The project's rules without those that need the types of the whole program: loading it takes half a minute.
 */
const eslint = new ESLint({
  overrideConfigFile: 'eslint.config.mjs',
  overrideConfig: tseslint.configs.disableTypeChecked,
});

async function messages(code: string): Promise<readonly string[]> {
  const [result] = await eslint.lintText(code, { filePath: 'test/lint/rxjs.test.ts' });
  return result!.messages.map(({ ruleId }) => String(ruleId));
}

test('an operator with a bounded queue is accepted', async () => {
  expect(await messages("import { map } from 'rxjs'; map(() => 1);")).toEqual([]);
});

test.each([
  "import { mergeMap } from 'rxjs'; mergeMap(() => []);",
  "import { mergeMap } from 'rxjs/internal/operators/mergeMap'; mergeMap(() => []);",
  "import { map } from 'rxjs/operators'; map(() => 1);",
  "import * as rx from 'rxjs'; rx.map(() => 1);",
  "export * from 'rxjs';",
])('an operator with an unbounded queue is rejected by %s', async (code) => {
  expect((await messages(code)).filter((rule) => rule.startsWith('no-restricted'))).toHaveLength(1);
});
