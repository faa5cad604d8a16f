import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { inOrder, SHORT_AND_SLOW } from '../support/order.js';

const sorted = (...names: readonly string[]): readonly string[] =>
  inOrder(names.map((name) => ({ moduleId: `/csiflow/test/${name}.test.ts` }))).map(({ moduleId }) =>
    moduleId.slice('/csiflow/test/'.length, -'.test.ts'.length),
  );

test('files that mostly wait are spread among those that work, and end before them', () => {
  const working = ['a', 'b', 'c', 'd', 'e'].map((name) => `state/${name}`);
  expect(sorted('cli/run', 'e2e/demo', ...working)).toEqual([
    ...['cli/run', 'state/a', 'state/b', 'e2e/demo', 'state/c', 'state/d', 'state/e'],
  ]);
});

test('files that are short and slow start first of those that work', () => {
  expect(sorted('cli/run', 'state/a', 'state/b', 'kit/registry')).toEqual([
    ...['cli/run', 'kit/registry', 'state/a', 'state/b'],
  ]);
});

test.each(SHORT_AND_SLOW)('%s, which starts early, exists', (path) => {
  expect(existsSync(packageFile(path))).toBe(true);
});
