import { isIP } from 'node:net';

/**
 * Names that this service answers to. A page of a stranger's can give its own name our address (DNS rebinding) and
 * would then count as ours to a browser; so a name must be known. Bare addresses cannot be rebound.
 */
export class Hosts {
  readonly #names: ReadonlySet<string>;

  /** @param names beside `localhost` */
  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  }

  /** @param header of HTTP's `Host`, with or without a port */
  allows(header: string | undefined): boolean {
    const name = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(header ?? '')?.[1]?.toLowerCase();
    if (name === undefined || name === '') return false;
    return this.#names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  }
}
