import type { State } from '../component/index.js';

/** Clock of a cutter that had none: it trusts its next timestamp. */
const clock = (last = -1, time = 0) => ({ last, time, doubted: -1, run: 0 });

/**
 * States of cutters in checkpoints of 0.1.0, before cutters checked timestamps and looked behind damage: a
 * run that was stopped within a recording resumes.
 */
const UPGRADES: Readonly<Record<string, (state: never) => State>> = {
  capture: () => ({ lost: -1 }),
  'intel5300-log': ({ last, time }: { last: number; time: number }) => ({
    clock: clock(last, time),
    lost: -1,
  }),
  'esp32-serial-log': ({ line, last, offset }: { line: number; last: number; offset: number }) => ({
    line,
    clock: clock(last, (last + offset) * 1000),
  }),
  'adr018-jsonl': (state: object) => ({ ...state, clock: clock() }),
};

/** The state of a cutter of this kind of file, in its current form. */
export function upgradedCutter(kind: string, state: State): State {
  const isOfNow = typeof state === 'object' && state !== null && ('clock' in state || 'lost' in state);
  return isOfNow ? state : (UPGRADES[kind]?.(state as never) ?? state);
}
