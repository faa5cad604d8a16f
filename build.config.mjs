// Compiles every TypeScript file of the engine to dist/, file by file, so that a stack trace
// names the same file as the source does. Types are checked apart (`npm run types`), and declared apart (tsconfig.types.json).
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const dist = join(root, 'dist');
const folders = ['pipeline', 'operators', 'sinks', 'api', 'topologies', 'bench'];

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const sources = folders
  .flatMap((folder) => filesBelow(join(root, folder)))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));
// What a page loads is one file.
const forBrowsers = join(root, 'api/client/browser.ts');

await build({
  entryPoints: sources.filter((file) => file !== forBrowsers),
  outdir: dist,
  outbase: root,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'warning',
});

await build({
  entryPoints: [forBrowsers],
  outfile: join(dist, 'api/client/browser.js'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
});

// What is left of removed sources; not the whole folder, which something may be running from.
const current = new Set(sources.map((file) => relative(root, file).replace(/\.ts$/, '')));
for (const file of existsSync(dist) ? filesBelow(dist) : []) {
  if (!current.has(relative(dist, file).replace(/\.js(\.map)?$|\.d\.ts$/, ''))) rmSync(file);
}
