import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pause } from '../../base/backoff.js';
import { filesMatching, inNaturalOrder, isFilePattern } from '../../base/file-pattern.js';
import type { Clock } from '../../component/index.js';
import { nextGeneration, pathOf } from './generations.js';
import { GrowingFile } from './growing-file.js';
import type { FileSettings } from './settings.js';
import type { FilePosition, Step, StepHost } from './steps.js';

/** Receives the messages of a follower, besides those of other readers of files. */
export interface FollowHost extends StepHost {
  readonly clock: Clock;
  readonly info: (message: string) => void;
  /** Called with the reason why nothing is read at the moment; with null when that is over. */
  readonly problem: (problem: string | null) => void;
}

/**
 * Reads files as they grow, as `tail -F` does: a replaced file is read to its end, and then the new one from
 * its start; a truncated file is read from its start again. With a pattern, the reader moves on to the next
 * file in natural order.
 */
export class Follower {
  readonly #settings: FileSettings;
  readonly #pattern: string;
  readonly #host: FollowHost;
  /** With a pattern: files before this one have been read. */
  #floor = '';
  /** The host has been notified of it. */
  #opened: GrowingFile | undefined;

  constructor(settings: FileSettings, folder: string, host: FollowHost) {
    this.#settings = settings;
    this.#pattern = resolve(folder, settings.path);
    this.#host = host;
  }

  /** Ends when the host's signal aborts. */
  async *steps(from: FilePosition): AsyncGenerator<Step, void> {
    const { signal } = this.#host;
    let file = await this.#resumed(from);
    try {
      for (let begun: number | undefined; !signal.aborted;) {
        file ??= await this.#first();
        const next = file && (await this.#successor(file));
        if (file) yield* this.#stepsOf(file, next?.end ?? 'open', begun);
        if (next) {
          await file!.close();
          file = next.file;
          begun = next.begun;
        } else await pause(this.#settings.poll_ms, signal, this.#host.clock);
      }
    } finally {
      await file?.close();
    }
  }

  async *#stepsOf(
    file: GrowingFile,
    end: Successor['end'] | 'open',
    begun: number | undefined,
  ): AsyncGenerator<Step, void> {
    const recording = await file.recording(this.#settings.format);
    if (!recording) {
      this.#host.problem(`${file.path}: it contains too little yet to recognise its kind`);
      return;
    }
    if (file !== this.#opened) this.#host.opened(recording);
    this.#opened = file;
    this.#host.problem(null);
    let before = file.position;
    for await (const batch of file.read(end)) {
      const isFirst = (before?.newest ?? null) === null && batch.raw.count > 0;
      const begins = isFirst && { begins: { at: begun ?? (await file.begunAt()) } };
      yield { recording, identity: file.identity, before, batch, pass: 0, ...begins };
      if (this.#host.signal.aborted) return;
      before = batch.position;
    }
  }

  /** The file to read after `file`, once it exists. */
  async #successor(file: GrowingFile): Promise<Successor | undefined> {
    if (await file.isRewritten()) {
      this.#host.warn(`${file.path} was truncated: it is read from its start again`);
      const again = await this.#open(file.path);
      return again && { file: again, end: 'rewritten', begun: this.#host.clock.now() };
    }
    const path = await this.#after(file);
    const next = path === undefined ? undefined : await this.#open(path);
    if (next) this.#host.info(`${file.path} was read to its end: reading continues in ${next.path}`);
    return next && { file: next, end: 'last' };
  }

  /** The path of the file after this one; undefined if there is none yet. */
  async #after(file: GrowingFile): Promise<string | undefined> {
    const [pattern, { path, identity }] = [this.#pattern, file];
    const isPattern = isFilePattern(pattern);
    const next = isPattern && filesMatching(pattern).find((one) => inNaturalOrder(one, path) > 0);
    if (next) return next;
    const current = isPattern ? path : pattern;
    const there = await stat(current, { bigint: true }).catch(() => undefined);
    if (!there || String(there.ino) === identity.inode) return undefined;
    return (await nextGeneration(current, { identity, created: await file.createdAt() })) ?? current;
  }

  async #first(): Promise<GrowingFile | undefined> {
    const isPattern = isFilePattern(this.#pattern);
    const path = isPattern
      ? filesMatching(this.#pattern).find((one) => inNaturalOrder(one, this.#floor) >= 0)
      : this.#pattern;
    const file = path === undefined ? undefined : await this.#open(path);
    if (!file)
      this.#host.problem(
        `${this.#pattern}: ${isPattern ? 'no file matches this pattern' : 'the file does not exist'} yet`,
      );
    return file;
  }

  /** The file of the position, even if it was renamed. */
  async #resumed({ file, identity, recording }: FilePosition): Promise<GrowingFile | undefined> {
    if (file === undefined || identity === undefined || recording === null) return undefined;
    const path = await pathOf(file, identity);
    if (path !== undefined) return GrowingFile.open(path, this.#settings.batch_records, recording);
    this.#host.warn(
      `${file} was replaced or truncated while it was not read: everything after byte ` +
        `${recording.offset} is lost, unless it is in a file that csiflow does not follow`,
    );
    this.#floor = file;
    return undefined;
  }

  #open(path: string): Promise<GrowingFile | undefined> {
    return GrowingFile.open(path, this.#settings.batch_records, null);
  }
}

/** The file after another one. */
interface Successor {
  readonly file: GrowingFile;
  /** What the previous file turned out to be at its end. */
  readonly end: 'last' | 'rewritten';
  /** Creation time, microseconds; omitted if the file system knows it. */
  readonly begun?: number;
}
