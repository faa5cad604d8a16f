import { readFileSync } from 'node:fs';
import type { Middleware } from 'koa';
import { SKELETON } from '../../pipeline/model/index.js';
import type { CheckedTopology } from '../../pipeline/config/topology/topology.js';
import { hasStore, posesOf } from '../service/deployment/environments.js';
import { packageFile } from '../../pipeline/base/paths.js';

const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/notifications.js': ['notifications.js', 'text/javascript; charset=utf-8'],
  '/favicon.svg': ['favicon.svg', 'image/svg+xml'],
} as const;

/**
 * The live page: static files, and `/scene.json` with the rooms of all topologies. Without a credential they
 * reveal at most the drawing of the walls; see `requireLogin`.
 */
export function servePage(topologies: () => readonly CheckedTopology[]): Middleware {
  const contents = new Map(
    Object.entries(FILES).map(([path, [file, type]]) => [
      path,
      { type, body: readFileSync(packageFile(`dist/api/web/page/${file}`)) },
    ]),
  );
  return async (context, next) => {
    const reads = context.method === 'GET' || context.method === 'HEAD';
    if (reads && context.path === '/scene.json') {
      context.body = { skeleton: SKELETON, environments: topologies().flatMap(roomsOf) };
      return;
    }
    const found = reads ? contents.get(context.path) : undefined;
    if (!found) {
      await next();
      return;
    }
    context.type = found.type;
    context.body = found.body;
  };
}

const roomsOf = (checked: CheckedTopology): readonly object[] =>
  checked.environments.map(({ id, name, size, walls, zones, links, assumed }) => ({
    id,
    topology: checked.id,
    name: name ?? id,
    size,
    walls,
    zones,
    links: links.map(({ id: link, transmitter, receiver }) => ({ id: link, transmitter, receiver })),
    assumed,
    poses: posesOf(checked),
    stored: hasStore(checked),
  }));
