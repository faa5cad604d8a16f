import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';

const compiled = readdirSync(packageFile('dist'), { recursive: true, encoding: 'utf8' })
  .filter(
    (file) => /^(api|pipeline|operators|sinks)\/.*\.js$/.test(file) && !file.startsWith('api/web/page/'),
  )
  .map((file) => ({ file, text: readFileSync(join(packageFile('dist'), file), 'utf8') }));

test('compiled files import bundled packages, not their hundreds of files', () => {
  const bundled = /(?:from |import\()["'](typebox|rxjs|yaml|koa|ws|ajv|@duckdb\/node-api|jsonwebtoken)[/"']/;
  expect(compiled.filter(({ text }) => bundled.test(text)).map(({ file }) => file)).toEqual([]);
  expect(compiled.length).toBeGreaterThan(500);
  expect(readdirSync(packageFile('dist/packages')).length).toBeLessThan(60);
});
