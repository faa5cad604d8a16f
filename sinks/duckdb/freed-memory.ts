import type { DuckDBConnection } from '@duckdb/node-api';
import type { Logger } from '../../pipeline/component/index.js';
import { errorText } from '../../pipeline/base/error-text.js';

/** Between two returns, milliseconds: often enough that memory stays low, rarely enough to cost nothing. */
const EVERY_MS = 30_000;

/**
 * Returns memory that this process has freed to the system.
 *
 * The allocator of glibc keeps it, spread between what is still in use: up to 60 MB of the buffers of frames
 * and windows (docs/decisions/0161-freed-memory-is-returned.md). DuckDB tells it to return all free pages
 * (`malloc_trim`) whenever its memory limit is set, even to the same value (`BufferPool::SetLimit` in its
 * source). Where the allocator is another, setting the limit changes nothing.
 */
export class FreedMemory {
  readonly #connection: DuckDBConnection;
  readonly #limitBytes: number;
  #nextAt = -Infinity;

  constructor(connection: DuckDBConnection, limitBytes: number) {
    this.#connection = connection;
    this.#limitBytes = limitBytes;
  }

  /** Returns it if that is due. @param elapsed monotonic milliseconds */
  async step(elapsed: number, log: Pick<Logger, 'debug'>): Promise<void> {
    if (elapsed < this.#nextAt) return;
    this.#nextAt = elapsed + EVERY_MS;
    try {
      await this.#connection.run(`SET memory_limit = '${this.#limitBytes}B'`);
    } catch (error) {
      // Queries may just use all of it. What was committed before is durable, so this must not fail.
      log.debug('freed memory was not returned', { error: errorText(error) });
    }
  }
}
