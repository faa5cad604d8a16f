import { ok, wrong, type Finding } from './finding.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';

/** The first day of the year of this version: no right clock is before it. Microseconds. */
const EARLIEST = Date.UTC(2026, 0, 1) * 1000;
/** Data from this far ahead are from a clock that was ahead, microseconds. */
const AHEAD_US = 60_000_000;

const SET_CLOCK = 'set the clock (`timedatectl set-time`), or switch time synchronisation on';

/**
 * Whether the time can be right.
 * @param now microseconds since 1970
 * @param newest time of the newest data of earlier runs, microseconds; undefined: there are none
 */
export function plausibleTime(now: number, newest?: number): Finding {
  if (now < EARLIEST)
    return wrong(
      'clock',
      'failed',
      `the clock says ${isoTime(now)}, which is before this version was made`,
      SET_CLOCK,
    );
  if (newest !== undefined && newest > now + AHEAD_US)
    return wrong(
      'clock',
      'failed',
      `the clock says ${isoTime(now)}, but earlier runs wrote data at ${isoTime(newest)}`,
      `${SET_CLOCK}; if the data are ahead because the clock was, move the state folder and its stores away`,
    );
  return ok('clock', `the clock says ${isoTime(now)}`);
}

/** How far the system's clock has run from the monotonic one, as two pairs of readings tell. */
export function steadyTime(before: ClockReading, after: ClockReading, limitMs: number): Finding {
  const jump = after.wallMs - before.wallMs - (after.steadyMs - before.steadyMs);
  const seconds = ((after.steadyMs - before.steadyMs) / 1000).toFixed(1);
  return Math.abs(jump) <= limitMs
    ? ok('jumps', `the clock ran without a jump for ${seconds} s`)
    : wrong(
        'jumps',
        'failed',
        `the clock jumped by ${(jump / 1000).toFixed(1)} s within ${seconds} s: event time is re-anchored at each jump`,
        'find what sets it: two programs of time synchronisation (chrony beside systemd-timesyncd), a virtual machine that follows its host, or a script; let one of them slew it',
      );
}

/** The system's and the monotonic clock at one moment, milliseconds. */
export interface ClockReading {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export const readClocks = (): ClockReading => ({ wallMs: Date.now(), steadyMs: performance.now() });
