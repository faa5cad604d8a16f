import Router from '@koa/router';

type Match = ReturnType<Router['match']>;

/**
 * A router that remembers the routes of paths without parameters: otherwise hundreds of patterns would be
 * tried for each call, several times over. Only paths as written in routes, so that their number is limited,
 * and the path of the last call, which several steps of its answer look up.
 */
export class Routes extends Router {
  readonly #known = new Map<string, Match>();
  #last: { readonly key: string; readonly found: Match } | null = null;

  override match(path: string, method: string): Match {
    const key = `${method} ${path}`;
    const known = this.#known.get(key);
    if (known) return known;
    if (this.#last?.key === key) return this.#last.found;
    const found = super.match(path, method);
    this.#last = { key, found };
    if (found.route && found.path.every((layer) => layer.path === path)) this.#known.set(key, found);
    return found;
  }
}
