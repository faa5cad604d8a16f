import type { Component, Registry } from '../pipeline/component/index.js';
import {
  SECRET,
  type CheckedNode,
  type CheckedTopology,
  type Grant,
  type Hidden,
  type LoadResult,
  type Problem,
  type TopologyText,
} from '../pipeline/config/index.js';
import { compiledModule } from '../pipeline/base/paths.js';
import { hideSecret } from '../pipeline/base/secrets.js';
import { Thread, ThreadTooSlow } from './service/threads/thread.js';

/** Startup data of the thread. */
export interface CheckSettings extends Omit<Grant, 'folder'> {
  readonly plugins: readonly string[];
  /** Folder of secrets. */
  readonly secrets: string | undefined;
}

export type Question = Omit<TopologyText, 'environments'>;

/** A result from the thread. */
export interface WrittenResult {
  readonly topology:
    (Omit<CheckedTopology, 'nodes'> & { readonly nodes: readonly WrittenNode[] }) | undefined;
  readonly problems: readonly Problem[];
  readonly hidden: readonly Hidden[];
}

type WrittenNode = Omit<CheckedNode, 'component'> & Pick<Component, 'kind' | 'name'>;

/** Limit for one text; the worst megabyte takes a second or two. */
const LIMIT_MS = 10_000;

/**
 * Checks texts sent over the network, in a thread, so that a large one does not block others; a text that
 * cannot be checked in time is rejected. They can use only those host resources that the owner grants.
 */
export class TopologyChecks {
  readonly #thread: Thread<Question, WrittenResult>;
  readonly #registry: Registry;

  constructor(registry: Registry, settings: CheckSettings) {
    this.#registry = registry;
    this.#thread = new Thread(compiledModule(import.meta.url, './topology-checks.worker.js'), {
      workerData: settings,
      limitMs: LIMIT_MS,
      most: 8,
      heapMb: 512,
    });
  }

  /** @throws ThreadBusy if too many are being checked */
  async check(source: Question): Promise<LoadResult> {
    try {
      const { topology, problems, hidden } = await this.#thread.ask(source);
      // The log of this thread must not contain them either.
      for (const { text, shown } of hidden) if (shown === SECRET) hideSecret(text);
      if (!topology) return { problems };
      return {
        topology: { ...topology, nodes: topology.nodes.map((node) => this.#known(node)) },
        problems,
        hidden,
      };
    } catch (error) {
      if (error instanceof ThreadTooSlow) return { problems: [tooSlow(source.shown, error.message)] };
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #known({ kind, name, ...node }: WrittenNode): CheckedNode {
    const component = this.#registry.get(kind, name);
    if (!component) throw new Error(`the checking thread has the ${kind} ${name}, but this one does not`);
    return { ...node, component };
  }
}

const tooSlow = (file: string, why: string): Problem => ({
  ...{ file, line: 1, column: 1, length: 1 },
  code: 'config.check.too_slow',
  severity: 'error',
  message: `the text cannot be checked: ${why}`,
  suggestion: null,
  docs: 'docs/errors.md#configchecktoo_slow',
});
