import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { openDevice } from '../../../pipeline/sources/serial/device.js';
import { InputError } from '../../../pipeline/sources/serial/byte-input.js';
import { untilStopped } from '../until-stopped.js';

/** How much of a stream is read, and how. */
export interface StreamLimits {
  readonly seconds: number;
  /** Bits per second of a serial device. */
  readonly baud: number;
}

/** A file needs no more to be inspected. */
const MAX_BYTES = 268_435_456;
/** Time between two looks for the writer of a named pipe, milliseconds. */
const WRITER_MS = 50;
const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** True for what is read as it comes: standard input, a pipe, a device. */
export async function isStream(what: string): Promise<boolean> {
  if (what === '-') return true;
  const found = await stat(what).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * Runs `use` on a temporary file with what a stream sends until it ends, or the limits are reached.
 * @throws CommandError if it cannot be opened, or nothing arrives
 */
export async function withSpooled<T>(
  what: string,
  limits: StreamLimits,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-stream-'));
  try {
    const path = join(folder, 'stream');
    await fill(path, what, limits);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fill(path: string, what: string, { seconds, baud }: StreamLimits): Promise<void> {
  const stop = untilStopped(seconds);
  const file = await open(path, 'w', 0o600);
  let size = 0;
  try {
    do {
      size = await copy(what, baud, stop.signal, (bytes) => file.appendFile(bytes));
      // The writer of a named pipe may come later.
      if (size === 0 && !STDIN.has(what)) await sleep(WRITER_MS);
    } while (size === 0 && !STDIN.has(what) && !stop.signal.aborted);
  } catch (error) {
    throw error instanceof InputError ? new CommandError(error.message, EXIT.invalid) : error;
  } finally {
    await file.close();
    stop.release();
  }
  if (size === 0) throw new CommandError(`nothing arrived from ${what} within ${seconds} s`, EXIT.failed);
  if (stop.signal.aborted || size >= MAX_BYTES)
    process.stderr.write(
      `csiflow: ${what} has not ended: its first ${size} bytes are evaluated (--seconds sets how long it is read)\n`,
    );
}

/** Copies a stream until it ends or the signal aborts. Returns the number of bytes. */
async function copy(
  what: string,
  baud: number,
  signal: AbortSignal,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  const input = STDIN.has(what) ? standardInput() : await openDevice(what, baud);
  const close = () => void input.close();
  signal.addEventListener('abort', close, { once: true });
  let size = 0;
  try {
    for await (const bytes of input.bytes) {
      await write(bytes);
      size += bytes.length;
      if (size >= MAX_BYTES || signal.aborted) break;
    }
  } catch (error) {
    // Closing it ends its iteration with an error.
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', close);
    await input.close();
  }
  return size;
}

const standardInput = () => ({
  bytes: process.stdin as AsyncIterable<Buffer>,
  close: () => {
    process.stdin.destroy();
    return Promise.resolve();
  },
});
