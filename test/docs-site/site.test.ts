import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFolder } from '../../pipeline/base/paths.js';
import { pictureOf } from '../../docs/site/flowchart.js';
import { renderSite } from '../../docs/site/site.js';
import { temporaryFolder } from '../support/flow.js';

const README = `# Documentation

## Guides: how to do something

- Build: [topologies](topology.md), [components](components/)
`;

/** A project with these pages beside the ones that every project has. */
function project(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  const common = {
    ...Object.fromEntries(
      ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((file) => [file, '# Page\n']),
    ),
    'docs/README.md': README,
    'docs/topology.md': '# Topology files\n',
    'docs/components/udp.md': '# udp\n',
    'docs/operating/one.yaml': 'id: one\n',
    'docs/schemas/one.json': '{}\n',
    'topologies/demo.yaml': 'id: demo\n',
  };
  for (const [file, text] of Object.entries({ ...common, ...files })) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}

const linking = (text: string) =>
  renderSite(project({ 'docs/topology.md': `# Topology files\n\n${text}\n` }));

describe('the pages of csiflow', () => {
  const site = renderSite(packageFolder);

  test('every link and anchor leads somewhere, and the menu has every page', () => {
    expect(site.problems).toEqual([]);
    expect(site.pages.size).toBeGreaterThan(200);
  });

  test('no page loads anything from another host', () => {
    const loaded = [...site.pages].flatMap(([page, html]) =>
      [...html.matchAll(/<(?:script|link|img|source|iframe)\b[^>]*?(?:src|href)="([^"]+)"/g)].map(
        ([, address]) => `${page}: ${address!}`,
      ),
    );
    expect(loaded.filter((line) => /: (?:\w+:)?\/\//.test(line))).toEqual([]);
    expect(loaded.length).toBeGreaterThan(site.pages.size);
  });

  test('the search has sections of pages, with their anchors', () => {
    expect(site.sections.map(([address]) => address)).toContain('operating.html#back-up');
  });
});

describe('the check of links', () => {
  test.each([
    ['[gone](gone.md)', 'docs/topology.md: gone.md leads nowhere'],
    ['[gone](../topologies/gone.yaml)', 'docs/topology.md: ../topologies/gone.yaml leads nowhere'],
    ['![gone](images/gone.png)', 'docs/topology.md: images/gone.png leads nowhere'],
    ['<img src="images/gone.png" width="9">', 'docs/topology.md: images/gone.png leads nowhere'],
    ['Here: <a href="gone.md">gone</a>', 'docs/topology.md: gone.md leads nowhere'],
    ['[gone](#gone)', 'docs/topology.md: docs/topology.md has no heading #gone'],
    ['[gone](README.md#gone)', 'docs/topology.md: docs/README.md has no heading #gone'],
  ])('reports %s', (text, problem) => {
    expect(linking(text).problems).toEqual([problem]);
  });

  test('reports a page that the menu lacks', () => {
    expect(renderSite(project({ 'docs/new.md': '# New\n' })).problems).toEqual([
      'docs/README.md: does not list docs/new.md',
    ]);
  });
});

test.each([
  ['[x](README.md)', 'href="index.html"'],
  ['[x](README.md#guides-how-to-do-something)', 'href="index.html#guides-how-to-do-something"'],
  ['[x](components/udp.md)', 'href="components/udp.html"'],
  ['[x](components/)', 'href="components/udp.html"'],
  ['[x](../README.md)', 'href="project/README.html"'],
  ['[x](../topologies/demo.yaml)', 'href="project/topologies/demo.yaml.html"'],
  ['[x](https://example.com/)', 'href="https://example.com/"'],
  ['[x](#topology-files)', 'href="#topology-files"'],
])('%s becomes %s', (text, html) => {
  const { pages, problems } = linking(text);
  expect(problems).toEqual([]);
  expect(pages.get('topology.html')).toContain(html);
});

test('code and text are escaped, flow charts are drawn', () => {
  const { pages } = linking(
    '`<b>`\n\n```text\n<script>\n```\n\n```mermaid\nflowchart LR\n  a([udp]) --> b[x & y]\n```',
  );
  const html = pages.get('topology.html')!;
  expect(html).toContain('<code>&lt;b&gt;</code>');
  expect(html).toContain('&lt;script&gt;');
  expect(html).toMatch(/<svg [^>]*role="img"[^]*x &amp; y/);
});

test('a flow chart has shapes, dashed lines and their labels', () => {
  expect(pictureOf('flowchart LR\n  a([udp]) --> b\n  b -. offline .-> c[(duckdb)]\n', 'x')).toEqual({
    title: 'x',
    nodes: [
      { id: 'a', label: 'udp', kind: 'source' },
      { id: 'b', label: 'b', kind: 'operator' },
      { id: 'c', label: 'duckdb', kind: 'sink' },
    ],
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c', label: 'offline', dashed: true },
    ],
  });
  expect(() => pictureOf('flowchart LR\n  a{b} --> c\n', 'x')).toThrow('not a node of a flowchart: a{b}');
});
