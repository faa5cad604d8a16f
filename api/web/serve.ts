import { readFileSync } from 'node:fs';
import type { Middleware } from 'koa';
import type { CheckedTopology } from '../../pipeline/config/topology.js';
import { packageFile } from '../../pipeline/telemetry/paths.js';

const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/room.js': ['room.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/favicon.svg': ['favicon.svg', 'image/svg+xml'],
} as const;

/** The live page: static files, and `/scene.json` with the rooms that it draws. No credential opens more than the drawing of the walls. */
export function servePage(topology: CheckedTopology): Middleware {
  const contents = new Map(
    Object.entries(FILES).map(([path, [file, type]]) => [
      path,
      { type, body: readFileSync(packageFile(`api/web/page/${file}`)) },
    ]),
  );
  const scene = JSON.stringify(sceneOf(topology));
  return async (context, next) => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return next();
    if (context.path === '/scene.json') {
      context.type = 'application/json';
      context.body = scene;
      return;
    }
    const found = contents.get(context.path);
    if (!found) return next();
    context.type = found.type;
    context.body = found.body;
  };
}

const sceneOf = ({ id, environments }: CheckedTopology): object => ({
  topology: id,
  environments: environments.map(({ id: environment, name, size, walls, zones, links, assumed }) => ({
    id: environment,
    name: name ?? environment,
    size,
    walls,
    zones,
    links: links.map(({ id: link, transmitter, receiver }) => ({ id: link, transmitter, receiver })),
    assumed,
  })),
});
