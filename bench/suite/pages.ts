import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cards } from './cards.js';
import { withTable, writeSuite, type SuiteReport } from './report.js';

/**
 * Writes the shipped parts of a report: docs/reports/suite.*, the model cards, and the table of README where
 * there is one.
 * @param pathOf gives the path to write a file of the repository to
 * @returns the files
 */
export function writePages(report: SuiteReport, pathOf: (path: string) => string): readonly string[] {
  const whole = writeSuite(pathOf('docs/reports'), report);
  const written = [pathOf('docs/reports/suite.md'), pathOf('docs/reports/suite.json')];
  const write = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    written.push(file);
  };
  for (const { path, text } of cards(whole)) write(pathOf(path), text);
  const readme = pathOf('README.md');
  if (existsSync(readme)) write(readme, withTable(readFileSync(readme, 'utf8'), whole));
  return written;
}
