import type { CheckedNode } from '../../../../pipeline/config/topology/topology.js';
import type { CsiLayout, Data, LinkTable } from '../../../../pipeline/model/index.js';

/** Number of remembered layouts per link. */
const MAX_LAYOUTS = 8;
/** Active links are heard within this time, milliseconds. */
const LISTEN_MS = 250;

/** Layouts of the running topology's links: submitted frames of a link must have the same. */
export class Layouts {
  /** By link number. */
  readonly #known = new Map<number, Map<string, CsiLayout>>();
  readonly #end: readonly (() => void)[];
  readonly #heard: Promise<void>;

  constructor(
    sources: readonly CheckedNode[],
    watch: (node: string, watcher: (record: Data) => void) => () => void,
  ) {
    this.#end = sources.map(({ id }) =>
      watch(id, (record) => {
        this.#listen(record);
      }),
    );
    this.#heard = new Promise((resolve) => setTimeout(resolve, LISTEN_MS));
  }

  /** Layouts of an active link, once it had time to send; none while it is silent. */
  async of(link: number): Promise<readonly CsiLayout[]> {
    if (!this.#known.has(link)) await this.#heard;
    return [...(this.#known.get(link)?.values() ?? [])];
  }

  close(): void {
    for (const end of this.#end) end();
  }

  #listen(record: Data): void {
    if (record.port !== 'csi') return;
    const { layout, link, count } = record;
    for (let frame = 0; frame < count; frame++) {
      const known = this.#known.get(link[frame]!);
      if (!known) this.#known.set(link[frame]!, new Map([[layout.key, layout]]));
      else if (known.size < MAX_LAYOUTS && !known.has(layout.key)) known.set(layout.key, layout);
    }
  }
}

/** `1 antenna of 52 subcarriers` */
export const shapeText = (rows: number, subcarriers: number): string =>
  `${rows} ${rows === 1 ? 'antenna' : 'antennas'} of ${subcarriers} subcarriers`;

/** Rows of `antenna_data`: one for each receive antenna and transmit stream. */
export const rowsOf = ({ rx, tx }: CsiLayout): number => rx * tx;

/** Some valid names for `router_id`. */
export function someSenders(links: LinkTable): string {
  const all = [...links].map(({ link }) => (link.sender === '*' ? link.id : link.sender));
  return all.length > 10 ? `${all.slice(0, 10).join(', ')} and ${all.length - 10} more` : all.join(', ');
}
