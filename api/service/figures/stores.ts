import { isStore } from '../../../pipeline/component/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';

/** A store that does not answer within this time counts as offline. */
const PATIENCE_MS = 2_000;

/** Current state of a store of the main topology. */
export interface StoreHealth {
  readonly node: string;
  /** Round-trip time of the smallest query, milliseconds; null without an answer. */
  readonly milliseconds: number | null;
}

/** Nodes of a topology whose data can be queried, including those never opened. */
export function storesOf({ topology, readers }: RunningTopology): readonly string[] {
  const declared = topology.nodes
    .filter(({ component, config }) => isStore(component, config))
    .map(({ id }) => id);
  return [...new Set([...declared, ...readers.keys()])];
}

/** Checks each store of a topology. */
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
    // The log and the topology's status give the reason: the sink writes to the same store.
    return await Promise.race([reader.ping().catch(() => null), late]);
  } finally {
    clearTimeout(timer);
  }
}
