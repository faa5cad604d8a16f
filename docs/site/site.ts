import { existsSync } from 'node:fs';
import path from 'node:path';
import { renderCode, renderMarkdown, type Rendered } from './markdown.js';
import { navigationOf } from './navigation.js';
import { addressFrom, readSources, targetOf, type Source } from './pages.js';
import { htmlOf, type Entry, type Menu } from './template.js';

export interface RenderedSite {
  /** HTML by page. */
  readonly pages: ReadonlyMap<string, string>;
  /** Files to copy: from the root of the project, by place on the site. */
  readonly files: ReadonlyMap<string, string>;
  /** What the search finds: address, page title, heading and text of each section. */
  readonly sections: readonly (readonly [address: string, title: string, heading: string, text: string])[];
  /** Links that lead nowhere, and pages that the menu lacks. */
  readonly problems: readonly string[];
}

const MENU = 'docs/README.md';

/** Not listed one by one: the folder has an index. */
const isIndexed = (file: string): boolean => /^docs\/(components|formats|decisions)\/.+\.md$/.test(file);

/** Renders all pages of a project, and checks each link and anchor. */
export function renderSite(root: string): RenderedSite {
  const sources = readSources(root);
  const problems: string[] = [];
  const files = new Map<string, string>();
  const links: { readonly from: string; readonly file: string; readonly anchor: string }[] = [];
  const rendered = new Map<string, Rendered>();
  const fileOf = (from: string, written: string): Source | null => {
    const [link] = written.split('#');
    const file = link === '' ? from : targetOf(root, from, link!);
    const source = sources.get(file) ?? listOf(sources, file);
    if (source) return source;
    if (existsSync(path.join(root, file)) && !file.endsWith('/')) files.set(placeOf(file), file);
    else problems.push(`${from}: ${written} leads nowhere`);
    return null;
  };
  for (const { file, page, text } of sources.values()) {
    const address = (written: string): string => {
      if (/^[a-z]+:/.test(written)) return written;
      const target = fileOf(file, written);
      const [link, anchor = ''] = written.split('#');
      if (!target) return addressFrom(page, placeOf(targetOf(root, file, link!)));
      links.push({ from: file, file: target.file, anchor });
      return `${link === '' ? '' : addressFrom(page, target.page)}${anchor && `#${anchor}`}`;
    };
    rendered.set(file, file.endsWith('.md') ? renderMarkdown(text, address) : renderCode(file, text));
  }
  for (const { from, file, anchor } of links) {
    if (anchor && !rendered.get(file)?.anchors.has(anchor))
      problems.push(`${from}: ${file} has no heading #${anchor}`);
  }
  const menu = menuOf(root, sources, rendered, problems);
  return {
    pages: pagesOf(sources, rendered, menu),
    files,
    sections: sectionsOf(sources, rendered),
    problems,
  };
}

/** A link to a folder without a page of its own leads to the first page in it. */
const listOf = (sources: ReadonlyMap<string, Source>, folder: string): Source | undefined =>
  folder.endsWith('/') ? [...sources.values()].find(({ file }) => file.startsWith(folder)) : undefined;

const placeOf = (file: string): string => file.replace(/^docs\//, '');

function menuOf(
  root: string,
  sources: ReadonlyMap<string, Source>,
  rendered: ReadonlyMap<string, Rendered>,
  problems: string[],
): Menu {
  const entryOf = ({ file, page }: Source): Entry => ({ title: rendered.get(file)!.title, page });
  const below = (folder: string, but: string): readonly Source[] =>
    [...sources.values()].filter(
      ({ file }) => file.startsWith(folder) && file.endsWith('.md') && file !== but,
    );
  const listed = new Set<string>([MENU]);
  const menu = navigationOf(sources.get(MENU)!.text).map(({ title, groups }) => ({
    title,
    groups: groups.map((group) => ({
      title: group.title,
      entries: group.links.flatMap((link): readonly Entry[] => {
        const target = targetOf(root, MENU, link);
        listed.add(target);
        const source = sources.get(target);
        const inFolder =
          target.endsWith('/') || isIndexed(target) ? below(target.replace(/[^/]+$/, ''), target) : [];
        for (const { file } of inFolder) listed.add(file);
        if (!source) return inFolder.map(entryOf);
        return [
          inFolder.length > 0 ? { ...entryOf(source), children: inFolder.map(entryOf) } : entryOf(source),
        ];
      }),
    })),
  }));
  for (const { file } of below('docs/', MENU)) {
    if (!listed.has(file)) problems.push(`${MENU}: does not list ${file}`);
  }
  return menu;
}

function pagesOf(
  sources: ReadonlyMap<string, Source>,
  rendered: ReadonlyMap<string, Rendered>,
  menu: Menu,
): ReadonlyMap<string, string> {
  const order = menu.flatMap(({ groups }) =>
    groups.flatMap(({ entries }) => entries.flatMap((entry) => [entry, ...(entry.children ?? [])])),
  );
  return new Map(
    [...sources.values()].map(({ file, page }) => {
      const at = order.findIndex((entry) => entry.page === page);
      const html = htmlOf({
        page,
        rendered: rendered.get(file)!,
        menu,
        before: order[at - 1],
        after: at < 0 ? undefined : order[at + 1],
        address: (to) => addressFrom(page, to),
      });
      return [page, html];
    }),
  );
}

const sectionsOf = (
  sources: ReadonlyMap<string, Source>,
  rendered: ReadonlyMap<string, Rendered>,
): RenderedSite['sections'] =>
  [...sources.values()].flatMap(({ file, page }) => {
    if (file.endsWith('.json')) return [];
    const { title, sections } = rendered.get(file)!;
    return sections.map(
      ({ anchor, heading, level, text }) =>
        [level === 1 || !anchor ? page : `${page}#${anchor}`, title, heading, text.trim()] as const,
    );
  });
