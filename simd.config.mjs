// Compiles operators/**/assembly/NAME.ts to WebAssembly, as text in the module NAME.wasm.ts beside the folder:
// `npm run simd`. With --check it writes nothing, and fails where a module is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import asc from 'assemblyscript/asc';
import { globSync } from 'tinyglobby';

const OPTIONS = ['-O3', '--enable', 'simd', '--runtime', 'stub', '--noAssert'];

async function compiled(source) {
  let code;
  const { error, stderr } = await asc.main(['kernel.ts', '-o', 'kernel.wasm', ...OPTIONS], {
    readFile: (name) => (name === 'kernel.ts' ? readFileSync(source, 'utf8') : null),
    writeFile: (name, contents) => {
      if (name === 'kernel.wasm') code = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`${source}: ${error.message}\n${stderr.toString()}`);
  return Buffer.from(code).toString('base64');
}

const textOf = async (source) =>
  `// Made from assembly/${basename(source)} by \`npm run simd\`: do not edit.\n` +
  `/** WebAssembly, base64. */\nexport const CODE =\n  '${await compiled(source)}';\n`;

const sources = globSync('operators/**/assembly/*.ts', { cwd: import.meta.dirname, absolute: true });
if (sources.length === 0) throw new Error('there is no operators/**/assembly/*.ts');
for (const source of sources) {
  const file = join(source, '../..', basename(source).replace(/ts$/, 'wasm.ts'));
  const text = await textOf(source);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is out of date: npm run simd`);
    process.exitCode = 1;
  }
}
