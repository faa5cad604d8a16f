import type { AnyOperator, AnySink, AnySource, Component } from './define.js';

export type Kind = Component['kind'];

/** The components that topologies may name. Only api/main.ts and tests know all of them. */
export class Registry {
  readonly #components = new Map<string, Component>();

  constructor(components: readonly Component[] = []) {
    for (const component of components) this.add(component);
  }

  /** @throws Error where the name is taken. */
  add(component: Component): this {
    if (this.#components.has(component.name)) throw new Error(`two components are named ${component.name}`);
    this.#components.set(component.name, component);
    return this;
  }

  get(name: string): Component | undefined {
    return this.#components.get(name);
  }

  source(name: string): AnySource | undefined {
    const found = this.get(name);
    return found?.kind === 'source' ? found : undefined;
  }

  operator(name: string): AnyOperator | undefined {
    const found = this.get(name);
    return found?.kind === 'operator' ? found : undefined;
  }

  sink(name: string): AnySink | undefined {
    const found = this.get(name);
    return found?.kind === 'sink' ? found : undefined;
  }

  /** In order of kind (source, operator, sink), then of name. */
  list(kind?: Kind): readonly Component[] {
    const order: readonly Kind[] = ['source', 'operator', 'sink'];
    return [...this.#components.values()]
      .filter((component) => kind === undefined || component.kind === kind)
      .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.name.localeCompare(b.name));
  }
}
