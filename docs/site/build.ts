// Builds the documentation as a static site: `npm run site`. Its files ask nothing of any other host, and can be opened
// from a disk.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { packageFile, packageFolder } from '../../pipeline/base/paths.js';
import { renderSite } from './site.js';

const out = path.resolve(process.argv[2] ?? packageFile('site'));
const { pages, files, sections, problems } = renderSite(packageFolder);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
rmSync(out, { recursive: true, force: true });
const inside = (name: string): string => {
  const file = path.join(out, name);
  mkdirSync(path.dirname(file), { recursive: true });
  return file;
};
for (const [page, html] of pages) writeFileSync(inside(page), html);
for (const [place, file] of files) copyFileSync(packageFile(file), inside(place));
copyFileSync(packageFile('api/web/page/favicon.svg'), inside('favicon.svg'));
await build({
  entryPoints: {
    search: packageFile('docs/site/client/main.ts'),
    site: packageFile('docs/site/client/site.css'),
  },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
});
// A script, because pages that are opened from a disk may not fetch files.
writeFileSync(inside('sections.js'), `globalThis.csiflowSections=${JSON.stringify(sections)};\n`);
process.stdout.write(`${path.relative(process.cwd(), path.join(out, 'index.html'))}: ${pages.size} pages\n`);
