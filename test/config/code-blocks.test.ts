import { transformSync } from 'esbuild';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { compileRecordFilter } from '../../operators/shared/expression.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { signature } from '../../sinks/webhook/signature.js';
import { pictureOf } from '../../docs/site/flowchart.js';
import {
  blocksOf,
  CLIENT_PAGE,
  codeBlocks,
  fileOf,
  projectFiles,
  type CodeBlock,
} from '../support/code-blocks.js';

// Code that is copied from a page must work. Further tests: topologies in docs.test.ts, commands and options in
// cli/help.test.ts, and those that CHECKS names.

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** A check for each language; a block of another one fails. */
const CHECKS: Readonly<Record<string, (block: CodeBlock) => void>> = {
  json: ({ text }) => {
    JSON.parse(text);
  },
  yaml: ({ text }) => {
    expect(parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  },
  bash: shell,
  sh: shell,
  cron: ({ text }) => {
    for (const line of text.trim().split('\n')) {
      const [, command] = /^(?:[\d*,/-]+ ){5}(.+)$/.exec(line)!;
      shell({ text: command! });
    }
  },
  http: ({ text }) => {
    if (/^\w+ \S+ HTTP\/1\.1\n/.test(text)) messageOf(text);
    else for (const line of text.trim().split('\n')) requestOf(line);
  },
  // Compiled by long/documented-examples.test.ts, long/installed-client.test.ts and long/package.test.ts.
  ts: (block) => {
    transformSync(block.text, { loader: 'ts' });
    if (block.page !== CLIENT_PAGE) expect(fileOf(block), 'its first line names its file').not.toBeNull();
  },
  js: ({ text }) => {
    transformSync(text, { loader: 'js' });
  },
  python: ({ text }) => {
    if (hasPython) python("import sys; compile(sys.stdin.read(), 'block', 'exec')", text);
  },
  // Run by sinks/documented-queries.test.ts, and in services by documented-influxql, influxdb3 and postgresql.
  sql: ({ page }) => {
    const pages = ['stores', 'formats/tables', 'influxdb', 'line-protocol', 'postgresql'];
    expect(pages.map((name) => `docs/${name}.md`)).toContain(page);
  },
  cel: ({ text }) => {
    compileRecordFilter(text.trim());
  },
  mermaid: ({ text }) => {
    expect(pictureOf(text, '').edges.length).toBeGreaterThan(0);
  },
  // Output, and files of other programs.
  text: ({ text }) => {
    expect(text.trim()).not.toBe('');
  },
};

function shell({ text }: { readonly text: string }): void {
  expect(execFileSync('bash', ['-n'], { input: text, encoding: 'utf8', stdio: 'pipe' })).toBe('');
  const { scripts } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { scripts: object };
  for (const [, script] of text.matchAll(/npm run (?:-s |--silent )?([\w:]+)/g))
    expect(Object.keys(scripts)).toContain(script);
}

/** Runs a program, whose standard input is `text`. */
const python = (program: string, text: string, ...words: readonly string[]): string =>
  execFileSync('python3', ['-c', program, ...words], { input: text, encoding: 'utf8', stdio: 'pipe' });

/** A request line, headers, an empty line, and a body of JSON. */
function messageOf(text: string): { readonly headers: ReadonlyMap<string, string>; readonly body: string } {
  const [head, body] = text.split('\n\n');
  const headers = head!.split('\n').slice(1);
  for (const header of headers) expect(header).toMatch(/^[A-Z][\w-]+: \S/);
  JSON.parse(body!);
  return {
    headers: new Map(headers.map((line) => line.split(': ') as [string, string])),
    body: body!.trim(),
  };
}

/** `POST /api/v1/webhooks {"url": ...} 201`: an endpoint, a body of JSON, and the status of its answer. */
function requestOf(line: string): void {
  const [, method, path, body] = /^([A-Z]+)\s+\/api\/v1(\/\S+)\s+(\{.*\})?\s*\d{3}$/.exec(line)!;
  const shape = path!.replace(/\{(\w+)\}/g, ':$1');
  expect(ENDPOINTS.map((one) => `${one.method} ${one.path}`)).toContain(`${method} ${shape}`);
  if (body) JSON.parse(body);
}

test.each(codeBlocks)('the block $language at $page:$line works', (block) => {
  expect(Object.keys(CHECKS), 'add a check for this language').toContain(block.language);
  CHECKS[block.language]!(block);
});

test('the TypeScript of the pages has one file for each name', () => {
  const files = projectFiles().map(({ file }) => file);
  expect(files.length).toBeGreaterThan(8);
  expect(new Set(files).size).toBe(files.length);
});

test('the drawing of the README shows the topology above it', () => {
  const page = codeBlocks.filter(({ page }) => page === 'README.md');
  const drawn = pictureOf(page.find(({ language }) => language === 'mermaid')!.text, '');
  const shown = parse(page.find(({ language }) => language === 'yaml')!.text) as Record<
    'sources' | 'operators' | 'sinks',
    Record<string, { type: string; from?: string | string[] }>
  >;
  const nodes = Object.entries({ ...shown.sources, ...shown.operators, ...shown.sinks });
  const edges = nodes.flatMap(([id, { from = [] }]) => [from].flat().map((one) => `${one} ${id}`));
  expect(drawn.edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(edges.sort());
  expect(drawn.nodes.map(({ id, label }) => [id, label]).sort()).toEqual(
    nodes.map(([id, { type }]) => [id, type]).sort(),
  );
});

describe('the receivers of docs/webhooks.md accept a signed request and no other', () => {
  const of = (language: string) => blocksOf(language).find(({ page }) => page === 'docs/webhooks.md')!.text;
  const { body } = messageOf(blocksOf('http').find(({ text }) => text.includes('HTTP/1.1'))!.text);
  const secret = 'at least 16 characters';
  const now = Math.floor(Date.now() / 1000);
  const calls: readonly (readonly [
    name: string,
    genuine: boolean,
    time: number,
    sent: string,
    key: string,
  ])[] = [
    ['signed', true, now, body, secret],
    ['signed with another secret', false, now, body, 'another secret of 16'],
    ['with another body', false, now, body.replace('high', 'low'), secret],
    ['an hour old', false, now - 3600, body, secret],
  ];

  test.each(calls)('in JavaScript: %s', async (_, genuine, time, sent, key) => {
    const module = `data:text/javascript,${encodeURIComponent(`${of('js')}\nexport { isGenuine };`)}`;
    const { isGenuine } = (await import(/* @vite-ignore */ module)) as {
      readonly isGenuine: (headers: Record<string, string>, body: string, secret: string) => boolean;
    };
    const headers = { 'csiflow-timestamp': `${time}`, 'csiflow-signature': signature(key, time, body) };
    expect(isGenuine(headers, sent, secret)).toBe(genuine);
  });

  test.skipIf(!hasPython).each(calls)('in Python: %s', (_, genuine, time, sent, key) => {
    const program = `${of('python')}
import sys
headers = {"Csiflow-Timestamp": sys.argv[1], "Csiflow-Signature": sys.argv[2]}
print(is_genuine(headers, sys.stdin.buffer.read(), sys.argv[3].encode()))`;
    const printed = python(program, sent, `${time}`, signature(key, time, body), secret);
    expect(printed.trim()).toBe(genuine ? 'True' : 'False');
  });
});
