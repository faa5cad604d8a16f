import type { Middleware } from 'koa';
import Router, { type Layer, type RouterMiddleware } from '@koa/router';

export type Route = Layer;
type Match = ReturnType<Router['match']>;

/**
 * A router that remembers the routes of paths without parameters: otherwise hundreds of patterns would be
 * tried for each call, several times over. Only paths as written in routes, so that their number is limited,
 * and the path of the last call, which several steps of its answer look up.
 */
export class Routes extends Router {
  /** By method, then by path: a text joined of both would be hashed anew at each of several look-ups. */
  readonly #known = new Map<string, Map<string, Match>>();
  #last: { readonly path: string; readonly method: string; readonly found: Match } | null = null;

  /** Adds a route of one path. */
  add(path: string, method: string, middleware: Middleware): Route {
    this.register(path, [method], middleware as RouterMiddleware);
    return this.stack.at(-1)!;
  }

  override match(path: string, method: string): Match {
    const last = this.#last;
    if (last?.path === path && last.method === method) return last.found;
    const found = this.#known.get(method)?.get(path) ?? this.#matchNew(path, method);
    this.#last = { path, method, found };
    return found;
  }

  #matchNew(path: string, method: string): Match {
    const found = super.match(path, method);
    if (found.route && found.path.every((layer) => layer.path === path)) {
      const known = this.#known.get(method) ?? new Map<string, Match>();
      this.#known.set(method, known.set(path, found));
    }
    return found;
  }
}
