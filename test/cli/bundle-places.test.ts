import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { expect, test } from 'vitest';
import { BundlePlaces } from '../../api/cli/bundle/places.js';
import { packageFile } from '../../pipeline/base/paths.js';

test("places in the bundle of the command line are those of Node's own class", () => {
  const map = JSON.parse(
    readFileSync(packageFile('dist/bundle/program.cjs.places.json'), 'utf8'),
  ) as SourceMapPayload;
  const [places, reference] = [new BundlePlaces(map), new SourceMap(map)];
  const positions = Array.from({ length: 5000 }, (_, i) => [1000 + 23 * i, (7 * i) % 60] as const);
  const expected = positions.map(([line, column]) => {
    const found = reference.findEntry(line, column) as {
      originalSource: string;
      originalLine: number;
      originalColumn: number;
    };
    return { source: found.originalSource, line: found.originalLine, column: found.originalColumn };
  });
  expect(positions.map(([line, column]) => places.find(line, column))).toEqual(expected);
});

test('a line that the bundle does not have has no place', () => {
  expect(new BundlePlaces({ sources: ['a.js'], mappings: 'AAAA' }).find(1, 0)).toBeUndefined();
});
