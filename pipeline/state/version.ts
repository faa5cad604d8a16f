import { packageVersion } from '../base/paths.js';
import { codedError } from '../base/error-text.js';

/** How an error directs its reader to the documentation. */
const HELP = 'see docs/operating.md, "Upgrades"';

/**
 * Checks that this program can use data in layout `found`. Each stored file counts its own layouts.
 * @param what the file, as an error names it
 * @param by csiflow's version that wrote it, if the file states it
 * @throws Error `state.newer`, `state.older`, or `state.corrupt` if it is not a layout number
 */
export function checkLayout(what: string, found: unknown, current: number, by?: string): void {
  if (found === current) return;
  const writer = by === undefined ? '' : ` ${by}`;
  const own = `this one, ${packageVersion()}, uses layout ${current}`;
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 0)
    throw codedError('state.corrupt', `${what} does not state its layout: restore a backup, or move it away`);
  if (found > current)
    throw codedError(
      'state.newer',
      `${what} was written by a newer csiflow${writer} (layout ${found}; ${own}): run that version, or restore a backup made by this one; ${HELP}`,
    );
  throw codedError(
    'state.older',
    `${what} was written by an older csiflow${writer} (layout ${found}; ${own}), and this version cannot read it: use the older version, or move the file away to start without it; ${HELP}`,
  );
}
