import { isIP } from 'node:net';

/**
 * Accepted host names of this service. A malicious page can point its own name to our address (DNS
 * rebinding), and a browser would then treat it as ours; so only known names are accepted. Bare addresses
 * cannot be rebound.
 */
export class Hosts {
  readonly #names: ReadonlySet<string>;
  /** The header that was accepted last: most calls have the same. */
  #last: string | undefined;

  /** @param names beside `localhost` */
  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  }

  /** @param header of HTTP's `Host`, with or without a port */
  allows(header: string | undefined): boolean {
    if (header !== undefined && header === this.#last) return true;
    const name = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(header ?? '')?.[1]?.toLowerCase();
    if (name === undefined || name === '') return false;
    const isAllowed = this.#names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
    if (isAllowed) this.#last = header;
    return isAllowed;
  }
}
