import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';

test('compiled files import the bundled TypeBox, not its hundreds of files', () => {
  const text = readFileSync(packageFile('dist/pipeline/config/schema/topology-schema.js'), 'utf8');
  expect(text).toContain('from "../../../typebox/index.js"');
  expect(text).not.toContain('from "typebox');
  expect(readdirSync(packageFile('dist/typebox')).length).toBeLessThan(10);
});
