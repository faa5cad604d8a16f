import { locationText, type State } from '../../../component/index.js';
import { encodePairs } from './adr018-frame.js';
import { encodeFeatures, encodeVitals } from './adr018-packets.js';
import { ASSUMED_MHZ } from './adr018.js';
import { DeviceClock } from '../../containers/device-clock.js';
import { LongLine } from '../../containers/long-line.js';
import type { Cutter, FileFormat } from '../../contract/format.js';
import type { RawBuilder } from '../../contract/raw-builder.js';
import { errorText } from '../../../base/error-text.js';

/**
 * ruvnet/RuView's recordings of ADR-018 nodes: one JSON object per datagram. They lack the header of raw
 * frames, so it is rebuilt from the known values: node, bins and time. Unknown are the frequency (assumed:
 * channel 6, the firmware's default), RSSI and noise (sent as 0, read as unknown; the file's `rssi` of raw
 * frames is a byte of the sequence number), and the sequence number itself: frames are numbered per node in
 * the order of the file, so frames lost before the recording do not appear as loss. Feature packets have
 * their original numbers. Clocks of the nodes stay 0. Lines without a payload (compressed frames) are
 * skipped, with a message.
 */
export const adr018Jsonl: FileFormat = {
  name: 'adr018-jsonl',
  summary: "RuView's recordings of ADR-018 nodes: JSON lines whose frames lack their header.",
  recognise: (head) => {
    const text = new TextDecoder().decode(head.subarray(0, 4096));
    return /^\s*\{/.test(text) && /"magic"\s*:\s*"0x[Cc]511/.test(text) && /"node_id"\s*:/.test(text);
  },
  open: () => ({
    format: 'adr018',
    start: 0,
    origin: 'replay',
    meta: { assumed_mhz: ASSUMED_MHZ },
    cutter: new JsonlCutter(),
  }),
};

/** Times of day, microseconds; packets of several nodes may be slightly out of order. */
const RECORDER_CLOCK = { unit: 1, confirm: 3, slack: 1_000_000, absolute: true };

class JsonlCutter implements Cutter {
  readonly #clock = new DeviceClock(RECORDER_CLOCK);
  readonly #decoder = new TextDecoder();
  #line = 1;
  readonly #longLine = new LongLine('jsonl.line', 'a recording');
  /** Next number of each node's raw frames. */
  readonly #sequences: number[] = new Array<number>(256).fill(0);

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    let from = 0;
    while (!into.full && from < bytes.length) {
      let end = bytes.indexOf(NEWLINE, from);
      const whole = end >= 0;
      if (!whole) {
        if (!last) {
          if (!this.#longLine.holds(bytes.length - from)) return from;
          this.#longLine.skip(into, locationText(at + from, 'line', this.#line));
          return bytes.length;
        }
        end = bytes.length;
      }
      if (!this.#longLine.isOpen)
        this.#takeLine(this.#decoder.decode(bytes.subarray(from, end)), into, at + from, !whole);
      this.#longLine.isOpen = false;
      this.#line++;
      from = whole ? end + 1 : end;
    }
    return from;
  }

  snapshot() {
    return {
      line: this.#line,
      sequences: [...this.#sequences],
      clock: this.#clock.snapshot(),
      isTooLong: this.#longLine.isOpen,
    };
  }

  restore(state: State): void {
    // Checkpoints of 0.5.0 and before have no mark of a long line.
    const { line, sequences, clock, isTooLong } = state as Omit<
      ReturnType<JsonlCutter['snapshot']>,
      'isTooLong'
    > & { readonly isTooLong?: boolean };
    this.#line = line;
    this.#longLine.isOpen = isTooLong ?? false;
    this.#clock.restore(clock);
    for (const [node, sequence] of sequences.entries()) this.#sequences[node] = sequence;
  }

  #takeLine(text: string, into: RawBuilder, byte: number, unfinished: boolean): void {
    if (text.trim() === '') return;
    const location = locationText(byte, 'line', this.#line);
    const line = parse(text);
    if (typeof line === 'string') {
      const code = unfinished ? 'jsonl.truncated' : 'jsonl.line';
      const message = unfinished ? 'the file ends inside a line: it was truncated' : `${line}; skipped`;
      into.problem({ code, location, message });
      return;
    }
    const datagram = this.#datagram(line);
    if (typeof datagram === 'string') {
      into.problem({ code: 'jsonl.packet', location, message: datagram });
      return;
    }
    const time = into.isLive ? 0 : this.#clock.at(Math.round(line.timestamp * 1e6));
    if (time !== null) {
      into.begins(byte, 'line', this.#line);
      into.add(time, datagram);
    } else {
      const message = `the timestamp ${line.timestamp} does not follow from the lines before it; skipped`;
      into.problem({ code: 'jsonl.stray', location, message });
    }
  }

  /** The datagram from which the line was made, or why it cannot be rebuilt. */
  #datagram(line: Line): Uint8Array | string {
    if (line.type === 'raw_csi') return this.#frame(line);
    if (line.type === 'vitals') return vitals(line);
    if (line.type === 'feature') return features(line);
    return `a packet of type ${line.type ?? line.magic ?? 'unknown'} whose content is not in the file; skipped`;
  }

  #frame(line: Line): Uint8Array | string {
    const { iq_hex: hex, subcarriers: bins, node_id: node } = line;
    if (typeof hex !== 'string' || typeof bins !== 'number')
      return 'a frame without iq_hex or subcarriers; skipped';
    if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) return 'iq_hex is not hexadecimal; skipped';
    const pairs = Buffer.from(hex, 'hex');
    const sequence = this.#sequences[node]!;
    this.#sequences[node] = (sequence + 1) % 2 ** 32;
    // Antennas times bins: the decoder rejects invalid values.
    const frame = { node, bins: bins & 0xffff, mhz: ASSUMED_MHZ, sequence, rssi: NaN, noise: NaN };
    return encodePairs(frame, pairs);
  }
}

const NEWLINE = 0x0a;

interface Line extends Readonly<Record<string, unknown>> {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly node_id: number;
  readonly type?: string;
  readonly magic?: string;
}

/** The line's object, or its fault. */
function parse(text: string): Line | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON (${errorText(error)})`;
  }
  if (typeof value !== 'object' || value === null) return 'not a JSON object';
  const { timestamp, node_id: node } = value as Record<string, unknown>;
  if (typeof timestamp !== 'number' || !(timestamp >= 0 && timestamp < 1e11))
    return 'no timestamp in seconds';
  if (typeof node !== 'number' || !Number.isInteger(node) || node < 0 || node > 255)
    return 'no node_id from 0 to 255';
  return value as Line;
}

function vitals(line: Line): Uint8Array | string {
  const fields = ['flags', 'breathing_bpm', 'heartrate_bpm', 'n_persons', 'motion_energy', 'presence_score'];
  const [flags, breathing, heart, persons, motion, presence] = fields.map((field) => line[field]) as number[];
  if (fields.some((field) => typeof line[field] !== 'number'))
    return 'vitals without all of their numbers; skipped';
  const rssi = line['rssi'];
  return encodeVitals({
    node: line.node_id,
    presence: (flags! & 1) !== 0,
    fall: (flags! & 2) !== 0,
    moving: (flags! & 4) !== 0,
    breathingBpm: breathing!,
    heartBpm: heart!,
    rssi: typeof rssi === 'number' && rssi < 0 ? rssi : NaN,
    persons: persons!,
    motion: motion!,
    presenceScore: presence!,
    milliseconds: 0,
  });
}

function features(line: Line): Uint8Array | string {
  const { features: values, seq } = line;
  if (!Array.isArray(values) || typeof seq !== 'number') return 'features without values or seq; skipped';
  return encodeFeatures({
    node: line.node_id,
    sequence: seq & 0xffff,
    microseconds: 0n,
    values: values.map(Number),
  });
}
