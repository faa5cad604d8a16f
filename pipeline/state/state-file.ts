import { chownSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Static, TObject } from 'typebox';
import { Value } from 'typebox/value';
import { checkLayout } from './version.js';
import { writeNamed } from '../base/files.js';
import { holderOf, lockFile } from '../base/file-lock.js';
import { makeOwnFolder } from '../base/folders.js';
import { errorCode, codedError } from '../base/error-text.js';

export interface StateFileOptions<S extends TObject> {
  /** With `version`, which is incremented with each change that an earlier csiflow could not read. */
  readonly schema: S;
  readonly layout: number;
  /** The content before anything was written. */
  readonly initial: Static<S>;
  /** The first fault that the schema cannot express, as `/path what is wrong`; null: none. Default: no such check. */
  readonly fault?: (content: Static<S>) => string | null;
  /** How to repair a damaged file. */
  readonly remedy: string;
}

/** A change takes milliseconds: a process that holds the lock for longer hangs. */
const LOCK_MS = 2_000;
const LOCK_PAUSE_MS = 5;

/**
 * A JSON file that only its owner can read. It is read again when another process has changed it, so that the
 * command line can manage accounts of a running csiflow, and several csiflow can share them.
 */
export class StateFile<S extends TObject> {
  readonly #file: string;
  readonly #options: StateFileOptions<S>;
  #content: Static<S>;
  /** Identifies a version of the file. */
  #seen: string;
  #locked = false;
  /** See {@link recent}. */
  #isFresh = false;
  /** False if an earlier csiflow wrote the file, or if it was edited by hand. */
  #hasChecksum = true;

  /** @throws Error `state.newer`, `state.older` or `state.corrupt`, naming the file, if it cannot be read. */
  constructor(file: string, options: StateFileOptions<S>) {
    this.#file = file;
    this.#options = options;
    makeOwnFolder(dirname(file));
    this.#seen = stampOf(file);
    this.#content = this.#read();
    if (!this.#hasChecksum) this.#addChecksum();
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
   * The content as of this turn of the event loop, to answer calls: those that arrive together share one look at the
   * file. Within {@link exclusively}, the content itself.
   */
  get recent(): Static<S> {
    if (this.#isFresh && !this.#locked) return this.#content;
    // An error of a damaged file is for each call.
    const { content } = this;
    if (!this.#isFresh) setImmediate(() => (this.#isFresh = false));
    this.#isFresh = true;
    return content;
  }

  /**
   * Runs `change`, which reads the content and writes it, while other processes wait: no change is lost.
   * @throws Error `lock.held` naming the process that holds the file for longer than any change takes;
   * `lock.unsupported`
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

  /** Atomic, also if the power fails. */
  write(content: Static<S>): void {
    // Named after this process: the command line may write beside a running csiflow.
    const part = `${this.#file}.${process.pid}.part`;
    const text = JSON.stringify({ ...content, [CHECKSUM]: checksumOf(content) }, null, 2);
    writeNamed(part, text, { mode: 0o600, flush: true });
    leaveToOwner(part, dirname(this.#file));
    const stamp = stampOf(part);
    renameSync(part, this.#file);
    this.#content = content;
    this.#seen = stamp;
    this.#hasChecksum = true;
  }

  #addChecksum(): void {
    try {
      this.exclusively(() => {
        this.write(this.content);
      });
    } catch (error) {
      // Each writer of the file adds it.
      if (!/^(EROFS|EACCES|EPERM)$/.test(errorCode(error))) throw error;
    }
  }

  #read(): Static<S> {
    const { schema, layout, initial, fault } = this.#options;
    if (!existsSync(this.#file)) return initial;
    const stored = parse(this.#text());
    if (typeof stored === 'object' && stored !== null && 'version' in stored)
      checkLayout(this.#file, stored.version, layout);
    const { content, checksum } = parted(stored);
    const wrong = Value.Check(schema, content) ? (fault?.(content) ?? null) : pathOf(schema, content);
    if (wrong !== null) throw this.#damaged(wrong);
    // A damaged name would hide its value, including the checksum.
    const strange = Object.keys(content as object).find((name) => !(name in schema.properties));
    if (strange !== undefined) throw this.#damaged(`/${strange} is not known`);
    if (checksum !== undefined && checksum !== checksumOf(content))
      throw this.#damaged('its checksum does not match; to edit the file by hand, remove that line');
    this.#hasChecksum = checksum !== undefined;
    return content as Static<S>;
  }

  #text(): string {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch (error) {
      // A folder: the system's error names no file.
      if (errorCode(error) === 'EISDIR') throw this.#damaged('it is a folder');
      throw error;
    }
  }

  #damaged(wrong: string): Error {
    const path = wrong === '' ? '' : ` (${wrong})`;
    return codedError('state.corrupt', `${this.#file} is damaged${path}: ${this.#options.remedy}`);
  }
}

/** The last field of each file. */
const CHECKSUM = 'checksum';

/** Checksum of the content, regardless of its white space. */
const checksumOf = (content: unknown): string => crc32(JSON.stringify(content)).toString(16).padStart(8, '0');

function parted(stored: unknown): { readonly content: unknown; readonly checksum: unknown } {
  if (typeof stored !== 'object' || stored === null) return { content: stored, checksum: undefined };
  const { [CHECKSUM]: checksum, ...content } = stored as Readonly<Record<string, unknown>>;
  return { content, checksum };
}

/** Where the first fault is and what is expected, without the actual value, which may be a secret. */
function pathOf(schema: TObject, content: unknown): string {
  if (content === undefined) return '';
  const [first] = Value.Errors(schema, content);
  if (!first) return '';
  const why = first.keyword === 'boolean' ? 'is unknown' : first.message;
  return `${first.instancePath || 'the whole file'} ${why}`;
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

/** Distinguishes versions of a file, whatever its name. */
function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.mtimeNs} ${found.size}` : '';
}

/**
 * Without this, the account that csiflow runs under could no longer read a file that root wrote by the
 * command line.
 */
function leaveToOwner(file: string, folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

/** Undefined if the text is not JSON. The parser's own message would repeat part of the file. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
