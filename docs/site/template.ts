import type { Rendered } from './markdown.js';
import { escapeHtml } from '../../pipeline/base/escape-html.js';

export interface Entry {
  readonly title: string;
  readonly page: string;
  readonly children?: readonly Entry[];
}

/** The parts of the site, with their groups and pages. */
export type Menu = readonly {
  readonly title: string;
  readonly groups: readonly { readonly title: string; readonly entries: readonly Entry[] }[];
}[];

export interface Shown {
  readonly page: string;
  readonly rendered: Rendered;
  readonly menu: Menu;
  /** The pages before and after this one in the menu. */
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
  /** Relative address of a page or file of the site. */
  readonly address: (to: string) => string;
}

/** A page as HTML. It loads files of the site only, by relative addresses, so that it also works from a disk. */
export function htmlOf(shown: Shown): string {
  const { rendered, address, page } = shown;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(rendered.title)} · csiflow</title>
<link rel="icon" href="${address('favicon.svg')}">
<link rel="stylesheet" href="${address('site.css')}">
<script>document.documentElement.dataset.theme = localStorage.getItem('csiflow-theme') ?? '';</script>
</head>
<body data-root="${address('.')}">
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${address('index.html')}">csiflow</a>
<div class="search" role="search">
<input id="search" type="search" role="combobox" aria-label="Search" aria-expanded="false" aria-controls="results" aria-autocomplete="list" autocomplete="off" placeholder="Search ( / )">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
<p id="found" role="status"></p>
</div>
<button id="theme" type="button" title="Light or dark">Theme</button>
</header>
<div class="columns">
<nav aria-label="Pages"><details id="menu"><summary>All pages</summary>
${menuOf(shown)}
</details></nav>
<main id="content" tabindex="-1">
${rendered.html}${onwards(shown)}</main>
${contentsOf(rendered)}
</div>
<script src="${address('search.js')}" data-page="${escapeHtml(page)}"></script>
</body>
</html>
`;
}

function menuOf(shown: Shown): string {
  const holdsPage = (entry: Entry): boolean =>
    entry.page === shown.page || (entry.children ?? []).some(holdsPage);
  const listOf = (entries: readonly Entry[]): string =>
    `<ul>${entries.map((entry) => `<li>${linkTo(shown, entry)}${holdsPage(entry) && entry.children ? listOf(entry.children) : ''}</li>`).join('\n')}</ul>`;
  return shown.menu
    .map(
      ({ title, groups }) =>
        `<h2>${escapeHtml(title)}</h2>\n${groups
          .map(
            (group) => `${group.title ? `<h3>${escapeHtml(group.title)}</h3>` : ''}${listOf(group.entries)}`,
          )
          .join('\n')}`,
    )
    .join('\n');
}

const linkTo = ({ page, address }: Shown, entry: Entry): string =>
  `<a href="${address(entry.page)}"${entry.page === page ? ' aria-current="page"' : ''}>${escapeHtml(entry.title)}</a>`;

function onwards(shown: Shown): string {
  const { before, after } = shown;
  if (!before && !after) return '';
  return `<p class="onwards">${before ? `<span>Before: ${linkTo(shown, before)}</span>` : ''}${after ? `<span>Next: ${linkTo(shown, after)}</span>` : ''}</p>\n`;
}

/** Headings of the second and third level, if there are enough to choose from. */
function contentsOf({ sections }: Rendered): string {
  const listed = sections.filter(({ level, anchor }) => anchor && (level === 2 || level === 3));
  if (listed.length < 3) return '';
  const items = listed.map(
    ({ level, anchor, heading }) =>
      `<li class="level-${level}"><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('\n')}</ul></nav>`;
}
