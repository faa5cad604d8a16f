import { join } from 'node:path';
import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock, Logger } from '../../../pipeline/component/index.js';
import {
  lacksKey,
  withOverrides,
  type CheckedTopology,
  type LoadResult,
  type Overrides,
  type Problem,
} from '../../../pipeline/config/index.js';
import { hashOf } from '../../../pipeline/config/hash.js';
import { livePart } from '../../../pipeline/runtime/take-over.js';
import type { RunningTopology } from '../../../pipeline/runtime/status.js';
import { StateFile } from '../../../pipeline/state/state-file.js';
import type { Bounds, Facts, Field, Place, Value } from './field.js';
import { FIELDS, isFact, isKept, keptSchema, sameValue } from './fields.js';
import { heldTo, UnheldError } from './privacy.js';

const closed = { additionalProperties: false } as const;
const ValueSchema = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);
const Overridden = Type.Union([ValueSchema, Type.Null()]);

const RevisionSchema = Type.Object(
  {
    revision: Type.Integer(),
    at: Type.String(),
    by: Type.String(),
    action: Type.Enum(['change', 'undo']),
    /** The revision that an `undo` takes back, or that took this one back. */
    other: Type.Union([Type.Integer(), Type.Null()]),
    changes: Type.Array(
      Type.Object({ name: Type.String(), from: ValueSchema, to: ValueSchema, before: Overridden }, closed),
    ),
  },
  closed,
);

const FileSchema = Type.Object(
  {
    version: Type.Integer(),
    revision: Type.Integer(),
    /** By field's name; what is not there is as the topology's file has it. */
    values: Type.Unsafe<Readonly<Record<string, Value>>>(
      Type.Object(
        Object.fromEntries(
          FIELDS.filter(isKept).map((field) => [field.name, Type.Optional(keptSchema(field))]),
        ),
        closed,
      ),
    ),
    history: Type.Array(RevisionSchema),
  },
  closed,
);

export type Revision = Static<typeof RevisionSchema>;

/** What of a history no call could have written, in the order of the file; null where there is nothing. */
function historyFault({ revision, history }: Static<typeof FileSchema>): string | null {
  let next = revision + 1;
  for (const [index, entry] of history.entries()) {
    const at = (place: string, why: string) => `/history/${index}/${place} ${why}`;
    if (entry.revision >= next) return at('revision', `must be less than ${next}`);
    if (!isInstant(entry.at)) return at('at', 'must be a time like 2026-01-01T00:00:00.000Z');
    const changed = entry.changes.findIndex((change) => !isPossible(change));
    if (changed >= 0)
      return at(
        `changes/${changed}`,
        `is no change of ${entry.changes[changed]!.name.slice(0, 64)} that a call could make`,
      );
    next = entry.revision;
  }
  return null;
}

const isInstant = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** What was and what became may be as the topology's file had it; an undo brings back what a call had set. */
function isPossible({ name, from, to, before }: Revision['changes'][number]): boolean {
  const field = FIELDS.find((one) => isKept(one) && one.name === name);
  if (!field) return false;
  const { absent } = field;
  return (
    typeof from === typeof absent &&
    typeof to === typeof absent &&
    (before === null || Check(keptSchema(field), before))
  );
}

/** Revisions that are kept, the newest ones. */
const MOST_REVISIONS = 100;

/** A field that cannot be what was asked. */
export interface Refusal {
  readonly field: Field;
  readonly message: string;
  readonly received: Value;
}

export class RefusedError extends Error {
  readonly refusals: readonly Refusal[];
  /** Of the problem of a topology beside the main one, where that is what cannot be as asked. */
  readonly ofOther: Problem['code'] | null;

  constructor(refusals: readonly Refusal[], ofOther: Problem['code'] | null = null) {
    super(refusals.map(({ field, message }) => `${field.name} ${message}`).join('; '));
    this.refusals = refusals;
    this.ofOther = ofOther;
  }
}

export interface Change {
  readonly changed: readonly Field[];
  /** Fields that were left as they are since the topology has nothing that they act on. */
  readonly idle: readonly { readonly field: Field; readonly missing: string }[];
  /** What was changed is not yet so in what runs. */
  readonly requiresRestart: boolean;
  /** Microseconds. */
  readonly at: number;
}

/** Topologies, and what they are to become. */
type Held = readonly (readonly [RunningTopology, CheckedTopology])[];

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
 * The configuration of the deployment: values of fields on top of the main topology's file, kept in the state folder.
 * Both forms of the service interface are views of it.
 */
export class Configuration {
  readonly #options: ConfigurationOptions;
  readonly #file: StateFile<typeof FileSchema>;
  /** What a topology was before the configuration's values were put over it. */
  readonly #bases = new WeakMap<CheckedTopology, CheckedTopology>();

  /** @throws RefusedError where the topologies cannot keep what people were promised */
  constructor(options: ConfigurationOptions) {
    this.#options = options;
    this.#file = new StateFile(join(options.stateFolder, 'configuration.json'), {
      schema: FileSchema,
      layout: 1,
      initial: { version: 1, revision: 0, values: {}, history: [] },
      fault: historyFault,
      remedy: 'put it back from a backup, or remove it: all fields are then as the topology file has them',
    });
    if (this.#own.size > 0) options.main.adjust(this.over(options.main.topology));
    adjustAll(this.#held(options.main.next));
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
    const { topology, problems } = loaded;
    if (!topology) return loaded;
    try {
      return { ...loaded, topology: this.#heldTo(this.#options.main.next, topology) };
    } catch (error) {
      if (!(error instanceof UnheldError)) throw error;
      const message = `the configuration's privacy holds for it too, and ${error.message}`;
      return { problems: [...problems, problemAt(error.code, message, topology)] };
    }
  }

  get #others(): readonly RunningTopology[] {
    return this.#options.others?.() ?? [];
  }

  #heldTo(promises: CheckedTopology, base: CheckedTopology): CheckedTopology {
    const topology = heldTo(promises, base);
    if (topology !== base) this.#bases.set(topology, base);
    return topology;
  }

  /** The others as the privacy of a topology has them; adjusts none. @throws RefusedError naming one that cannot be so */
  #held(promises: CheckedTopology, others = this.#others): Held {
    try {
      return others.map((other) => [
        other,
        this.#heldTo(promises, this.#bases.get(other.next) ?? other.next),
      ]);
    } catch (error) {
      if (!(error instanceof UnheldError)) throw error;
      const { message, code } = error;
      const name = promises.settings.privacy?.anonymizeData ? 'anonymize_data' : 'enable_encryption';
      const field = FIELDS.find((one) => one.name === `privacy.${name}`)!;
      throw new RefusedError([{ field, message, received: true }], code);
    }
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
      this.#held(over);
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
    for (const other of this.#others)
      this.#orLogged(() => {
        adjustAll(this.#held(main.next, [other]));
      });
  }

  #orLogged(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.#options.log.error('a topology cannot keep what people were promised: change it, or stop it', {
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
    const held = isPrivacy ? this.#held(topology) : [];

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
      history: [newest, ...history].slice(0, MOST_REVISIONS),
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
      (isPrivacy && this.#othersWait());
    return { changed: fields, requiresRestart, at };
  }

  /** One of the others runs with another privacy than it will with its next start. */
  #othersWait(): boolean {
    const settingsOf = ({ settings }: CheckedTopology) => JSON.stringify(settings.privacy ?? null);
    return this.#others.some((one) => settingsOf(one.topology) !== settingsOf(one.next));
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

  #read(field: Field, place: Place): Value {
    return field.missing(place.topology) === null ? field.read(place) : field.absent;
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

function adjustAll(held: Held): void {
  for (const [running, topology] of held) if (topology.hash !== running.next.hash) running.adjust(topology);
}

/** Of a promise that the main topology, or one beside it, cannot keep. */
function problemOf({ message, ofOther }: RefusedError, topology: CheckedTopology): Problem {
  if (ofOther !== null)
    return problemAt(ofOther, `its privacy holds for all topologies, and ${message}`, topology);
  const code = lacksKey(topology.settings) ? 'config.privacy.key' : 'config.privacy.anonymity';
  return problemAt(code, `the configuration is laid over it, and ${message}`, topology);
}

const problemAt = (code: Problem['code'], message: string, { id, file }: CheckedTopology): Problem => ({
  code,
  severity: 'error',
  message,
  suggestion: null,
  docs: 'docs/errors.md',
  file: file ?? id,
  line: 1,
  column: 1,
  length: 1,
});

/** Why a field that has something to act on cannot be so; null where it can. */
function whyNot(field: Field, received: Value, topology: CheckedTopology): string | null {
  const why = field.fixed?.(topology) ?? field.refuse?.(received, topology) ?? null;
  if (why !== null || typeof received !== 'number' || field.missing(topology) !== null) return why;
  const { minimum = -Infinity, maximum = Infinity } = field.bounds?.(topology) ?? {};
  if (received > maximum) return `must be <= ${maximum} in the topology ${topology.id}`;
  return received < minimum ? `must be >= ${minimum} in the topology ${topology.id}` : null;
}

/** What keeps a topology from taking a change, in words. */
function tryOver(topology: CheckedTopology, overrides: Overrides): CheckedTopology | string {
  try {
    return withOverrides(topology, overrides);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
