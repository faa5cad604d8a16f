import { stackText } from '../pipeline/base/error-text.js';
import { EXIT } from '../pipeline/base/exit.js';
import type { Log } from '../pipeline/telemetry/log.js';

/**
 * Logs an error that nothing catches, such as one that a plugin throws in a timer, and ends the process with 1: what
 * threw it may be in any state. Returns a function that stops it.
 */
export function endOnStrayErrors(log: Log): () => void {
  const end = (error: unknown): void => {
    log.error(
      'an error outside of all calls of csiflow ends the process. It comes most likely from a plugin, in a timer, an event handler or a promise that nothing awaits: handle it there, as the stack shows. Accepted data is kept, and the next start continues from the last checkpoint',
      { error: stackText(error) },
    );
    process.exit(EXIT.failed);
  };
  // Node reports rejections that nothing handles here, too.
  process.on('uncaughtException', end);
  return () => process.off('uncaughtException', end);
}
