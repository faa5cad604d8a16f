import { makesPoses } from '../../../pipeline/component/index.js';
import type { Data } from '../../../pipeline/model/index.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';

/** Number and total time of answered calls of the service interface. */
export class CallCount {
  calls = 0;
  milliseconds = 0;

  /** @param milliseconds from the arrival of the call until its answer is ready */
  add(milliseconds: number): void {
    this.calls++;
    this.milliseconds += milliseconds;
  }
}

export type Watch = (node: string, watcher: (record: Data) => void) => () => void;

/** Persons in the pose frames of a topology, counted live, independent of its stores. */
export class PersonCount {
  persons = 0;
  readonly #topology: Pick<RunningTopology, 'topology' | 'onChange'>;
  readonly #watch: Watch;
  readonly #unlisten: () => void;
  #watched = '';
  #unwatch: readonly (() => void)[] = [];

  constructor(topology: Pick<RunningTopology, 'topology' | 'onChange'>, watch: Watch) {
    this.#topology = topology;
    this.#watch = watch;
    this.#unlisten = topology.onChange(() => {
      this.#attach();
    });
    this.#attach();
  }

  close(): void {
    this.#unlisten();
    for (const end of this.#unwatch) end();
  }

  /** A new version of the topology may have other nodes. */
  #attach(): void {
    const nodes = lastPoses(this.#topology.topology);
    if (nodes.join() === this.#watched) return;
    for (const end of this.#unwatch) end();
    this.#watched = nodes.join();
    this.#unwatch = nodes.map((node) =>
      this.#watch(node, (record) => {
        if (record.port === 'pose') this.persons += record.persons.length;
      }),
    );
  }
}

/** Nodes whose poses are not the input of another pose operator: each frame passes one of them once. */
function lastPoses({ nodes }: RunningTopology['topology']): readonly string[] {
  const makers = nodes.filter(({ component }) => makesPoses(component));
  const read = new Set(makers.flatMap(({ inputs }) => inputs.map(({ from }) => from)));
  return makers.map(({ id }) => id).filter((id) => !read.has(id));
}
