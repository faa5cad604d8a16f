import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import ts from 'typescript';
import { LONG_FILES, LONG_FUNCTIONS } from '../../lengths.config.mjs';

const linesOf = (path: string): number => readFileSync(path, 'utf8').trimEnd().split('\n').length;

test.each(Object.keys(LONG_FILES))('%s is still longer than 300 lines', (path) => {
  expect(linesOf(path)).toBeGreaterThan(300);
});

/** Number of lines of the longest function of a file. */
function longestFunction(path: string): number {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  let longest = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const [first, last] = [node.getStart(source), node.end].map(
        (at) => source.getLineAndCharacterOfPosition(at).line,
      );
      longest = Math.max(longest, last! - first! + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return longest;
}

test.each(Object.keys(LONG_FUNCTIONS))('%s still has a function of more than 60 lines', (path) => {
  expect(longestFunction(path)).toBeGreaterThan(60);
});
