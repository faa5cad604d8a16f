import type { Clock, Logger } from '../../../pipeline/component/index.js';
import type { CheckedTopology, LoadResult } from '../../../pipeline/config/index.js';
import { hashOf } from '../../../pipeline/config/topology/hash.js';
import { livePart } from '../../../pipeline/runtime/take-over.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { adjustAll, Beside, type Bases } from './beside.js';
import type { Bounds, Facts, Field, FieldInput, Value } from './field.js';
import { FIELDS, isFact, sameValue } from './fields.js';
import { problemOf, RefusedError, tryOver, whyNot, type Refusal } from './refusals.js';
import { storedConfiguration, type Revision, type StoredConfiguration } from './stored.js';

/** Revisions that are stored, the newest ones. */
const MAX_REVISIONS = 100;

export interface Change {
  readonly changed: readonly Field[];
  /** Fields that were left as they are since the topology has nothing that they act on. */
  readonly idle: readonly { readonly field: Field; readonly missing: string }[];
  /** What was changed is not yet so in what runs. */
  readonly requiresRestart: boolean;
  /** Microseconds. */
  readonly at: number;
}

export interface ConfigurationOptions {
  readonly main: RunningTopology;
  /** Those that run beside it, and are held to its privacy. Default: none. */
  readonly others?: () => readonly RunningTopology[];
  readonly stateFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly facts: () => Facts;
}

/**
 * The configuration of the deployment: values of fields on top of the main topology's file, stored in the state folder.
 * Both forms of the service interface are views of it.
 */
export class Configuration {
  readonly #options: ConfigurationOptions;
  readonly #file: StoredConfiguration;
  readonly #bases: Bases = new WeakMap();
  readonly #beside: Beside;

  /** @throws RefusedError where the topologies cannot hold to what people were promised */
  constructor(options: ConfigurationOptions) {
    this.#options = options;
    this.#file = storedConfiguration(options.stateFolder);
    this.#beside = new Beside(() => options.others?.() ?? [], this.#bases);
    if (this.#own.size > 0) options.main.adjust(this.over(options.main.topology));
    adjustAll(this.#beside.held(options.main.next));
  }

  /**
   * A topology with the configuration's values over it; what has no effect any more is left out and logged.
   * @throws RefusedError where it could not keep what people were promised
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

  /** What was read for a topology beside the main one, held to that one's privacy: its promises are the deployment's. */
  besideLoaded(loaded: LoadResult): LoadResult {
    return this.#beside.loaded(this.#options.main.next, loaded);
  }

  /**
   * What was read from a file for the main topology, with the configuration's values over it; what it cannot keep,
   * or promises for the others and these cannot keep, is a problem of the file.
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
   * Lays it over the topology anew. While a new file was being applied, the configuration may have been changed
   * over the old one, and the new one has it as it was when it was read. Another topology may have come, too. What
   * cannot be kept for that reason is logged as an error: the change is made already.
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
      this.#options.log.error('a topology cannot hold to what people were promised: change it, or stop it', {
        why: error.message,
      });
    }
  }

  /** What holds now, or with the next start where that has to be waited for. */
  value(field: Field): Value {
    return this.#read(field, {
      topology: this.#options.main.next,
      own: this.#own,
      facts: this.#options.facts(),
    });
  }

  /** What a field may be in this topology, where that is less than its schema says. */
  bounds(field: Field): Bounds {
    const { next } = this.#options.main;
    return field.missing(next) === null ? (field.bounds?.(next) ?? {}) : {};
  }

  /** What holds without any change by `change`: as the topology's file has it. */
  fallback(field: Field): Value {
    return this.#read(field, { topology: this.#base, own: new Map(), facts: this.#options.facts() });
  }

  /** The environment that calls without an id are about. */
  get environment(): string {
    return String(this.value(FIELDS.find(({ name }) => name === 'environment_id')!));
  }

  /** Changes with the configuration, not with what is measured. */
  get tag(): string {
    const { next } = this.#options.main;
    const values = FIELDS.map((field) => (isFact(field, next) ? null : this.value(field)));
    return `"${this.#file.content.revision}-${hashOf(values).slice(0, 12)}"`;
  }

  /** Newest first. */
  get history(): readonly Revision[] {
    return this.#file.content.history;
  }

  /** Those of the fields that are to become other than they are, and have nothing to act on. */
  idle(asked: ReadonlyMap<Field, Value>): Change['idle'] {
    const { next } = this.#options.main;
    return this.#differing(asked).flatMap(([field]) => {
      const missing = field.missing(next);
      return missing === null ? [] : [{ field, missing }];
    });
  }

  /** Whether any field is asked to be other than it is. */
  differs(asked: ReadonlyMap<Field, Value>): boolean {
    return this.#differing(asked).length > 0;
  }

  /** @throws RefusedError naming the fields that cannot be as asked, whatever the topology has */
  requirePossible(asked: ReadonlyMap<Field, Value>): void {
    const refusals = this.#differing(asked).flatMap(([field, value]) => this.#refusal(field, value));
    if (refusals.length > 0) throw new RefusedError(refusals);
  }

  #differing(asked: ReadonlyMap<Field, Value>): readonly (readonly [Field, Value])[] {
    const { next } = this.#options.main;
    return [...asked].filter(([field, value]) => !sameValue(field, value, this.value(field), next));
  }

  /**
   * Sets fields, all or none; those that are as asked already, and those without anything to act on, are left out.
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

  /** Takes the newest change back that was not taken back already; null where there is none. @throws RefusedError */
  undo(by: string): (Change & { readonly revision: number }) | null {
    const last = this.history.find(({ action, other }) => action === 'change' && other === null);
    if (!last) return null;
    const values = new Map(last.changes.map(({ name, before }) => [name, before]));
    const change = this.#become(values, { by, action: 'undo', other: last.revision });
    return { ...change, idle: [], revision: last.revision };
  }

  /** @param asked null: as the topology's file has it */
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
      to: this.#read(field, { topology, own, facts: this.#options.facts() }),
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
    // What is being started takes the live part over as soon as it runs.
    const running = {
      topology: livePart(main.topology, main.next),
      own,
      facts: this.#options.facts(),
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
    return new Map(Object.entries(this.#file.content.values));
  }

  get #base(): CheckedTopology {
    const { next } = this.#options.main;
    return this.#bases.get(next) ?? next;
  }
}

type Done = Omit<Change, 'idle'>;
