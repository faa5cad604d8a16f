import { Linter } from 'eslint';
import { expect, test } from 'vitest';
import { house } from '../../house.config.mjs';

/** The rule alone: loading the whole configuration takes seconds. */
const linter = new Linter();
const fragments = (code: string): number =>
  linter.verify(code, [{ plugins: { house }, rules: { 'house/whole-phrases': 'error' } }]).length;

test.each([
  '/** Of the transmitter. */ export const a = 1;',
  '/**\n * Of the transmitter:\n * its address.\n */ export const a = 1;',
  "export const a = { description: 'Of the transmitter.' };",
  'export const a = { about: `Of the transmitter ${String(1)}.` };',
])('a description that does not say what it describes is rejected: %s', (code) => {
  expect(fragments(code)).toBe(1);
});

test.each([
  '/** The address of the transmitter. */ export const a = 1;',
  '/** Often zero. */ export const a = 1;',
  '/* Of the transmitter. */ export const a = 1;',
  "export const a = { description: 'The address of the transmitter.', title: 'Offline' };",
])('others are accepted: %s', (code) => {
  expect(fragments(code)).toBe(0);
});
