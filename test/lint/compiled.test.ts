import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { seeded } from '../../pipeline/base/random.js';

const compiled = readdirSync(packageFile('dist'), { recursive: true, encoding: 'utf8' })
  .filter(
    (file) =>
      /^(api|bench|pipeline|operators|sinks)\/.*\.js$/.test(file) && !file.startsWith('api/web/page/'),
  )
  .map((file) => ({ file, text: readFileSync(join(packageFile('dist'), file), 'utf8') }));

/** Packages that compiled files import by name. */
const imported = compiled.flatMap(({ file, text }) =>
  [
    ...text.matchAll(
      /(?:^(?:import|export) (?:[^;"']* from )?|import\()["'](?!node:)((?:@[\w-]+\/)?[\w.-]+)[^"']*["']/gm,
    ),
  ]
    .map(([, name]) => ({ file, name: name! }))
    .filter(({ name }) => !name.startsWith('.') && !isBuiltin(name)),
);

test('compiled files import bundled packages, not their hundreds of files', () => {
  const bundled = ['typebox', 'rxjs', 'yaml', 'koa', 'ws', 'ajv', '@duckdb/node-api', 'jsonwebtoken'];
  expect(imported.filter(({ name }) => bundled.includes(name))).toEqual([]);
  expect(compiled.length).toBeGreaterThan(500);
  expect(readdirSync(packageFile('dist/packages')).length).toBeLessThan(60);
});

test('the thread of the network loads no package but those that compute, so that it starts soon', () => {
  const loaded = loadedBy('operators/infer-pose/serving/worker.js');
  expect(loaded.filter((file) => file.startsWith('packages/'))).toEqual(['packages/tensorflow-tfjs-core.js']);
  expect(loaded).toContain('operators/infer-pose/networks/network.js');
});

/** A compiled file and all that it imports, except what it imports while it runs. */
function loadedBy(file: string): readonly string[] {
  const loaded = new Set([file]);
  for (const importer of loaded) {
    const text = compiled.find((one) => one.file === importer)?.text ?? '';
    for (const [, path] of text.matchAll(/^(?:(?:import|export|}) (?:[^;"']* from )?)["'](\.[^"']+)["']/gm))
      loaded.add(join(dirname(importer), path!));
  }
  return [...loaded];
}

test('compiled files import only packages that an installation brings, or may bring', () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(packageFile('package.json'), 'utf8'),
  ) as Record<'dependencies' | 'peerDependencies', Record<string, string>>;
  expect(imported.filter(({ name }) => !(name in dependencies) && !(name in peerDependencies))).toEqual([]);
  expect(imported.map(({ name }) => name)).toContain('commander');
});

test('bundled packages bring their licences', () => {
  const licences = readFileSync(packageFile('dist/packages/licences.txt'), 'utf8');
  for (const name of ['rxjs', 'koa', '@opentelemetry/exporter-trace-otlp-http'])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|Apache-2\\.0)\\)$`, 'm'));
});

test.skipIf(process.env['VITEST_MODE'] === 'WATCH')('tests import compiled files', async () => {
  const file = pathToFileURL(packageFile('dist/pipeline/base/random.js')).href;
  expect(seeded).toBe(((await import(file)) as { seeded: unknown }).seeded);
});
