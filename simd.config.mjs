// Compiles operators/shared/dense/assembly to WebAssembly, as text in a module: `npm run simd`.
// With --check it writes nothing, and fails where the module is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const HEADER =
  '// Made from assembly/products.ts by `npm run simd`: do not edit.\n' + '/** WebAssembly, base64. */\n';
const folder = join(import.meta.dirname, 'operators/shared/dense');
const file = join(folder, 'products.ts');

let code;
const { error, stderr } = await asc.main(
  ['products.ts', '-o', 'products.wasm', '-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert'],
  {
    readFile: (name) =>
      name === 'products.ts' ? readFileSync(join(folder, 'assembly', name), 'utf8') : null,
    writeFile: (name, contents) => {
      if (name === 'products.wasm') code = contents;
    },
    listFiles: () => [],
  },
);
if (error) throw new Error(`${error.message}\n${stderr.toString()}`);

const text = `${HEADER}export const PRODUCTS =\n  '${Buffer.from(code).toString('base64')}';\n`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error(`${file} is out of date: npm run simd`);
  process.exitCode = 1;
}
