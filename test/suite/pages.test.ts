import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cards } from '../../bench/suite/cards.js';
import { readSuite, reportText, withTable } from '../../bench/suite/report.js';
import { packageFile } from '../../pipeline/base/paths.js';

/** The figures are in docs/reports/suite.json; `csiflow evaluate suite --pages` generates pages from them. */

const report = readSuite(packageFile('docs/reports/suite.json'));
const written = (path: string): string => readFileSync(packageFile(path), 'utf8');

it('matches the report generated from the figures', () => {
  expect(written('docs/reports/suite.md')).toBe(reportText(report));
});

it('matches the generated table of README', () => {
  expect(withTable(written('README.md'), report)).toBe(written('README.md'));
});

it('matches the generated cards of the shipped models', () => {
  for (const { path, text } of cards(report)) expect(written(path)).toBe(text);
});
