import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

/** Rules alone, without the types of a whole program. */
async function messages(code: string): Promise<readonly string[]> {
  const eslint = new ESLint({ overrideConfigFile: 'eslint.config.mjs' });
  const [result] = await eslint.lintText(code, { filePath: 'test/lint/rxjs.test.ts' });
  return result!.messages.map(({ ruleId }) => String(ruleId));
}

test.each([
  "import { mergeMap } from 'rxjs'; mergeMap(() => []);",
  "import { mergeMap } from 'rxjs/internal/operators/mergeMap'; mergeMap(() => []);",
  "import { map } from 'rxjs/operators'; map(() => 1);",
  "import * as rx from 'rxjs'; rx.map(() => 1);",
  "export * from 'rxjs';",
])(
  'an operator with an unbounded queue is not let in by %s',
  async (code) => {
    expect((await messages(code)).filter((rule) => rule.startsWith('no-restricted'))).toHaveLength(1);
  },
  60_000,
);
