import { setImmediate as nextTurn } from 'node:timers/promises';
import { unstamped } from './checksum.js';
import { damagedState, hasChecksums, HEADER, readHeader } from './header.js';
import { Damage } from './pages.js';
import { ROOT_TABLE, verify } from './verify.js';

/** How long the check blocks the event loop at a time, milliseconds. */
const TURN_MS = 5;

/** Checks a whole state store. @throws Error `state.corrupt`, saying what is damaged, what the file held and what to do */
export function checkMdb(file: string): void {
  const steps = check(file);
  while (!steps.next().done);
}

/** As {@link checkMdb}, in turns: a large store takes seconds. */
export async function checkMdbInTurns(file: string): Promise<void> {
  const steps = check(file);
  for (let since = performance.now(); !steps.next().done;) {
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}

function* check(file: string): Generator<void, void> {
  let layout: unknown;
  let values = 0;
  const damaged: string[] = [];
  try {
    yield* verify(file, (table, key, value) => {
      if (table === ROOT_TABLE && key.toString() === HEADER) layout = readHeader(file, value).version;
      else {
        values++;
        if (!unstamped(table, key, value) && damaged.length === 0) damaged.push(table);
      }
    });
  } catch (error) {
    if (error instanceof Damage) throw damagedState(file, error.message, error);
    throw error;
  }
  if (layout === undefined && values > 0) throw damagedState(file, 'its header is missing');
  // A store of an earlier csiflow has no checksums; it is given them at the first start.
  const [table] = damaged;
  if (table !== undefined && hasChecksums(layout))
    throw damagedState(file, `a value of the table ${table} is damaged`);
}
