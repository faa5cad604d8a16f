import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../pipeline/base/paths.js';

/** A fenced block of a page. */
export interface CodeBlock {
  readonly page: string;
  /** Line of its first fence, from 1. */
  readonly line: number;
  /** Empty if the fence names none. */
  readonly language: string;
  readonly text: string;
}

const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...readdirSync(packageFile('docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file))
    .sort(),
];

/** All blocks of README, ARCHITECTURE, CONTRIBUTING and docs/. @throws Error if a fence is not closed */
export const codeBlocks: readonly CodeBlock[] = pages.flatMap((page) => {
  const found: CodeBlock[] = [];
  let open: { line: number; language: string; text: string[]; indent: string } | null = null;
  const lines = readFileSync(packageFile(page), 'utf8').split('\n');
  for (const [index, text] of lines.entries()) {
    const fence = /^(\s*)(?:```|~~~)(.*)$/.exec(text);
    if (!fence) open?.text.push(text.slice(open.indent.length));
    else if (open) {
      found.push({ page, line: open.line, language: open.language, text: `${open.text.join('\n')}\n` });
      open = null;
    } else open = { line: index + 1, language: fence[2]!.trim(), text: [], indent: fence[1]! };
  }
  if (open) throw new Error(`${page}:${open.line}: the block is not closed`);
  return found;
});

export const blocksOf = (language: string): readonly CodeBlock[] =>
  codeBlocks.filter((block) => block.language === language);

/** The file that a block says it is: `// ward.ts` in its first line. */
export const fileOf = ({ text }: CodeBlock): string | null => /^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? null;

/** A program of its own, which test/long/installed-client.test.ts compiles and runs. */
export const CLIENT_PAGE = 'docs/client.md';

/** Modules of a user's project, which test/long/package.test.ts compiles. */
export const projectFiles = (): readonly { readonly file: string; readonly text: string }[] =>
  blocksOf('ts')
    .filter(({ page }) => page.startsWith('docs/') && page !== CLIENT_PAGE)
    .map((block) => {
      const file = fileOf(block);
      if (!file) throw new Error(`${block.page}:${block.line}: begin the block with its file, // name.ts`);
      return { file, text: block.text };
    });
