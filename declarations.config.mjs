// Copies to dist/ the declarations that the package's exports reach. TypeScript writes one for each module that their
// sources import, most of which nothing refers to.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { sayWait, updateDist } from './dist.config.mjs';

const root = import.meta.dirname;
const dist = join(root, 'dist');
/** `outDir` of tsconfig.types.json. */
const written = join(root, '.cache/types');

/** Declarations of a module, and of all that it refers to, by path below `written`. */
function reached(file, found = new Map()) {
  if (found.has(file)) return found;
  const text = readFileSync(join(written, file), 'utf8');
  found.set(file, text);
  for (const { fileName } of ts.preProcessFile(text).importedFiles)
    if (fileName.startsWith('.')) reached(join(dirname(file), fileName.replace(/js$/, 'd.ts')), found);
  return found;
}

async function compile() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(exports).map(({ types }) => types.replace('./dist/', ''));
  const declarations = new Map(entries.flatMap((entry) => [...reached(entry)]));
  return new Map([...declarations].map(([file, text]) => [join(dist, file), text]));
}

await updateDist({
  dist,
  lock: join(root, '.cache/dist.lock'),
  compile,
  kept: (others) => others.filter((file) => !file.endsWith('.d.ts')),
  onWait: sayWait,
});
