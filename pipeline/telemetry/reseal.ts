import type { Log } from './log.js';

/** Logs that a store is rewritten; a warning if that removes its encryption. */
export function tellReseal(
  log: Pick<Log, 'info' | 'warn'>,
  what: string,
  becomes: 'encrypted' | 'clear',
): void {
  if (becomes === 'encrypted') log.info('unencrypted data is rewritten, encrypted', { what });
  else log.warn('encrypted data is rewritten unencrypted, because encryption was switched off', { what });
}
