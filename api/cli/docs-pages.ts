import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { docsPages, loadTopology, toSvg } from '../../pipeline/config/index.js';
import { outputFile, packageFile } from '../../pipeline/base/paths.js';
import { ResultMessage } from '../../pipeline/formats/json/result-schema.js';
import { components } from '../components.js';
import { exportName } from './export-names.js';
import { dictionaryPage } from './dictionary-page.js';

const PICTURES = 'docs/images/topologies';
/** Folders of nothing but generated files. */
const FOLDERS = ['docs/components', PICTURES];

/** Pages of the components, the data dictionary, the JSON schema of results as messages, and pictures of topologies. */
const allPages = () => [
  ...docsPages(components, exportName),
  dictionaryPage(components),
  ...pictures(),
  { path: 'docs/schemas/kafka-results.json', text: `${JSON.stringify(ResultMessage, null, 2)}\n` },
];

/** The graph of each topology that ships. */
function pictures() {
  const files = readdirSync(packageFile('topologies')).filter((file) => /^[^.]+\.yaml$/.test(file));
  return files.map((file) => {
    const { topology, problems } = loadTopology(packageFile(`topologies/${file}`), components, { env: {} });
    if (!topology) throw new Error(problems.map(({ message }) => message).join('\n'));
    return { path: `${PICTURES}/${file.replace(/yaml$/, 'svg')}`, text: toSvg(topology) };
  });
}

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
  return FOLDERS.filter((folder) => existsSync(outputFile(folder)))
    .flatMap((folder) =>
      readdirSync(outputFile(folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((path) => /\.(md|svg)$/.test(path) && !written.includes(path));
}
