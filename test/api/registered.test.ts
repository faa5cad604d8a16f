import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { packageFile } from '../../pipeline/base/paths.js';

interface Route {
  readonly method: string;
  readonly path: string;
}
const isEndpoint = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'handle' in value;

test('every endpoint that a file of api/rest exports is served', async () => {
  const folder = packageFile('dist/api/rest');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.endsWith('.worker.js'),
  );
  const missing = await Promise.all(
    files.map(async (file) => {
      const values = Object.values((await import(join(folder, file))) as object).flat() as unknown[];
      return values
        .filter(isEndpoint)
        .filter((endpoint) => !ENDPOINTS.some((served) => served === endpoint))
        .map(
          ({ method, path }) =>
            `${method} ${path} of api/rest/${file.replace(/js$/, 'ts')}: add it to its resource's list`,
        );
    }),
  );
  expect(missing.flat(), 'ENDPOINTS of api/rest/endpoints.ts contains the list of each resource').toEqual([]);
});

const pages = readdirSync(packageFile('docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !/^(decisions|reports)/.test(file))
  .map((file) => readFileSync(packageFile(`docs/${file}`), 'utf8'));

/** A path as pages write it: any name for a parameter. */
const written = (path: string) => path.replace(/:\w+/g, '[^/\\s`]+');

/** A page names it in full (`POST /a/{id}/start`), or its last part behind a sibling (`/stop`) on one line. */
function isDescribed(path: string): boolean {
  const [, parent, last] = /^(.*)\/([^/]+)$/.exec(path)!;
  const inFull = new RegExp(`(?<=[\\s\`(]|/v1)${written(path)}(?![\\w/{-])`);
  const behind = new RegExp(`${written(parent!)}/[^/\\s\`]+\`.*\`/${last!}\``);
  return pages.some((page) => inFull.test(page) || behind.test(page));
}

test('every endpoint is on a page of docs/', () => {
  const missing = ENDPOINTS.filter(({ path }) => !isDescribed(path)).map(
    ({ method, path }) => `${method} ${path}: describe it on the page of its resource in docs/`,
  );
  expect(missing).toEqual([]);
});

test('an endpoint that no page names is found', () => {
  const paths = ['/analytics/tides', '/topologies/:id/melt', '/latest', '/pose/latest/:id'];
  expect(paths.filter(isDescribed)).toEqual([]);
});

test('the example endpoint of CONTRIBUTING.md does not exist yet', () => {
  const page = readFileSync(packageFile('CONTRIBUTING.md'), 'utf8');
  const [, file] = /\/\/ (api\/rest\/\S+)/.exec(page)!;
  const [, path] = /^ {2}path: '(\S+)',$/m.exec(page)!;
  const [, list] = /^export const (\w+) = /m.exec(page)!;
  const taken = [
    ...(existsSync(packageFile(file!)) ? [file] : []),
    ...ENDPOINTS.map((endpoint) => endpoint.path).filter((one) => one === path),
    ...(readFileSync(packageFile('api/rest/endpoints.ts'), 'utf8').includes(list!) ? [list] : []),
  ];
  expect(taken, 'it exists: show another example in CONTRIBUTING.md').toEqual([]);
});
