// Compiles every TypeScript file of the engine to dist/, file by file, so that a stack trace names the same
// file as the source does. Type checking (`npm run types`) and declarations (tsconfig.types.json) are
// separate.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
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
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .filter((file) => !file.startsWith(join(root, 'api/web/page/')));

// TypeBox has 683 small files, which take Node 0.3 s of processor time to load. Bundled, they are five.
const typebox = join(dist, 'typebox');
const typeboxFile = (name) => join(typebox, `${name.slice('typebox/'.length) || 'index'}.js`);

/** Compiled files import the bundled TypeBox. */
const ownTypebox = {
  name: 'own typebox',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const folder = dirname(join(dist, relative(root, path)));
      const contents = readFileSync(path, 'utf8').replace(
        /(?<=^import [^;]*from )'(typebox[/\w]*)'/gm,
        (_, name) => `'${relative(folder, typeboxFile(name))}'`,
      );
      return { contents, loader: 'ts' };
    });
  },
};

const forNode = { outdir: dist, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning' };

await build({
  ...forNode,
  entryPoints: sources,
  outbase: root,
  plugins: [ownTypebox],
  sourcemap: 'linked',
});

const bundled = await build({
  ...forNode,
  entryPoints: Object.fromEntries(
    ['typebox', 'typebox/compile', 'typebox/value'].map((name) => [
      relative(dist, typeboxFile(name)).replace(/\.js$/, ''),
      name,
    ]),
  ),
  bundle: true,
  splitting: true,
  chunkNames: 'typebox/[name]-[hash]',
  metafile: true,
});

// The live page is one script and one style sheet, beside the files that are served unchanged.
const pageSources = join(root, 'api/web/page');
const page = join(dist, 'api/web/page');
const pageFiles = ['index.html', 'favicon.svg', 'api-docs.html', 'api-docs.js'];
await build({
  entryPoints: { page: join(pageSources, 'main.tsx') },
  outdir: page,
  tsconfig: join(pageSources, 'tsconfig.json'),
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
});
mkdirSync(page, { recursive: true });
for (const file of pageFiles) copyFileSync(join(pageSources, file), join(page, file));
// Bundled packages include their licences.
const licences = ['preact', '@preact/signals', '@preact/signals-core', 'uplot', 'openapi-fetch'].map(
  (name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
);
writeFileSync(join(page, 'licences.txt'), licences.join('\n\n'));

// Removes output of deleted sources; not the whole folder, because something may be running from it.
const current = new Set([
  ...sources.map((file) => relative(root, file).replace(/\.ts$/, '')),
  ...['page', 'page.css', 'licences.txt', ...pageFiles].map((file) =>
    relative(dist, join(page, file.replace(/\.js$/, ''))),
  ),
  ...Object.keys(bundled.metafile.outputs).map((file) => relative(dist, resolve(file)).replace(/\.js$/, '')),
]);
for (const file of existsSync(dist) ? filesBelow(dist) : []) {
  if (!current.has(relative(dist, file).replace(/\.js(\.map)?$|\.d\.ts$/, ''))) rmSync(file);
}
