import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

// Code blocks copied from a page must be valid. Topologies are checked by docs.test.ts, commands and options
// by cli/help.test.ts, SQL by sinks/documented-queries.test.ts, TypeScript by long/package.test.ts.

const pages = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** Blocks of a language: location and text. */
const blocks = (language: string): readonly (readonly [location: string, text: string])[] =>
  pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8');
    return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      return [`${page}:${line}`, match[1]!] as const;
    });
  });

describe('blocks of code can be read', () => {
  test.each(blocks('json'))('JSON at %s', (_, text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test.each(blocks('yaml'))('YAML at %s', (_, text) => {
    expect(parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  });

  test.each([...blocks('bash'), ...blocks('sh')])('shell at %s', (_, text) => {
    expect(execFileSync('bash', ['-n'], { input: text, encoding: 'utf8', stdio: 'pipe' })).toBe('');
  });

  test('every block declares its language', () => {
    const bare = pages.flatMap((page) => {
      const fences = readFileSync(page, 'utf8').match(/^```.*$/gm) ?? [];
      return fences.filter((fence, index) => index % 2 === 0 && fence === '```').map(() => page);
    });
    expect(bare).toEqual([]);
  });
});
