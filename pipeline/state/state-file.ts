import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Static, TObject } from 'typebox';
import { Value } from 'typebox/value';
import { checkLayout, stateError } from './version.js';
import { holderOf, lockFile } from '../base/file-lock.js';
import { makeOwnFolder } from '../base/folders.js';

export interface StateFileOptions<S extends TObject> {
  /** With `version`, which counts up with each change that an earlier csiflow could not read. */
  readonly schema: S;
  readonly layout: number;
  /** What the file says before anything was written. */
  readonly initial: Static<S>;
  /** The first fault that the schema cannot tell of, as `/place what is wrong`; null: there is none. Default: there is none. */
  readonly fault?: (content: Static<S>) => string | null;
  /** How to mend a damaged file. */
  readonly remedy: string;
}

/** A change takes milliseconds: who holds the lock for longer hangs. */
const LOCK_MS = 2_000;
const LOCK_PAUSE_MS = 5;

/**
 * A JSON file that its owner alone can read. It is read again when another process has changed it, so that the command
 * line can manage accounts of a running csiflow, and several csiflow can share them.
 */
export class StateFile<S extends TObject> {
  readonly #file: string;
  readonly #options: StateFileOptions<S>;
  #content: Static<S>;
  /** What tells one version of the file from the next. */
  #seen: string;
  #locked = false;

  /** @throws Error `state.newer`, `state.older` or `state.corrupt`, naming the file, where it cannot be read. */
  constructor(file: string, options: StateFileOptions<S>) {
    this.#file = file;
    this.#options = options;
    makeOwnFolder(dirname(file));
    this.#seen = stampOf(file);
    this.#content = this.#read();
  }

  get content(): Static<S> {
    const stamp = stampOf(this.#file);
    if (stamp !== this.#seen) {
      this.#content = this.#read();
      this.#seen = stamp;
    }
    return this.#content;
  }

  /**
   * Runs `change`, which reads the content and writes it, while no other process can do the same: neither change is lost.
   * @throws Error `lock.held` naming the process that holds the file for longer than any change takes; `lock.unsupported`
   */
  exclusively<T>(change: () => T): T {
    if (this.#locked) return change();
    const unlock = lockSoon(`${this.#file}.lock`);
    this.#locked = true;
    try {
      return change();
    } finally {
      this.#locked = false;
      unlock();
    }
  }

  /** Whole or not at all, also where the power fails. */
  write(content: Static<S>): void {
    // Of this process alone: the command line may write beside a running csiflow.
    const part = `${this.#file}.${process.pid}.part`;
    writeFileSync(part, JSON.stringify(content, null, 2), { mode: 0o600, flush: true });
    leaveToOwner(part, dirname(this.#file));
    const stamp = stampOf(part);
    renameSync(part, this.#file);
    this.#content = content;
    this.#seen = stamp;
  }

  #read(): Static<S> {
    const { schema, layout, initial, remedy, fault } = this.#options;
    if (!existsSync(this.#file)) return initial;
    const content = parse(readFileSync(this.#file, 'utf8'));
    if (typeof content === 'object' && content !== null && 'version' in content)
      checkLayout(this.#file, content.version, layout);
    const wrong = Value.Check(schema, content) ? (fault?.(content) ?? null) : placeOf(schema, content);
    if (wrong === null) return content as Static<S>;
    const place = wrong === '' ? '' : ` (${wrong})`;
    throw stateError('state.corrupt', `${this.#file} is damaged${place}: ${remedy}`);
  }
}

/** Where the first fault is, and what should be there; without what is there, which may be a secret. */
function placeOf(schema: TObject, content: unknown): string {
  if (content === undefined) return '';
  const [first] = Value.Errors(schema, content);
  if (!first) return '';
  const why = first.keyword === 'boolean' ? 'is not known' : first.message;
  return `${first.instancePath || 'the whole of it'} ${why}`;
}

function lockSoon(file: string): () => void {
  for (const end = Date.now() + LOCK_MS; ;) {
    try {
      return lockFile(file);
    } catch (error) {
      if (holderOf(error) === undefined || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
    }
  }
}

/** Tells versions of a file apart, whatever its name is. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
}

/** What root writes by the command line, the account that csiflow runs under could else not read any more. */
function leaveToOwner(file: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

/** Undefined for text that is not JSON. The parser's own words would repeat some of the file. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
