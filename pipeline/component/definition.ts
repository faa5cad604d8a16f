import type { Static, TObject } from 'typebox';
import type { Context } from './context.js';
import type { Role, SettingAnswers } from './settings.js';

/**
 * One file holds one component: its configuration's schema with descriptions, defaults and examples,
 * then what it does. From the schema come the TypeScript type, the check, the error messages, the JSON
 * schema for editors, the docs page and `csiflow create`.
 */
export interface Definition<N extends string, S extends TObject> {
  /** kebab-case; sources and sinks are nouns, operators verbs. */
  readonly name: N;
  /** One sentence. */
  readonly summary: string;
  /** Markdown: when to use it, what it does, gotchas, sources. */
  readonly description?: string;
  /** Every field with a description; a default wherever a sensible one exists; units in the names (`_ms`, `_bytes`, `_hz`). */
  readonly config: S;
  /** Complete configurations (without `type` and `from`), each valid by the schema. */
  readonly examples: readonly { readonly title: string; readonly config: Partial<Static<S>> }[];
  /**
   * Rules that a schema cannot say (one field against another). Pure: no input or output.
   * Each complaint names the field by its path in the node's configuration, [] for the whole.
   */
  readonly check?: (config: Static<S>) => readonly Complaint[];
  /** What a node of this configuration takes for itself alone. `folder`: where relative paths start from. Pure. */
  readonly claims?: (config: Static<S>, folder: string) => readonly Claim[];
  /**
   * Fields that a snapshot of its state is only right for: where another one changes (a threshold), the node goes on
   * with the state that it has. Left out: all fields.
   */
  readonly stateFields?: readonly (string & keyof Static<S>)[];
  /** Fields that a running node takes over at once, by `adjust`; they must be left out of `stateFields`. */
  readonly liveFields?: readonly (string & keyof Static<S>)[];
  /** Settings of the deployment that its nodes answer to; `PUT /config` changes all nodes that do. */
  readonly settings?: SettingAnswers<string & keyof Static<S>>;
  /** The part of the system that status pages show it as. */
  readonly role?: Role;
}

/** What one node of a process alone can have: a port, a file, a name at a broker. */
export interface Claim {
  /** As a person is told, and compared: `UDP port 5005`. Never holds a secret. */
  readonly what: string;
  /** Where it is taken in part, such as on one address; left out: the whole of it. */
  readonly part?: string;
  /** Field of the configuration that says so. */
  readonly field: string;
}

export interface Complaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Which part of the text at `path` is wrong, in UTF-16 units; left out: the whole value. */
  readonly span?: { readonly start: number; readonly length: number };
  /** What to write instead. */
  readonly suggestion?: string;
  /** Dotted code; default `config.value.invalid`. */
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
}

/** What `hostFault` or `urlFault` found, as a complaint about the field that it stands in. */
export const hostComplaints = (path: Complaint['path'], fault: string | undefined): readonly Complaint[] =>
  fault === undefined ? [] : [{ path, message: fault, code: 'config.value.host' }];

export type ErasedFields = 'create' | 'check' | 'claims' | 'examples';

export interface Erased<I> {
  readonly examples: readonly { readonly title: string; readonly config: object }[];
  readonly check?: (config: never) => readonly Complaint[];
  readonly claims?: (config: never, folder: string) => readonly Claim[];
  readonly create: (config: never, context: Context) => I;
}
