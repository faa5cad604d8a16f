import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** A page of the site: a Markdown file, or a file of the project that pages show. */
export interface Source {
  /** From the root of the project: `docs/topology.md`. */
  readonly file: string;
  /** From the root of the site: `topology.html`. */
  readonly page: string;
  readonly text: string;
}

/** Pages of the project itself, which `docs/` links to. */
const PROJECT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Files that are shown as code. */
const CODE = /\.(?:ya?ml|json|ts|iql|service|conf|npmrc)$/;
const CODE_FOLDERS = ['topologies', 'docs/operating', 'docs/schemas'];

/** All pages, by file. */
export function readSources(root: string): ReadonlyMap<string, Source> {
  const below = (folder: string): readonly string[] =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
      .sort();
  const files = [
    ...PROJECT,
    ...below('docs').filter((file) => file.endsWith('.md')),
    ...CODE_FOLDERS.flatMap(below).filter((file) => CODE.test(file)),
  ];
  return new Map(
    files.map((file) => [
      file,
      { file, page: pageOf(file), text: readFileSync(path.join(root, file), 'utf8') },
    ]),
  );
}

/** `docs/` is the root of the site; everything else is below `project/`. */
function pageOf(file: string): string {
  const [, inDocs] = /^docs\/(.*)$/.exec(file) ?? [];
  const named = (inDocs ?? `project/${file}`).replace(/\.md$/, '');
  return `${inDocs === undefined ? named : named.replace(/(^|\/)README$/, '$1index')}.html`;
}

/** The file that a link within `file` leads to; a folder leads to its first page. */
export function targetOf(root: string, file: string, link: string): string {
  const target = path.posix.join(path.posix.dirname(file), decodeURI(link)).replace(/\/$/, '');
  const full = path.join(root, target);
  if (!existsSync(full) || !statSync(full).isDirectory()) return target;
  return `${target}/${existsSync(path.join(full, 'README.md')) ? 'README.md' : ''}`;
}

/** The relative address of a page, from another one. */
export function addressFrom(page: string, to: string): string {
  return path.posix.relative(path.posix.dirname(page), to) || path.posix.basename(to);
}
