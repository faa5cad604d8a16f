import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { docsPages } from '../../pipeline/config/index.js';
import { outputFile } from '../../pipeline/base/paths.js';
import { ResultMessage } from '../../pipeline/formats/json/result-schema.js';
import { components } from '../components.js';
import { dictionaryPage } from './dictionary-page.js';

const FOLDER = 'docs/components';

/** Pages of the components, the data dictionary, and the JSON schema of results as messages. */
const allPages = () => [
  ...docsPages(components),
  dictionaryPage(components),
  { path: 'docs/schemas/kafka-results.json', text: `${JSON.stringify(ResultMessage, null, 2)}\n` },
];

/** Writes the generated pages, and removes those of components that no longer exist. */
export function writeDocs(): readonly string[] {
  const pages = allPages();
  for (const { path, text } of pages) {
    const file = outputFile(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const path of leftOver(pages.map((page) => page.path))) rmSync(outputFile(path));
  return pages.map((page) => page.path);
}

/** Paths of pages that are missing or changed, or whose component no longer exists. */
export function staleDocs(): readonly string[] {
  const pages = allPages();
  const changed = pages.filter(({ path, text }) => {
    const file = outputFile(path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  return [...changed.map((page) => page.path), ...leftOver(pages.map((page) => page.path))];
}

function leftOver(written: readonly string[]): readonly string[] {
  const folder = outputFile(FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(FOLDER, name))
    .filter((path) => path.endsWith('.md') && !written.includes(path));
}
