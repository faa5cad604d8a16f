import type { AnyOperator, AnySource, Component } from './define.js';
import type { AnySink } from './sink.js';
import { SETTINGS, type SettingName } from './settings.js';

export type Kind = Component['kind'];

/** In the order in which data meets them. */
export const KINDS: readonly Kind[] = ['source', 'operator', 'sink'];

/** Fields of a node that are the topology's, so no component's configuration may have them. */
export const RESERVED_FIELDS: readonly string[] = ['type', 'from', 'queue', 'enabled'];

/**
 * The components that topologies may name. A name is unique within its kind: there is a source `file`
 * and a sink `file`, told apart by the section that a node stands in. Only api/components.ts and tests
 * know all of them.
 */
export class Registry {
  readonly #components = new Map<string, Component>();

  constructor(components: readonly Component[] = []) {
    for (const component of components) this.add(component);
  }

  /** @throws Error where the kind has that name already, the configuration a reserved field, or a live field belongs to its state. */
  add(component: Component): this {
    const key = keyOf(component.kind, component.name);
    if (this.#components.has(key)) throw new Error(`two ${component.kind}s are named ${component.name}`);
    const reserved = RESERVED_FIELDS.find((field) => Object.hasOwn(component.config.properties, field));
    if (reserved) throw new Error(`${component.name} has a field ${reserved}, which is the topology's`);
    checkLiveFields(component);
    checkSettings(component);
    this.#components.set(key, component);
    return this;
  }

  get(kind: Kind, name: string): Component | undefined {
    return this.#components.get(keyOf(kind, name));
  }

  /** All components of that name, of any kind. */
  named(name: string): readonly Component[] {
    return KINDS.flatMap((kind) => this.get(kind, name) ?? []);
  }

  source(name: string): AnySource | undefined {
    const found = this.get('source', name);
    return found?.kind === 'source' ? found : undefined;
  }

  operator(name: string): AnyOperator | undefined {
    const found = this.get('operator', name);
    return found?.kind === 'operator' ? found : undefined;
  }

  sink(name: string): AnySink | undefined {
    const found = this.get('sink', name);
    return found?.kind === 'sink' ? found : undefined;
  }

  /** In order of kind (source, operator, sink), then of name. */
  list(kind?: Kind): readonly Component[] {
    return [...this.#components.values()]
      .filter((component) => kind === undefined || component.kind === kind)
      .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.name.localeCompare(b.name));
  }
}

/** What changes while it runs must not be what its checkpoints are bound to. */
function checkLiveFields({ name, liveFields = [], stateFields }: Component): void {
  const bound = liveFields.find((field) => stateFields?.includes(field) ?? true);
  if (bound !== undefined) throw new Error(`${name}: the live field ${bound} is not left out of stateFields`);
}

/** @throws Error for a setting that there is not, or a field that the component has not */
function checkSettings({ name, kind, settings = {}, config }: Component): void {
  for (const [setting, answer] of Object.entries(settings)) {
    if (!SETTINGS.includes(setting as SettingName))
      throw new Error(`${name}: there is no setting ${setting}; there are ${SETTINGS.join(', ')}`);
    const field = typeof answer === 'string' ? answer : answer.field;
    if (field === 'enabled' && kind === 'source')
      throw new Error(`${name}: ${setting} cannot be answered by enabled: sources cannot be switched off`);
    if (field !== 'enabled' && !Object.hasOwn(config.properties, field))
      throw new Error(`${name}: ${setting} is answered by ${field}, which its configuration does not have`);
  }
}

const keyOf = (kind: Kind, name: string): string => `${kind} ${name}`;
