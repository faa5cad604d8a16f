import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../pipeline/component/index.js';
import { readIfThere, writeNamed } from '../../../pipeline/base/files.js';
import { makeFolder } from '../../../pipeline/base/folders.js';

/** Figures of one minute of the clock. */
export interface Minute {
  /** Minutes since 1970. */
  readonly minute: number;
  /** Frames from the sources, per second. */
  readonly framesPerSecond: number;
  /** Median, milliseconds; 0 without poses. */
  readonly latencyMs: number;
  /** Share of all cores used by csiflow, 0 to 1. */
  readonly cpu: number;
  /** Frames from the sources in the minute. */
  readonly frames: number;
  /** Records that failed. */
  readonly failed: number;
  /** Share of the minute in which the topology ran, degraded or not. */
  readonly running: number;
}

const COLUMNS = [
  'minute',
  'framesPerSecond',
  'latencyMs',
  'cpu',
  'frames',
  'failed',
  'running',
] as const satisfies readonly (keyof Minute)[];
const WIDTH = COLUMNS.length;
const ROW_BYTES = WIDTH * 8;
/** Seven days. */
export const HISTORY_MINUTES = 7 * 24 * 60;
/** First number of the file: its type and layout. */
const MARK = 0xc51f_0001;
const FILE = 'figures.ring';

/**
 * The last seven days in minutes, in memory and in one file of fixed size: a ring with a slot for each
 * minute, after a header row. Minutes in which csiflow did not run are missing.
 */
export class History {
  readonly #rows: Float64Array;
  readonly #path: string;
  readonly #log: Logger;
  #file: FileHandle | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(stateFolder: string, log: Logger) {
    makeFolder(stateFolder);
    this.#path = join(stateFolder, FILE);
    this.#log = log;
    this.#rows = this.#read() ?? this.#begin();
  }

  /** Replaces the minute of seven days before. If csiflow was restarted in that minute, counts add up. */
  add(minute: Minute): void {
    const slot = minute.minute % HISTORY_MINUTES;
    const before = this.#at(slot);
    const same = before.minute === minute.minute;
    const counted = {
      frames: minute.frames + (same ? before.frames : 0),
      failed: minute.failed + (same ? before.failed : 0),
    };
    const row = COLUMNS.map((column) => ({ ...minute, ...counted })[column]);
    this.#rows.set(row, slot * WIDTH);
    this.#last = this.#last
      .then(() => this.#write(slot, Float64Array.from(row)))
      .catch((error: unknown) => {
        this.#log.error('a minute of figures cannot be stored', { file: this.#path, reason: String(error) });
      });
  }

  /** Minutes that begin from `start` to `end` (excluded, microseconds), oldest first. */
  range(start: number, end: number): readonly Minute[] {
    const found: Minute[] = [];
    for (let slot = 0; slot < HISTORY_MINUTES; slot++) {
      const minute = this.#rows[slot * WIDTH]!;
      if (minute > 0 && minute * MINUTE_US >= start && minute * MINUTE_US < end) found.push(this.#at(slot));
    }
    return found.sort((a, b) => a.minute - b.minute);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file?.close();
  }

  #at(slot: number): Minute {
    const row = this.#rows.subarray(slot * WIDTH, (slot + 1) * WIDTH);
    return Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])) as unknown as Minute;
  }

  async #write(slot: number, row: Float64Array): Promise<void> {
    this.#file ??= await open(this.#path, 'r+');
    await this.#file.write(Buffer.from(row.buffer), 0, ROW_BYTES, (slot + 1) * ROW_BYTES);
  }

  /** Null if there is none, or an unusable one: past figures must not prevent a start. */
  #read(): Float64Array | null {
    const bytes = readIfThere(this.#path);
    if (!bytes) return null;
    const whole = bytes.length === (HISTORY_MINUTES + 1) * ROW_BYTES && bytes.readDoubleLE(0) === MARK;
    if (!whole) {
      this.#log.warn('the history of figures has another layout or is damaged, and starts empty', {
        file: this.#path,
      });
      return null;
    }
    const rows = new Float64Array(
      bytes.buffer.slice(bytes.byteOffset + ROW_BYTES, bytes.byteOffset + bytes.length),
    );
    for (let slot = 0; slot < HISTORY_MINUTES; slot++)
      if (!isSound(rows, slot)) rows.fill(0, slot * WIDTH, (slot + 1) * WIDTH);
    return rows;
  }

  #begin(): Float64Array {
    const head = new Float64Array(WIDTH);
    head[0] = MARK;
    const rows = new Float64Array(HISTORY_MINUTES * WIDTH);
    writeNamed(this.#path, Buffer.concat([Buffer.from(head.buffer), Buffer.from(rows.buffer)]), {
      mode: 0o600,
    });
    return rows;
  }
}

export const MINUTE_US = 60_000_000;

/** A power failure may have left half of a row. */
function isSound(rows: Float64Array, slot: number): boolean {
  const row = rows.subarray(slot * WIDTH, (slot + 1) * WIDTH);
  return (
    row.every((value) => Number.isFinite(value) && value >= 0) &&
    (row[0] === 0 || row[0]! % HISTORY_MINUTES === slot)
  );
}

/**
 * At most `most` rows: means over periods of equal length, in order of time. The first minute gives the
 * period's name.
 */
export function thinned(minutes: readonly Minute[], spanMinutes: number, most: number): readonly Minute[] {
  const width = Math.max(1, Math.ceil(spanMinutes / most));
  if (width === 1) return minutes;
  const groups = new Map<number, Minute[]>();
  for (const one of minutes) {
    const group = one.minute - (one.minute % width);
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  return [...groups].map(([minute, group]) => ({ ...meanOf(group), minute }));
}

const meanOf = (group: readonly Minute[]): Minute =>
  Object.fromEntries(
    COLUMNS.map((column) => [column, group.reduce((sum, one) => sum + one[column], 0) / group.length]),
  ) as unknown as Minute;
