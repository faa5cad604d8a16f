// Compiles every TypeScript file of the engine to dist/, file by file, so that a stack trace
// names the same file as the source does. Types are checked apart (`npm run types`).
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const folders = ['pipeline', 'operators', 'sinks', 'api', 'topologies', 'bench'];

const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name)),
);

rmSync(join(root, 'dist'), { recursive: true, force: true });
await build({
  entryPoints: sources,
  outdir: join(root, 'dist'),
  outbase: root,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'warning',
});
