import type { AnyOperator, AnySource, Component } from './define.js';
import type { AnySink } from './sink.js';
import { PORTS } from '../model/index.js';
import { SETTINGS, type SettingName } from './settings.js';

export type Kind = Component['kind'];

/** In the order in which data passes them. */
export const KINDS: readonly Kind[] = ['source', 'operator', 'sink'];

/** Fields of a node that belong to the topology, so no component's configuration may have them. */
export const RESERVED_FIELDS: readonly string[] = ['type', 'from', 'queue', 'enabled'];

/**
 * The components that topologies may name. A name is unique within its kind: there is a source `file` and a
 * sink `file`, distinguished by the section of the node. Only api/components.ts and tests know all of them.
 */
export class Registry {
  readonly #components = new Map<string, Component>();

  constructor(components: readonly Component[] = []) {
    for (const component of components) this.add(component);
  }

  /**
   * @throws Error if the kind already has that name or it is none, for an unknown port, if the configuration
   * has a reserved field, if an adjustable field belongs to its state, or if `maxInFlight` is not a function.
   */
  add(component: Component): this {
    checkName(component);
    checkPorts(component);
    const key = keyOf(component.kind, component.name);
    if (this.#components.has(key)) throw new Error(`two ${component.kind}s are named ${component.name}`);
    const reserved = RESERVED_FIELDS.find((field) => Object.hasOwn(component.config.properties, field));
    if (reserved)
      throw new Error(`${component.name} has a field ${reserved}, which is reserved for the topology`);
    checkAdjustableFields(component);
    checkSettings(component);
    checkMaxInFlight(component);
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

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Names are in topologies, in addresses of pages, and in labels of metrics. */
function checkName({ kind, name }: Component): void {
  if (!NAME.test(name))
    throw new Error(
      `the ${kind} \`${name}\` needs another name: lower-case letters, digits and single hyphens, such as \`my-${kind}\``,
    );
}

/** @throws Error for a port that no record has: nothing would ever pass it */
function checkPorts(component: Component): void {
  const { name } = component;
  for (const field of ['inputs', 'outputs'] as const) {
    const ports: readonly string[] =
      (component as Partial<Record<typeof field, readonly string[]>>)[field] ?? [];
    const unknown = ports.find((port) => !(PORTS as readonly string[]).includes(port));
    if (unknown !== undefined)
      throw new Error(`${name}: there is no port \`${unknown}\`; \`${field}\` can name ${PORTS.join(', ')}`);
  }
}

/** A field that changes while the node runs must not decide whether a checkpoint fits. */
function checkAdjustableFields({ name, liveFields = [], stateFields }: Component): void {
  const bound = liveFields.find((field) => stateFields?.includes(field) ?? true);
  if (bound !== undefined)
    throw new Error(`${name}: the field ${bound} of liveFields must not be in stateFields`);
}

/** @throws Error for an unknown setting, or a field that the component does not have */
function checkSettings({ name, kind, settings = {}, config }: Component): void {
  for (const [setting, answer] of Object.entries(settings)) {
    if (!SETTINGS.includes(setting as SettingName))
      throw new Error(`${name}: there is no setting ${setting}; known: ${SETTINGS.join(', ')}`);
    const field = typeof answer === 'string' ? answer : answer.field;
    if (field === 'enabled' && kind === 'source')
      throw new Error(`${name}: ${setting} cannot be answered by enabled: sources cannot be switched off`);
    if (field !== 'enabled' && !Object.hasOwn(config.properties, field))
      throw new Error(`${name}: ${setting} is answered by ${field}, which its configuration does not have`);
  }
}

/** @throws Error unless it is a function: the compiler finds that in TypeScript, but not in a compiled module */
function checkMaxInFlight(component: Component): void {
  if (component.kind === 'operator' && component.asynchronous !== undefined)
    requireFunction(component, 'asynchronous.maxInFlight', component.asynchronous.maxInFlight);
  if (component.kind === 'sink' && component.maxInFlight !== undefined)
    requireFunction(component, 'maxInFlight', component.maxInFlight);
}

function requireFunction({ name }: Component, field: string, given: unknown): void {
  if (typeof given === 'function') return;
  const example = typeof given === 'number' ? given : 4;
  throw new Error(
    `${name}: \`${field}\` must be a function of the configuration, such as \`() => ${example}\``,
  );
}

const keyOf = (kind: Kind, name: string): string => `${kind} ${name}`;
