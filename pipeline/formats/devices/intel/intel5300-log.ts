/**
 * Logs (`.dat`) of the Linux 802.11n CSI Tool: entries of a u16 big-endian length, followed by that many
 * bytes: u8 code and a body. Code 0xBB is a measurement (see intel5300.ts), 0xC1 the payload of a packet;
 * only measurements are read.
 */
import { DeviceClock, READ_AHEAD_BYTES } from '../../containers/device-clock.js';
import { recordingOf, type Cutter, type FileFormat } from '../../contract/format.js';
import { HEADER_BYTES, intel5300, MEASUREMENT, parseMeasurement, payloadBytes } from './intel5300.js';
import type { RawBuilder } from '../../contract/raw-builder.js';

/** Event time is the card's own clock, counted from 1970; see {@link DeviceClock}. */
export const intel5300Log: FileFormat = {
  name: 'intel5300-log',
  summary: 'Log (.dat) of the Linux 802.11n CSI Tool.',
  recognise: (head) => {
    const [first] = entries(head);
    return first !== undefined && (first[0] === PAYLOAD || typeof parseMeasurement(first) !== 'string');
  },
  open: recordingOf(intel5300, () => new EntryCutter()),
};

const PAYLOAD = 0xc1;

/** The entries (code and body) of a file, in order; ends at a length of 0 or a truncated last entry. */
export function* entries(file: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at + 3 <= file.length;) {
    const length = (file[at]! << 8) | file[at + 1]!;
    if (length === 0 || at + 2 + length > file.length) return;
    yield file.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
}

/** Bytes that identify an entry as a measurement: length, code and the header of the body. */
const PROBE_BYTES = 2 + 1 + HEADER_BYTES;

/**
 * True if a measurement with consistent length, antennas and CSI size begins at `at`. These are about 40
 * bits, so other bytes are not mistaken for one.
 */
function beginsMeasurement(bytes: Uint8Array, at: number): boolean {
  if (at + PROBE_BYTES > bytes.length || bytes[at + 2] !== MEASUREMENT) return false;
  const [rx, tx] = [bytes[at + 11]!, bytes[at + 12]!];
  if (rx < 1 || rx > 3 || tx < 1 || tx > 3) return false;
  const csi = bytes[at + 19]! | (bytes[at + 20]! << 8);
  return csi === payloadBytes(rx, tx) && lengthAt(bytes, at) === 1 + HEADER_BYTES + csi;
}

const lengthAt = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!;

/** Start of the first measurement in `from` to `to` (exclusive), or -1. */
function nextMeasurement(bytes: Uint8Array, from: number, to: number): number {
  const within = bytes.subarray(0, to + 2);
  for (let code = within.indexOf(MEASUREMENT, from + 2); code >= 0;) {
    if (beginsMeasurement(bytes, code - 2)) return code - 2;
    code = within.indexOf(MEASUREMENT, code + 1);
  }
  return -1;
}

/** The clock of the card wraps after 71.6 minutes; some logs repeat old measurements between new ones. */
export const CARD_CLOCK = { unit: 1, period: 2 ** 32, confirm: 32 };

/**
 * Cuts a log into its measurements, complete or not. If a measurement begins inside an entry, the entry's
 * length is damaged, and no log has entries of length 0: reading then continues at the next measurement.
 */
class EntryCutter implements Cutter {
  readonly #clock = new DeviceClock(CARD_CLOCK);
  /** Start of the damage that is being skipped; -1: none. */
  #lost = -1;

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    for (let from = 0; ;) {
      if (this.#lost >= 0) from = this.#seek(bytes, from, into, at, last);
      if (this.#lost >= 0 || into.full || from >= bytes.length) return from;
      const to = this.#take(bytes, from, into, at, last);
      if (to === from) return from;
      from = to;
    }
  }

  /** Consumes the entry at `from` and returns its end; returns `from` if more bytes are needed. */
  #take(bytes: Uint8Array, from: number, into: RawBuilder, at: number, last: boolean): number {
    const end = from + 2 + lengthAt(bytes, from);
    const { isGrowing } = into;
    if (!last && end + (isGrowing ? 0 : PROBE_BYTES) > bytes.length) return from;
    // What follows in a growing log plays no part: it may be there or not.
    const within = isGrowing ? bytes.subarray(0, end) : bytes;
    // Between two measurements that touch nothing is damaged, which saves the search of each.
    const isIntact = !isGrowing && beginsMeasurement(bytes, from) && beginsMeasurement(bytes, end);
    if (
      end === from + 2 ||
      (!isIntact && nextMeasurement(within, from + 1, Math.min(end, bytes.length)) >= 0)
    ) {
      this.#lost = at + from;
      return from + 1;
    }
    if (end > bytes.length) return cutOff(bytes.length, from, into, at);
    if (bytes[from + 2] !== MEASUREMENT) return end;
    into.begins(at + from);
    // The decoder rejects a header that contradicts itself, and the clock ignores it.
    if (!beginsMeasurement(bytes, from)) into.add(Math.max(0, into.newest), bytes, from + 2, end);
    else if (!this.#takeMeasurement(bytes, from, end, into, at, last)) return from;
    return end;
  }

  /** False if more bytes are needed. */
  #takeMeasurement(
    bytes: Uint8Array,
    from: number,
    end: number,
    into: RawBuilder,
    at: number,
    last: boolean,
  ): boolean {
    const stamp = stampAt(bytes, from);
    if (into.isLive) {
      into.add(0, bytes, from + 2, end);
      return true;
    }
    let next: number | null = null;
    if (this.#clock.asksForNext(stamp)) {
      const follower = nextMeasurement(bytes, end, Math.min(bytes.length, end + READ_AHEAD_BYTES));
      if (follower < 0 && !last && bytes.length < end + READ_AHEAD_BYTES) return false;
      if (follower >= 0) next = stampAt(bytes, follower);
    }
    const time = this.#clock.at(stamp, next);
    if (time !== null) into.add(time, bytes, from + 2, end);
    else {
      into.problem({
        code: 'intel5300.stray',
        location: `byte ${at + from}`,
        message: `the card's time ${stamp} us does not follow from the measurements before it: the measurement is skipped`,
      });
    }
    return true;
  }

  /** Searches for the measurement at which reading continues; returns the searched position. */
  #seek(bytes: Uint8Array, from: number, into: RawBuilder, at: number, last: boolean): number {
    const found = nextMeasurement(bytes, from, bytes.length);
    if (found < 0 && !last) return Math.max(from, bytes.length - PROBE_BYTES + 1);
    const to = found < 0 ? bytes.length : found;
    into.problem({
      code: 'intel5300.damaged',
      location: `byte ${this.#lost}`,
      message: `an entry is damaged: ${at + to - this.#lost} bytes are skipped, reading continues at the next measurement`,
    });
    this.#lost = -1;
    return to;
  }

  snapshot() {
    return { clock: this.#clock.snapshot(), lost: this.#lost };
  }

  restore(state: unknown): void {
    const snapshot = state as ReturnType<EntryCutter['snapshot']>;
    this.#clock.restore(snapshot.clock);
    this.#lost = snapshot.lost;
  }
}

/** Reports a truncated entry at the end of the file; all of it counts as consumed. */
function cutOff(end: number, from: number, into: RawBuilder, at: number): number {
  into.problem({
    code: 'intel5300.truncated',
    location: `byte ${at + from}`,
    message: `the file ends inside an entry: its ${end - from} bytes are skipped`,
  });
  return end;
}

/** The card's time of the measurement that begins at `at`. */
const stampAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at + 3]! | (bytes[at + 4]! << 8) | (bytes[at + 5]! << 16) | (bytes[at + 6]! << 24)) >>> 0;
