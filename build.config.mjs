// Compiles every TypeScript file of the engine to dist/, file by file, and bundles the command line for its start.
// Type checking (`npm run types`) and declarations (tsconfig.types.json) are
// separate.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { bundleOf } from './bundle.config.mjs';
import { SOURCES, filesBelow, sayWait, update, updateDist } from './dist.config.mjs';

const root = import.meta.dirname;
const dist = join(root, 'dist');

/** Code of browsers, which is bundled. */
const PAGES = ['api/web/page/', 'docs/site/client/'];
/** Code of WebAssembly, see simd.config.mjs. */
const ASSEMBLY = /^operators[\\/].*[\\/]assembly[\\/]/;

const sourcesNow = () =>
  SOURCES.flatMap((folder) => filesBelow(join(root, folder)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .filter((file) => !PAGES.some((folder) => file.startsWith(join(root, folder))))
    .filter((file) => !ASSEMBLY.test(relative(root, file)));

// Packages that most starts load. As they are published, they are 1,700 files, which take Node half a second of
// processor time to find and load; bundled, they are forty. Packages with native parts load those as before.
// OpenTelemetry is bundled for its size, 28 MB: no dependency installs it.
const PACKAGES = [
  ...['typebox', 'typebox/compile', 'typebox/value', 'rxjs', 'yaml', 'ajv', 'ajv-formats', 'csv-parse/sync'],
  ...['koa', '@koa/router', '@koa/cors', '@koa/bodyparser', 'koa-compress', 'koa-jwt', 'jsonwebtoken', 'ws'],
  ...['rate-limiter-flexible', 'prom-client', '@marcbachmann/cel-js', 'fast-png'],
  ...['ipaddr.js', 'tinyglobby', '@duckdb/node-api'],
  ...['@opentelemetry/api', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'],
];
// Packages of which there must be one instance, since native backends register with it. Imported, Node would read
// their megabyte of CommonJS for its names, 0.15 s of processor time in each thread; so they are required.
const REQUIRED = ['@tensorflow/tfjs-core'];
const NATIVE = ['@duckdb/node-bindings', 'bufferutil', 'utf-8-validate'];
const packages = join(dist, 'packages');
const packageOutput = (name) => join(packages, `${name.replace('@', '').replaceAll('/', '-')}.js`);

/** Compiled files import the bundled and the required packages. */
const bundledPackages = {
  name: 'bundled packages',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const folder = dirname(join(dist, relative(root, path)));
      const contents = readFileSync(path, 'utf8').replace(
        /(?<=^(?:import|export|}) [^;]*from |import\()'([@\w./-]+)'/gm,
        (written, name) =>
          [...PACKAGES, ...REQUIRED].includes(name) ? `'${relative(folder, packageOutput(name))}'` : written,
      );
      return { contents, loader: 'ts' };
    });
  },
};

const namesOf = async (name) => Object.keys(await import(name)).filter((key) => /^\w+$/.test(key));

/** Writes a module that exports what a package does: a bundle of CommonJS by itself has no names. */
const entries = join(root, 'node_modules/.cache/csiflow/packages');
const packageEntry = async (name) => {
  const names = await namesOf(name);
  const entry = join(entries, relative(packages, packageOutput(name)).replace(/js$/, 'mjs'));
  update(entry, `export { ${names.join(', ')} } from '${name}';\n`);
  return entry;
};

const forNode = {
  outdir: dist,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  write: false,
};

const contentsOf = ({ outputFiles }) => outputFiles.map(({ path, contents }) => [path, contents]);

const compiled = () =>
  build({
    ...forNode,
    entryPoints: sourcesNow(),
    outbase: root,
    plugins: [bundledPackages],
    sourcemap: 'linked',
  });

const bundled = async () =>
  build({
    ...forNode,
    entryPoints: await Promise.all(PACKAGES.map(packageEntry)),
    outdir: packages,
    bundle: true,
    splitting: true,
    minify: true,
    // Stack traces and errors name classes and functions.
    keepNames: true,
    external: NATIVE,
    conditions: [], // what Node itself would load
    // CommonJS asks for Node's own modules when it runs.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
    },
    metafile: true,
  });

const required = async (name) => {
  const names = (await namesOf(name)).filter((key) => key !== 'default');
  const text = `import { createRequire } from 'node:module';
export const { ${names.join(', ')} } = createRequire(import.meta.url)('${name}');
`;
  return [packageOutput(name), text];
};

const licenceOf = (folder) => {
  const text = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [`${name} ${version} (${license})`, ...text].join('\n\n');
};

/** What is bundled includes its licences. */
const licencesOf = ({ metafile }) => {
  const folders = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).flatMap(
      (file) => /^.*node_modules\/(?!\.)(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
    ),
  );
  return [join(packages, 'licences.txt'), [...new Set(folders)].sort().map(licenceOf).join('\n\n')];
};

// The live page is one script and one style sheet, beside the files that are served unchanged.
const pageSources = join(root, 'api/web/page');
const page = join(dist, 'api/web/page');
const pageFiles = ['index.html', 'favicon.svg', 'notifications.js', 'api-docs.html', 'api-docs.js'];
const pageBundle = () =>
  build({
    entryPoints: { page: join(pageSources, 'main.tsx') },
    outdir: page,
    tsconfig: join(pageSources, 'tsconfig.json'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'warning',
    write: false,
  });
// The reader of the API. As a dependency it would bring a package that reports installations to its maker.
const reader = join(root, 'node_modules/swagger-ui-dist');
const readerFiles = ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css'];
/** Without the name of its map, which is not copied. */
const readerText = (file) =>
  readFileSync(join(reader, file), 'utf8').replace(/\n\/[/*]# sourceMappingURL=.*\s*$/, '\n');
// What is shipped as part of the page includes its licences.
const licenceFiles = [
  ...['preact', '@preact/signals', '@preact/signals-core', 'uplot', 'openapi-fetch'].map(
    (name) => `${name}/LICENSE`,
  ),
  ...['LICENSE', 'NOTICE', ...readerFiles.slice(0, 2).map((file) => `${file}.LICENSE.txt`)].map(
    (file) => `swagger-ui-dist/${file}`,
  ),
];
const pageLicences = () =>
  licenceFiles
    .map(
      (file) =>
        `${file.replace(/\/LICENSE$/, '')}\n\n${readFileSync(join(root, 'node_modules', file), 'utf8')}`,
    )
    .join('\n\n');

async function commandLine(compiledFiles) {
  const compiledText = (file) => Buffer.from(compiledFiles.get(file)).toString();
  const list = compiledText(join(dist, 'api/cli/bundle/bundled-commands.js'));
  const { BUNDLED_COMMANDS } = await import(`data:text/javascript,${encodeURIComponent(list)}`);
  return bundleOf({
    entry: join(dist, 'api/cli/program.js'),
    file: join(dist, 'bundle/program.cjs'),
    compiled: compiledText,
    commands: BUNDLED_COMMANDS,
  });
}

/** Contents of dist/, by path. */
async function compile() {
  const [modules, shared, script, ...own] = await Promise.all([
    compiled(),
    bundled(),
    pageBundle(),
    ...REQUIRED.map(required),
  ]);
  const compiledFiles = new Map([...[modules, shared].flatMap(contentsOf), ...own]);
  return new Map([
    ...compiledFiles,
    ...contentsOf(script),
    ...(await commandLine(compiledFiles)),
    licencesOf(shared),
    ...pageFiles.map((file) => [join(page, file), readFileSync(join(pageSources, file))]),
    ...readerFiles.map((file) => [join(page, file), readerText(file)]),
    [join(page, 'licences.txt'), pageLicences()],
  ]);
}

/** Declarations (declarations.config.mjs) remain while their sources do. */
function kept(others) {
  const declarations = new Set(
    sourcesNow().map((file) => join(dist, relative(root, file)).replace(/\.ts$/, '.d.ts')),
  );
  return others.filter((file) => declarations.has(file));
}

await updateDist({
  dist,
  lock: join(root, '.cache/dist.lock'),
  compile,
  kept,
  onWait: sayWait,
});
