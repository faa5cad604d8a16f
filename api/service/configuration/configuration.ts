import type { Clock, Logger } from '../../../pipeline/component/index.js';
import type { CheckedTopology, LoadResult } from '../../../pipeline/config/index.js';
import { hashOf } from '../../../pipeline/config/topology/hash.js';
import { adjustablePart } from '../../../pipeline/runtime/take-over.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { adjustAll, Beside, type Bases } from './beside.js';
import type { Facts, Field, FieldInput, FieldUse, Value } from './field.js';
import { FIELDS, isFact, sameValue, useOf } from './fields.js';
import { problemOf, RefusedError, tryOver, whyNot, type Refusal } from './refusals.js';
import { storedConfiguration, type Revision, type StoredConfiguration } from './stored.js';

/** Number of stored revisions; the newest ones are retained. */
const MAX_REVISIONS = 100;

export interface Change {
  readonly changed: readonly Field[];
  /** Fields that were not changed because the topology has nothing to apply them. */
  readonly idle: readonly { readonly field: Field; readonly missing: string }[];
  /** Changes not yet applied to the running topology. */
  readonly requiresRestart: boolean;
  /** Microseconds. */
  readonly at: number;
}

export interface ConfigurationOptions {
  readonly main: RunningTopology;
  /** Topologies beside it, subject to its privacy. Default: none. */
  readonly others?: () => readonly RunningTopology[];
  readonly stateFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly facts: Facts;
}

/**
 * The configuration of the deployment: values of fields that override the main topology's file, stored in the
 * state folder. Both forms of the service interface are views of it.
 */
export class Configuration {
  readonly #options: ConfigurationOptions;
  readonly #file: StoredConfiguration;
  readonly #bases: Bases = new WeakMap();
  readonly #beside: Beside;

  /** @throws RefusedError if the topologies cannot meet the promised privacy */
  constructor(options: ConfigurationOptions) {
    this.#options = options;
    this.#file = storedConfiguration(options.stateFolder);
    this.#beside = new Beside(() => options.others?.() ?? [], this.#bases);
    if (this.#own.size > 0) options.main.adjust(this.over(options.main.topology));
    adjustAll(this.#beside.held(options.main.next));
  }

  /**
   * A topology with the configuration's values; values without effect are skipped and logged.
   * @throws RefusedError if it could not meet the promised privacy
   */
  over(base: CheckedTopology): CheckedTopology {
    const { topology, idle } = this.#over(base, this.#own);
    const broken = idle.filter(({ field, received }) => field.isPromise && received === true);
    if (broken.length > 0) throw new RefusedError(broken);
    for (const { field, message } of idle)
      this.#options.log.warn('a field of the configuration has no effect', {
        field: field.name,
        why: message,
      });
    return topology;
  }

  /** A newly loaded topology beside the main one, with the main one's privacy, which is a promise of the deployment. */
  besideLoaded(loaded: LoadResult): LoadResult {
    return this.#beside.loaded(this.#options.main.next, loaded);
  }

  /**
   * A newly loaded version of the main topology with the configuration's values. Values that it cannot apply,
   * and promises that it or the other topologies cannot meet, become problems of the file.
   */
  overLoaded(loaded: LoadResult): LoadResult {
    const { topology, problems } = loaded;
    if (!topology) return loaded;
    try {
      const over = this.over(topology);
      this.#beside.held(over);
      return { ...loaded, topology: over };
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return { problems: [...problems, problemOf(error, topology)] };
    }
  }

  /**
   * Applies it to the topology again. While a new file was being applied, the configuration may have changed
   * on top of the old one, and the new one has the values of its loading; another topology may also have been
   * added. Values that cannot be applied for that reason are logged as errors, because the change is already
   * made.
   */
  renew(): void {
    const { main } = this.#options;
    this.#orLogged(() => {
      const topology = this.over(this.#base);
      if (topology.hash !== main.next.hash) main.adjust(topology);
    });
    for (const other of this.#beside.others)
      this.#orLogged(() => {
        adjustAll(this.#beside.held(main.next, [other]));
      });
  }

  #orLogged(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#options.log.error('a topology cannot meet the promised privacy: change it, or stop it', {
        why: error.message,
      });
    }
  }

  /** The current values, or those of the next start if they require one. */
  value(field: Field): Value {
    return this.#read(field, {
      topology: this.#options.main.next,
      own: this.#own,
      facts: this.#options.facts,
    });
  }

  /** What a field accepts and does in this topology. */
  use(field: Field): FieldUse {
    return useOf(field, this.#options.main.next);
  }

  /** The value without any `change`: that of the topology's file. */
  fallback(field: Field): Value {
    return this.#read(field, { topology: this.#base, own: new Map(), facts: this.#options.facts });
  }

  /** The environment of calls without an id. */
  get environment(): string {
    return String(this.value(FIELDS.find(({ name }) => name === 'environment_id')!));
  }

  /** Changes with the configuration, not with measured values. */
  get tag(): string {
    const { next } = this.#options.main;
    const values = FIELDS.map((field) => (isFact(field, next) ? null : this.value(field)));
    return `"${this.#file.content.revision}-${hashOf(values).slice(0, 12)}"`;
  }

  /** Newest first. */
  get history(): readonly Revision[] {
    return this.#file.content.history;
  }

  /** The fields to be changed that nothing applies. */
  idle(asked: ReadonlyMap<Field, Value>): Change['idle'] {
    const { next } = this.#options.main;
    return this.#differing(asked).flatMap(([field]) => {
      const missing = field.missing(next);
      return missing === null ? [] : [{ field, missing }];
    });
  }

  /** Whether the request changes any field. */
  differs(asked: ReadonlyMap<Field, Value>): boolean {
    return this.#differing(asked).length > 0;
  }

  /** @throws RefusedError with the fields that are invalid in any topology */
  requirePossible(asked: ReadonlyMap<Field, Value>): void {
    const refusals = this.#differing(asked).flatMap(([field, value]) => this.#refusal(field, value));
    if (refusals.length > 0) throw new RefusedError(refusals);
  }

  #differing(asked: ReadonlyMap<Field, Value>): readonly (readonly [Field, Value])[] {
    const { next } = this.#options.main;
    return [...asked].filter(([field, value]) => !sameValue(field, value, this.value(field), next));
  }

  /**
   * Sets fields, all or none; skips those that already have the value, and those without effect.
   * @throws RefusedError
   */
  change(asked: ReadonlyMap<Field, Value>, by: string): Change {
    const { next } = this.#options.main;
    const idle = this.idle(asked);
    const wanted = this.#differing(asked).filter(([field]) => field.missing(next) === null);
    this.requirePossible(new Map(wanted));
    if (wanted.length === 0)
      return { changed: [], idle, requiresRestart: false, at: this.#options.clock.now() };
    const values = new Map<string, Value | null>(
      wanted.map(([field, value]) => [field.name, this.fallback(field) === value ? null : value]),
    );
    return { ...this.#become(values, { by, action: 'change', other: null }), idle };
  }

  /** Undoes the newest change that was not undone yet; null if there is none. @throws RefusedError */
  undo(by: string): (Change & { readonly revision: number }) | null {
    const last = this.history.find(({ action, other }) => action === 'change' && other === null);
    if (!last) return null;
    const values = new Map(last.changes.map(({ name, before }) => [name, before]));
    const change = this.#become(values, { by, action: 'undo', other: last.revision });
    return { ...change, idle: [], revision: last.revision };
  }

  /** @param asked null: the value of the topology's file */
  #become(
    asked: ReadonlyMap<string, Value | null>,
    entry: Omit<Revision, 'revision' | 'changes' | 'at'>,
  ): Done {
    const { main, clock, log } = this.#options;
    const { content } = this.#file;
    const base = this.#base;
    const fields = FIELDS.filter(({ name }) => asked.has(name));
    const all = new Map<string, Value | null>([...this.#own, ...asked]);
    const own = new Map([...all].filter((pair): pair is [string, Value] => pair[1] !== null));
    const { topology, idle } = this.#over(base, own);
    const refusals = idle.filter(({ field }) => fields.includes(field));
    if (refusals.length > 0) throw new RefusedError(refusals);

    const isPrivacy = fields.some(({ name }) => name.startsWith('privacy.'));
    const held = isPrivacy ? this.#beside.held(topology) : [];

    const at = clock.now();
    const revision = content.revision + 1;
    const changes = fields.map((field) => ({
      name: field.name,
      from: this.value(field),
      to: this.#read(field, { topology, own, facts: this.#options.facts }),
      before: content.values[field.name] ?? null,
    }));
    const newest = { ...entry, revision, at: new Date(at / 1000).toISOString(), changes };
    const history = content.history.map((old) =>
      old.revision === entry.other ? { ...old, other: revision } : old,
    );
    this.#file.write({
      version: 1,
      revision,
      values: Object.fromEntries(own),
      history: [newest, ...history].slice(0, MAX_REVISIONS),
    });
    main.adjust(topology);
    adjustAll(held);
    log.info('the configuration was changed', { ...newest, changes: changes.map(({ name }) => name) });
    // A starting topology applies the adjustable part as soon as it runs.
    const running = {
      topology: adjustablePart(main.topology, main.next),
      own,
      facts: this.#options.facts,
    };
    const requiresRestart =
      fields.some((field) => this.#read(field, running) !== this.value(field)) ||
      (isPrivacy && this.#beside.anyWaits());
    return { changed: fields, requiresRestart, at };
  }

  #over(
    base: CheckedTopology,
    own: ReadonlyMap<string, Value>,
  ): { topology: CheckedTopology; idle: readonly Refusal[] } {
    const idle: Refusal[] = [];
    let topology = base;
    for (const field of FIELDS) {
      const received = own.get(field.name);
      if (received === undefined) continue;
      const why = field.missing(topology) ?? whyNot(field, received, topology);
      const written = why ?? (field.write ? tryOver(topology, field.write(received, topology)) : topology);
      if (typeof written === 'string') idle.push({ field, message: written, received });
      else topology = written;
    }
    if (topology !== base) this.#bases.set(topology, base);
    return { topology, idle };
  }

  #refusal(field: Field, received: Value): readonly Refusal[] {
    const { next } = this.#options.main;
    const message = whyNot(field, received, next);
    return message === null ? [] : [{ field, message, received }];
  }

  #read(field: Field, input: FieldInput): Value {
    return field.missing(input.topology) === null ? field.read(input) : field.absent;
  }

  get #own(): ReadonlyMap<string, Value> {
    return new Map(Object.entries(this.#file.recent.values));
  }

  get #base(): CheckedTopology {
    const { next } = this.#options.main;
    return this.#bases.get(next) ?? next;
  }
}

type Done = Omit<Change, 'idle'>;
