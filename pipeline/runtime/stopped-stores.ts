import { isStore, type Reader, type Sink } from '../component/index.js';
import { Nodes, type NodesOptions } from './nodes/nodes.js';
import { asError, errorText } from '../base/error-text.js';
import { named } from './nodes/node-error.js';

/** After this time without a query the stores are closed, so that other programs can open their files. */
const IDLE_MS = 60_000;

/**
 * Stores of a stopped topology, opened for reading by the first query, until a minute without queries or the
 * start of the topology. Steps run one after another, because a file must never be open twice.
 */
export class StoppedStores {
  readonly #options: () => NodesOptions;
  #opened: ReadonlyMap<string, Sink> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** @param options of the topology at the time of a query */
  constructor(options: () => NodesOptions) {
    this.#options = options;
  }

  /** Rejects if there are stores and none of them can be opened. */
  readers(): Promise<ReadonlyMap<string, Reader>> {
    return this.#inOrder(async () => {
      this.#opened ??= await openStores(this.#options());
      this.#closeWhenIdle();
      return new Map([...this.#opened].map(([id, sink]) => [id, sink.reader!]));
    });
  }

  close(): Promise<void> {
    return this.whileClosed(() => Promise.resolve());
  }

  /** Runs `work` while they are closed; queries wait meanwhile. */
  whileClosed(work: () => Promise<void>): Promise<void> {
    return this.#inOrder(async () => {
      clearTimeout(this.#idle);
      const opened = [...(this.#opened?.values() ?? [])];
      this.#opened = null;
      for (const sink of opened) await sink.close();
      await work();
    });
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.close().catch((error: unknown) => {
        this.#options().log.warn('a store opened for reading did not close', { error: errorText(error) });
      });
    }, IDLE_MS).unref();
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Those that can be opened: the others stay readable if one is damaged. */
async function openStores(options: NodesOptions): Promise<ReadonlyMap<string, Sink>> {
  const opened = new Map<string, Sink>();
  const nodes = new Nodes(options);
  let failed: Error | null = null;
  for (const node of nodes.of('sink')) {
    if (!isStore(node.component, node.config)) continue;
    try {
      const sink = nodes.renewSink(node.id);
      await named(node, sink.open());
      opened.set(node.id, sink);
    } catch (error) {
      failed = asError(error);
      options.log.warn('a store could not be opened for reading', { node: node.id, error: errorText(error) });
    }
  }
  if (opened.size === 0 && failed) throw failed;
  return opened;
}
