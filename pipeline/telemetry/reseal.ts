import type { Log } from './log.js';

/** Logs that a store is rewritten: a warning where that takes its encryption away. */
export function tellReseal(
  log: Pick<Log, 'info' | 'warn'>,
  what: string,
  becomes: 'encrypted' | 'clear',
): void {
  if (becomes === 'encrypted') log.info('what was stored in the clear is written anew, encrypted', { what });
  else log.warn('what was encrypted is written anew in the clear, as encryption was switched off', { what });
}
