import { portsOf } from '../../component/index.js';
import type { Port } from '../../model/index.js';
import type { DraftNode } from './nodes.js';

/** Output ports of the nodes of a topology: for some operators they follow from the inputs. */
export class GivenPorts {
  readonly #nodes: ReadonlyMap<string, DraftNode>;
  readonly #known = new Map<string, readonly Port[]>();

  constructor(nodes: ReadonlyMap<string, DraftNode>) {
    this.#nodes = nodes;
  }

  of({ id, component, config, from }: DraftNode): readonly Port[] {
    if (!component) return [];
    if (component.kind !== 'operator' || !component.gives || !config) return portsOf(component, config);
    const known = this.#known.get(id);
    if (known) return known;
    // In a cycle, the node itself counts as having all possible outputs.
    this.#known.set(id, component.outputs);
    const taken = new Set(
      from.flatMap((reference) => {
        const upstream = this.#nodes.get(reference.id);
        return upstream ? this.of(upstream).filter((port) => component.inputs.includes(port)) : [];
      }),
    );
    const given = portsOf(component, config, [...taken]);
    this.#known.set(id, given);
    return given;
  }
}
