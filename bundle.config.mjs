// Bundles the command line as one script, from the files that are compiled one by one. Starts run it
// (api/cli/bundle/load-bundle.ts); everything else, such as threads, programs and plugins, imports the files
// (docs/decisions/0146-the-command-line-is-bundled.md).
import { createHash } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

/** Own files remain where they are: code that asks for its URL gets that of its file, from the bundle's loader. */
const fileUrl = (file, folder) => `bundledFileUrl('${relative(folder, file)}')`;

/** The call by which program.ts loads a command, and the same for the commands of the bundle. */
const LOADS_COMMAND = 'import(file.href)';
const loadsOneOf = (commands) =>
  `({ ${commands.map((name) => `'${name}': () => import('./commands/${name}.js')`).join(', ')} })[name]()`;

/** Reads from what is compiled, before it is written. Packages that are not bundled load as before. */
const fromCompiled = (compiled, folder, replace) => ({
  name: 'compiled files',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
      if (kind === 'entry-point') return { path };
      return path.startsWith('.') ? { path: join(resolveDir, path) } : { external: true };
    });
    onLoad({ filter: /\.js$/ }, ({ path }) => ({
      contents: replace(path, compiled(path))
        .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
        // Not in texts, where none of these follows.
        .replaceAll(/\bimport\.meta\.url(?=[,;)])/g, fileUrl(path, folder))
        // A script cannot import, with code from a cache; esbuild resolves the rest.
        .replaceAll(/(?<![\w.$'"`])import\((?!\s*["'`]\.)/g, 'bundledImport('),
      loader: 'js',
      resolveDir: dirname(path),
    }));
  },
});

/**
 * The bundle of a compiled file and of all that it imports, and where each line of the bundle comes from.
 * @param compiled returns the text of a compiled file by its path
 * @param commands names of those that the entry loads from the folder `commands` beside it
 * @returns contents by path
 * @throws Error with a file that cannot be part of a bundle in CommonJS
 */
export async function bundleOf({ entry, file, compiled, commands }) {
  const withCommands = (path, text) => {
    if (path !== entry || commands.length === 0) return text;
    if (!text.includes(LOADS_COMMAND)) throw new Error(`${entry} does not call ${LOADS_COMMAND}`);
    return text.replace(LOADS_COMMAND, loadsOneOf(commands));
  };
  const { outputFiles, warnings } = await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none', // in dist/packages/licences.txt
    // A function, which starts in the first line so that lines are those of the map.
    banner: { js: '(function (require, module, bundledFileUrl, bundledImport) {' },
    footer: { js: '})' },
    plugins: [fromCompiled(compiled, dirname(file), withCommands)],
    write: false,
    logLevel: 'warning',
    logOverride: { 'direct-eval': 'silent' }, // of one package
  });
  if (warnings.length > 0) throw new Error(`${relative('.', entry)} cannot be bundled: see above`);
  const [places, { text }] = outputFiles;
  // It is read byte by byte (api/cli/bundle/load-bundle.ts).
  if (/[^\0-\xff]/.test(text)) throw new Error(`${file} must be Latin-1`);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return [
    [file, Buffer.from(`${text}//${hash}\n`, 'latin1')],
    [`${file}.places.json`, places.contents],
  ];
}
