import type { Context } from '../../pipeline/component/index.js';
import type { LinkFault, LinkQuality, Window } from '../../pipeline/model/index.js';

/** Message for each fault: the problem, and what to check. */
export const FAULTS_EXPLAINED: Readonly<Record<LinkFault, string>> = {
  noise: 'its frames are noise: check its antenna, its distance, and that its sender is the one named',
  frozen: 'it repeats one frame: restart its receiver',
  silent:
    'no usable frames of it arrive: check the power and network of its devices, or restart its receiver',
  unsteady:
    'its level jumps from frame to frame: check its antenna, and that it receives only its own sender',
};

const SILENT: LinkQuality = { snrDb: NaN, fault: 'silent' };

/** State of the links, for metrics, the log and status pages, from the newest windows. */
export class LinkHealth {
  readonly #context: Context;
  /** By environment and link. */
  readonly #links = new Map<string, Map<string, LinkQuality>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds a window. A link that it neither has nor calls silent stays as it was: its frames may only be late. */
  see({ environment, links, silent }: Pick<Window, 'environment' | 'links' | 'silent'>): void {
    let changed = false;
    for (const { id, quality } of links) if (this.#set(environment, id, quality)) changed = true;
    for (const id of silent ?? []) if (this.#set(environment, id, SILENT)) changed = true;
    if (changed) this.#context.degrade(this.#problem());
  }

  /** Notes that links of an environment are silent. */
  seeSilent(environment: string, silent: readonly string[]): void {
    if (silent.length > 0) this.see({ environment, links: [], silent });
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

  /** Whether the link's fault has changed. */
  #set(environment: string, id: string, quality: LinkQuality): boolean {
    const known = this.#links.get(environment) ?? new Map<string, LinkQuality>();
    this.#links.set(environment, known);
    const before = known.get(id);
    if (before === quality) return false;
    known.set(id, quality);
    this.#measure(id, quality);
    this.#log(id, before?.fault ?? null, quality);
    return (before?.fault ?? null) !== quality.fault;
  }

  #measure(link: string, { snrDb, fault }: LinkQuality): void {
    const { metrics } = this.#context;
    metrics.gauge('link_snr_db', snrDb, { link });
    metrics.gauge('link_usable', fault === null ? 1 : 0, { link });
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
