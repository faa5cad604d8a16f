import GithubSlugger from 'github-slugger';
import MarkdownIt, { type Token } from 'markdown-it';
import { drawSvg } from '../../pipeline/config/topology/svg/picture.js';
import { pictureOf } from './flowchart.js';
import { highlighted } from './highlight.js';
import { escapeHtml } from '../../pipeline/base/escape-html.js';

/** A heading with the text below it, up to the next one. */
export interface Section {
  /** Empty for the text before the first heading, and for the page's own. */
  readonly anchor: string;
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  /** Anchors of all headings, and of all elements with an id. */
  readonly anchors: ReadonlySet<string>;
}

/** Maps the address of a link or picture of a page to that on the site. */
export type Address = (written: string) => string;

/** Renders a page; anchors are those of GitHub. */
export function renderMarkdown(text: string, address: Address): Rendered {
  const markdown = new MarkdownIt({ html: true, highlight: (code, language) => highlighted(code, language) });
  markdown.renderer.rules['fence'] = (tokens, index, options) => {
    const { content, info } = tokens[index]!;
    if (info.trim() === 'mermaid')
      return `<figure class="graph">${drawSvg(pictureOf(content, 'Flow chart'))}</figure>\n`;
    return codeBlock(options.highlight?.(content, info.trim(), '') ?? '');
  };
  markdown.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>\n';
  markdown.renderer.rules['table_close'] = () => '</table></div>\n';
  const tokens = markdown.parse(text, {});
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const sections: { anchor: string; heading: string; level: number; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = plainText(tokens[index + 1]!);
      const anchor = slugger.slug(heading);
      token.attrSet('id', anchor);
      anchors.add(anchor);
      sections.push({ anchor, heading, level: Number(token.tag.slice(1)), text: '' });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      const section = sections.at(-1);
      if (section) section.text += `${plainText(token)} `;
    } else if (token.type === 'fence') {
      const section = sections.at(-1);
      if (section && token.info.trim() !== 'mermaid') section.text += `${token.content} `;
    }
    for (const child of [token, ...(token.children ?? [])]) {
      if (child.type === 'link_open') child.attrSet('href', address(String(child.attrGet('href'))));
      if (child.type === 'image') child.attrSet('src', address(String(child.attrGet('src'))));
      if (child.type.startsWith('html_')) child.content = withAddresses(child.content, address);
    }
  }
  return {
    title: sections[0]?.heading ?? '',
    html: markdown.renderer.render(tokens, markdown.options, {}),
    sections,
    anchors,
  };
}

/** A file that is shown as it is. */
export function renderCode(file: string, text: string): Rendered {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const html = `<h1>${escapeHtml(name)}</h1>\n<p>The file <code>${escapeHtml(file)}</code>.</p>\n${codeBlock(highlighted(text, /\.(\w+)$/.exec(name)?.[1] ?? ''))}`;
  return {
    title: name,
    html,
    sections: [{ anchor: '', heading: file, level: 1, text }],
    anchors: new Set(),
  };
}

/** Links and pictures that a page writes as HTML. */
const withAddresses = (html: string, address: Address): string =>
  html.replace(
    /\b(src|href)="([^"]+)"/g,
    (_, attribute: string, written: string) => `${attribute}="${address(written)}"`,
  );

const codeBlock = (html: string): string => `<pre tabindex="0"><code>${html}</code></pre>\n`;

const plainText = (token: Token): string =>
  (token.children ?? [])
    .map(({ type, content }) => {
      if (type === 'softbreak' || type === 'hardbreak') return ' ';
      return type === 'html_inline' ? '' : content;
    })
    .join('');
