import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, test } from 'vitest';

/** Without the rules that need types: see rxjs.test.ts. */
const eslint = new ESLint({
  overrideConfigFile: 'eslint.config.mjs',
  overrideConfig: tseslint.configs.disableTypeChecked,
});

async function fragments(code: string): Promise<number> {
  const [result] = await eslint.lintText(code, { filePath: 'test/lint/phrases.test.ts' });
  return result!.messages.filter(({ ruleId }) => ruleId === 'house/whole-phrases').length;
}

test.each([
  '/** Of the transmitter. */ export const a = 1;',
  '/**\n * Of the transmitter:\n * its address.\n */ export const a = 1;',
  "export const a = { description: 'Of the transmitter.' };",
  'export const a = { about: `Of the transmitter ${String(1)}.` };',
])('a description that does not say what it describes is rejected: %s', async (code) => {
  expect(await fragments(code)).toBe(1);
});

test.each([
  '/** The address of the transmitter. */ export const a = 1;',
  '/** Often zero. */ export const a = 1;',
  '/* Of the transmitter. */ export const a = 1;',
  "export const a = { description: 'The address of the transmitter.', title: 'Offline' };",
])('others are accepted: %s', async (code) => {
  expect(await fragments(code)).toBe(0);
});
