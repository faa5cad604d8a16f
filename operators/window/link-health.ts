import type { Context } from '../../pipeline/component/index.js';
import type { LinkFault, LinkQuality, Window } from '../../pipeline/model/index.js';

/** Message for each fault: the problem, and what to check. */
export const FAULTS_EXPLAINED: Readonly<Record<LinkFault, string>> = {
  noise: 'its frames are noise: check its antenna, its distance, and that its sender is the one named',
  frozen: 'it repeats one frame: restart its receiver',
  silent: 'its frames are all zeros: restart its receiver',
  unsteady:
    'its level jumps from frame to frame: check its antenna, and that it receives only its own sender',
};

/** State of the links, for metrics, the log and status pages, from the newest windows. */
export class LinkHealth {
  readonly #context: Context;
  /** By environment and link. */
  readonly #links = new Map<string, Map<string, LinkQuality>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds a window. A link missing from it has fallen silent: its state is unknown. */
  see({ environment, links }: Window): void {
    const known = this.#links.get(environment) ?? new Map<string, LinkQuality>();
    this.#links.set(environment, known);
    let changed = false;
    for (const { id, quality } of links) {
      const before = known.get(id);
      if (before === quality) continue;
      known.set(id, quality);
      this.#measure(id, quality);
      changed ||= (before?.fault ?? null) !== quality.fault;
      this.#log(id, before?.fault ?? null, quality);
    }
    if (known.size > links.length) {
      const here = new Set(links.map(({ id }) => id));
      for (const [id, { fault }] of known) {
        if (here.has(id)) continue;
        known.delete(id);
        this.#measure(id, null);
        changed ||= fault !== null;
      }
    }
    if (changed) this.#context.degrade(this.#problem());
  }

  describe(): Readonly<Record<string, unknown>> {
    const links = [...this.#links.values()].flatMap((known) => [...known]);
    return {
      links: Object.fromEntries(
        links.map(([id, { snrDb, fault }]) => [
          id,
          { snr_db: Number.isFinite(snrDb) ? snrDb : null, usable: fault === null, fault },
        ]),
      ),
    };
  }

  #measure(link: string, quality: LinkQuality | null): void {
    const { metrics } = this.#context;
    metrics.gauge('link_snr_db', quality?.snrDb ?? NaN, { link });
    metrics.gauge('link_usable', quality === null ? NaN : quality.fault === null ? 1 : 0, { link });
  }

  #log(link: string, before: LinkFault | null, { fault, snrDb }: LinkQuality): void {
    if (fault === before) return;
    const { log } = this.#context;
    if (fault === null) log.info('a link is usable again', { link, snr_db: snrDb });
    else log.warn('a link is faulty and ignored', { link, fault, snr_db: snrDb });
  }

  /** For people: the first bad link, its fault, and the number of others. */
  #problem(): string | null {
    const bad = [...this.#links.values()].flatMap((known) =>
      [...known].flatMap(([id, { fault }]) => (fault === null ? [] : [{ id, fault }])),
    );
    const [first] = bad;
    if (!first) return null;
    const others = bad.slice(1).map(({ id }) => id);
    const more =
      others.length > 0 ? ` (and ${others.slice(0, 5).join(', ')}${others.length > 5 ? ', ...' : ''})` : '';
    return `link ${first.id} is faulty and ignored${more}: ${FAULTS_EXPLAINED[first.fault]}`;
  }
}
