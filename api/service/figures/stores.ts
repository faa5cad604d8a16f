import type { RunningTopology } from '../../../pipeline/runtime/status.js';

/** A store that does not answer by then counts as away. */
const PATIENCE_MS = 2_000;

/** How a store of the main topology is now. */
export interface StoreHealth {
  readonly node: string;
  /** Round trip of the smallest query, milliseconds; null where it did not answer. */
  readonly milliseconds: number | null;
}

/** Nodes of a topology that can be read back, also those that have never been open. */
export function storesOf({ topology, readers }: RunningTopology): readonly string[] {
  const declared = topology.nodes
    .filter(({ component }) => component.kind === 'sink' && component.store === true)
    .map(({ id }) => id);
  return [...new Set([...declared, ...readers.keys()])];
}

/** Asks each store of a topology how it is. */
export const askStores = (main: RunningTopology): Promise<readonly StoreHealth[]> =>
  Promise.all(
    storesOf(main).map(async (node) => ({ node, milliseconds: await askStore(main.readers.get(node)) })),
  );

async function askStore(reader: { ping(): Promise<number> } | undefined): Promise<number | null> {
  if (!reader) return null;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => {
      resolve(null);
    }, PATIENCE_MS);
  });
  try {
    // Why it fails stands in the log and in the topology's status: the sink writes to the same store.
    return await Promise.race([reader.ping().catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
