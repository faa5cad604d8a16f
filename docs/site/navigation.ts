import MarkdownIt from 'markdown-it';

/** A part of the documentation, as `docs/README.md` lists it: `Guides`, `Reference`. */
export interface Part {
  readonly title: string;
  readonly groups: readonly {
    /** The word before the colon of an item; empty if there is none. */
    readonly title: string;
    /** Addresses of its links to pages, in order. */
    readonly links: readonly string[];
  }[];
}

/** The order of the site: headings of the second level, the items below them, and their links. */
export function navigationOf(readme: string): readonly Part[] {
  const parts: { title: string; groups: { title: string; links: string[] }[] }[] = [];
  const tokens = new MarkdownIt().parse(readme, {});
  for (const [index, { type, tag }] of tokens.entries()) {
    const children = tokens[index + 1]?.children ?? [];
    if (type === 'heading_open' && tag === 'h2') {
      const [title] = tokens[index + 1]!.content.split(':');
      parts.push({ title: title!, groups: [] });
    }
    if (type === 'paragraph_open' && tokens[index - 1]?.type === 'list_item_open') {
      const first = children[0]?.type === 'text' ? /^([^:]+): /.exec(children[0].content) : null;
      const links = children
        .filter((child) => child.type === 'link_open')
        .map((child) => String(child.attrGet('href')))
        .filter((href) => !/^\w+:/.test(href) && !href.includes('#'));
      if (links.length > 0) parts.at(-1)?.groups.push({ title: first?.[1] ?? '', links });
    }
  }
  return parts;
}
