import type { Static, TObject } from 'typebox';
import type { Context } from './context.js';
import type { Role, SettingAnswers } from './settings.js';

/**
 * One file holds one component: its configuration's schema with descriptions, defaults and examples, then its
 * behaviour. The TypeScript type, validation, error messages, the JSON schema for editors, the docs page and
 * `csiflow create` all derive from the schema.
 */
export interface Definition<N extends string, S extends TObject> {
  /** kebab-case; sources and sinks are nouns, operators verbs. */
  readonly name: N;
  /** One sentence. */
  readonly summary: string;
  /** Markdown: when to use it, what it does, gotchas, sources. */
  readonly description?: string;
  /** Every field with a description; a default if there is a sensible one; units in the names (`_ms`, `_bytes`, `_hz`). */
  readonly config: S;
  /** Complete configurations (without `type` and `from`), each valid. */
  readonly examples: readonly { readonly title: string; readonly config: Partial<Static<S>> }[];
  /**
   * Rules that a schema cannot express (one field against another). Pure: no I/O. Each complaint names the
   * field by its path in the node's configuration, [] for the whole.
   */
  readonly check?: (config: Static<S>) => readonly Complaint[];
  /**
   * Resources that a node of this configuration uses exclusively. Relative paths are resolved against
   * `folder`. Pure.
   */
  readonly claims?: (config: Static<S>, folder: string) => readonly Claim[];
  /**
   * What its configuration means beyond its text, because files that it names hold code or a model. Reads them;
   * executes nothing. Called when a topology is checked, if it may name them. Relative paths are resolved against
   * `folder`.
   */
  readonly contents?: (config: Static<S>, folder: string) => Contents;
  /**
   * Fields that its saved state depends on. If another field changes (a threshold), the node continues with
   * its state. Default: all fields.
   */
  readonly stateFields?: readonly (string & keyof Static<S>)[];
  /** Adjustable fields: a running node applies them immediately, by `adjust`. They must not be in `stateFields`. */
  readonly liveFields?: readonly (string & keyof Static<S>)[];
  /** Settings of the deployment that its nodes follow; `PUT /config` changes all nodes that do. */
  readonly settings?: SettingAnswers<string & keyof Static<S>>;
  /** Measures that it writes, each with its unit; those that its configuration names are not in it. */
  readonly writes?: readonly MeasureFact[];
  /** What it is to the rest of the system, such as status pages and calibration. */
  readonly role?: Role;
}

/** A measure that a component writes, for docs/data-dictionary.md. */
export interface MeasureFact {
  readonly name: string;
  /** `s`, `dBm`, `1/min`; empty for shares and numbers of things. */
  readonly unit: string;
  /** What its subject is, one or several. */
  readonly of: readonly ('environment' | 'link' | 'zone' | 'person' | 'velocity')[];
  /** How often, as a phrase: `a minute`, `a window`. */
  readonly every: string;
  readonly about: string;
}

/** What only one node of a process can use: a port, a file, a name at a broker. */
export interface Claim {
  /** As shown to people and compared: `UDP port 5005`. Never holds a secret. */
  readonly what: string;
  /** Set if only a part is used, such as one address. Default: the whole. */
  readonly part?: string;
  /** The configuration field that names it. */
  readonly field: string;
}

export interface Complaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Which part of the text at `path` is wrong, in UTF-16 units; default: the whole value. */
  readonly span?: { readonly start: number; readonly length: number };
  /** What to write instead. */
  readonly suggestion?: string;
  /** Dotted code; default `config.value.invalid`. */
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
}

/** What files that a configuration names say. */
export interface Contents {
  readonly complaints: readonly ContentComplaint[];
  /** Changes when they do: the node then counts as changed. Absent: it counts as the same. */
  readonly hash?: string;
}

/** A complaint about a file, or about a part of it. */
export interface ContentComplaint extends Complaint {
  readonly at?: {
    /** Absolute. */
    readonly file: string;
    /** From 1. */
    readonly line: number;
    /** From 1, in UTF-16 units. */
    readonly column: number;
  };
}

/** What `hostFault` or `urlFault` found, as a complaint about the field that holds it. */
export const hostComplaints = (path: Complaint['path'], fault: string | undefined): readonly Complaint[] =>
  fault === undefined ? [] : [{ path, message: fault, code: 'config.value.host' }];

export type ErasedFields = 'create' | 'check' | 'claims' | 'contents' | 'examples';

export interface Erased<I> {
  readonly examples: readonly { readonly title: string; readonly config: object }[];
  readonly check?: (config: never) => readonly Complaint[];
  readonly claims?: (config: never, folder: string) => readonly Claim[];
  readonly contents?: (config: never, folder: string) => Contents;
  readonly create: (config: never, context: Context) => I;
}
