import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * One file, one owner. DuckDB locks its file against other processes, but with a lock that belongs to the
 * process: a second instance in the same process opens the file too, and its close drops the lock for both.
 * Rows are then lost without an error. A note beside the file keeps the threads of a process apart.
 */
export interface Ownership {
  release(): void;
}

interface Note {
  readonly pid: number;
  readonly thread: number;
  /** When the process started, milliseconds of the machine's monotonic clock: tells it from an earlier one of the same id. */
  readonly started: number;
}

/** Same process where the starts differ by less: the two clocks are read one after the other. */
const START_TOLERANCE_MS = 20;

/** Claims `path` for this thread. @throws Error where a thread of this process has it. */
export function claim(path: string): Ownership {
  const notePath = `${join(realpathSync(dirname(path)), basename(path))}.owner`;
  const mine: Note = { pid: process.pid, thread: threadId, started: processStart() };
  const found = writeNote(notePath, mine) ? undefined : readNote(notePath);
  if (found && found.pid === mine.pid && Math.abs(found.started - mine.started) < START_TOLERANCE_MS)
    throw new Error(
      `${path} is open in this process already (thread ${found.thread}). ${ASK_OWNER} Or give this node a path of its own.`,
    );
  if (found) {
    // Left by a process that was killed; a living one holds DuckDB's own lock, which the open runs into.
    if (!takeAway(notePath, found, mine) || !writeNote(notePath, mine))
      throw new Error(`${path} is being opened by another thread. ${ASK_OWNER}`);
  }
  return {
    release: () => {
      rmSync(notePath, { force: true });
    },
  };
}

/** How to get at the data of a file that somebody else owns. */
export const ASK_OWNER =
  'A DuckDB file has one owner at a time: ask the csiflow that owns it through its service interface (/pose/history), or stop it and use `csiflow export`.';

const processStart = (): number => Number(process.hrtime.bigint() / 1_000_000n) - process.uptime() * 1000;

/** Removes the note that was read, and no other: another thread may have put its own there since. False where it did. */
function takeAway(path: string, stale: Note, mine: Note): boolean {
  const aside = `${path}.${mine.pid}-${mine.thread}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  const moved = readNote(aside);
  if (moved.pid === stale.pid && moved.thread === stale.thread && moved.started === stale.started) {
    rmSync(aside);
    return true;
  }
  renameSync(aside, path);
  return false;
}

/** False where there is a note already. */
function writeNote(path: string, note: Note): boolean {
  try {
    writeFileSync(path, JSON.stringify(note), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A note that cannot be read was cut off by a kill: nobody's. */
function readNote(path: string): Note {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Note;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return { pid: 0, thread: 0, started: 0 };
    throw error;
  }
}
