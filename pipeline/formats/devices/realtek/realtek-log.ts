/**
 * Output of Realtek's example on a serial port: the fields of a report, one per line, then its values as
 * words of 64 bits in hexadecimal. Each block becomes a record of `realtek-csi`. Lines:
 * docs/formats/realtek.md.
 */
import type { State } from '../../../component/index.js';
import { DeviceClock } from '../../containers/device-clock.js';
import { recordingOf, type Cutter, type FileFormat } from '../../contract/format.js';
import { latin1 } from '../../containers/line-cutter.js';
import type { RawBuilder } from '../../contract/raw-builder.js';
import { realtekCsi, realtekRecord } from './realtek-csi.js';
import { viewOf } from '../../../base/view-of.js';

/** Event time is the board's own clock (since it was started), counted from 1970. */
export const realtekCsiLog: FileFormat = {
  name: 'realtek-csi-log',
  summary: "Serial log of Realtek Ameba's example `wifi_csi`.",
  recognise: (head) => {
    const text = latin1(head);
    const start = text.indexOf(BEGIN);
    return start >= 0 && text.includes('num_sub_carrier', start);
  },
  open: recordingOf(realtekCsi, () => new BlockCutter()),
};

const BEGIN = 'csi header info:';
const END = 'raw data done';
/** The longest report takes half of it. */
const MAX_BLOCK = 65_536;

class BlockCutter implements Cutter {
  // Microseconds since the board was started, wrapping after 71.6 minutes.
  readonly #clock = new DeviceClock({ unit: 1, period: 2 ** 32, confirm: 3 });

  cut(bytes: Uint8Array, into: RawBuilder, at: number, last: boolean): number {
    const text = latin1(bytes);
    let from = 0;
    while (!into.full) {
      const begin = text.indexOf(BEGIN, from);
      // The rest may be the beginning of one.
      if (begin < 0) return last ? bytes.length : Math.max(from, bytes.length - BEGIN.length + 1);
      const body = begin + BEGIN.length;
      const next = text.indexOf(BEGIN, body);
      const block = text.slice(body, Math.min(next < 0 ? text.length : next, body + MAX_BLOCK));
      const end = block.indexOf(END);
      if (end < 0 && next < 0 && !last && block.length < MAX_BLOCK) return begin;
      const found = end >= 0 ? recordOf(block.slice(0, end)) : 'it has no end: its log was truncated';
      this.#take(found, into, at + begin);
      from = end >= 0 ? body + end + END.length : body;
    }
    return from;
  }

  snapshot() {
    return this.#clock.snapshot();
  }

  restore(state: State): void {
    this.#clock.restore(state as ReturnType<BlockCutter['snapshot']>);
  }

  #take(found: Report | string, into: RawBuilder, at: number): void {
    const problem = (code: string, message: string) => {
      into.problem({ code: `realtek-csi.${code}`, location: `byte ${at}`, message });
    };
    if (typeof found === 'string') {
      problem('damaged', `${found}; the report is skipped`);
      return;
    }
    const time = this.#clock.at(found.clock);
    if (time !== null) {
      into.begins(at);
      into.add(time, found.record);
    } else problem('stray', 'its time does not follow from the reports before it: it is skipped');
  }
}

interface Report {
  readonly clock: number;
  readonly record: Uint8Array;
}

/** Content of a block; a text with its fault if it is invalid. */
function recordOf(block: string): Report | string {
  const fields = new Map(
    [...block.matchAll(/#\s*(\w+(?:\[0\])?)\s*=\s*([^\s[]+)/g)].map(([, name, value]) => [name!, value!]),
  );
  const missing = NEEDED.find((name) => !/^-?\d{1,10}$/.test(fields.get(name) ?? ''));
  if (missing !== undefined) return `its ${missing} is not a whole number`;
  const number = (name: string): number => Number(fields.get(name));
  const mac = (fields.get('sta_mac_addr') ?? '').split(':').map((part) => parseInt(part, 16));
  if (mac.length !== 6 || !mac.every((byte) => byte >= 0 && byte <= 255))
    return 'its sta_mac_addr is not an address';
  const words = [...block.matchAll(/\[(\d+)\]0x([\da-f]{16})\b/gi)];
  const length = number('csi_data_len');
  const inOrder = words.every(([, index], i) => Number(index) === i);
  if (!inOrder || words.length !== Math.ceil(length / 8))
    return `${words.length} words of 8 bytes, not ${length} consecutive bytes`;
  // The processor is little-endian: the first byte of each word is its last pair of digits.
  const data = Buffer.concat(words.map(([, , digits]) => Buffer.from(digits!, 'hex').reverse()));
  const clock = number('timestamp');
  const report = {
    ...{ mac: Uint8Array.from(mac), clock, sequence: number('csi_sequence'), channel: number('channel') },
    ...{ width: number('bandwidth'), protocol: number('protocol_mode'), tones: number('num_sub_carrier') },
    ...{ bits: number('num_bit_per_tone'), rssi: number('rssi[0]'), isValid: number('csi_valid') === 1 },
  };
  return { clock, record: realtekRecord(report, data.subarray(0, length)) };
}

const NEEDED = (
  'timestamp csi_data_len csi_sequence channel bandwidth protocol_mode num_sub_carrier num_bit_per_tone rssi[0] ' +
  'csi_valid'
).split(' ');

/** A report as printed by the example. */
export function printRealtek(record: Uint8Array): string {
  const view = viewOf(record);
  const address = (from: number): string =>
    Array.from(record.subarray(from, from + 6), (byte) => byte.toString(16).padStart(2, '0')).join(':');
  const body = record.subarray(record[2]);
  const padded = Buffer.alloc(Math.ceil(body.length / 8) * 8);
  padded.set(body);
  const words = Array.from({ length: padded.length / 8 }, (_, i) => {
    const digits = padded
      .readBigUInt64LE(8 * i)
      .toString(16)
      .padStart(16, '0');
    return `[${String(i).padStart(2, '0')}]0x${digits}`;
  });
  const half = record[34]! / 2;
  return [
    '[CH INFO] csi header info:',
    `# sta_mac_addr     = ${address(3)}`,
    `# trigger_mac_addr = ${address(9)}`,
    `# trigger_flag     = ${record[42]}`,
    `# timestamp        = ${view.getUint32(15, true)} us`,
    `# csi_data_len     = ${body.length}`,
    `# csi_sequence     = ${view.getUint32(19, true)}`,
    `# channel          = ${record[28]}`,
    `# bandwidth        = ${record[29]}`,
    `# rx_rate          = ${record[30]}`,
    `# protocol_mode    = ${record[31]} [ofdm(0)/ht(1)/vht(2)/he(3)]`,
    `# num_sub_carrier  = ${view.getUint16(32, true)}`,
    `# num_bit_per_tone = ${record[34]} [I:${half} bits; Q:${half} bits]`,
    `# rssi[0]          = ${view.getInt8(35)} dbm`,
    '# rxsc             = 0',
    `# csi_valid        = ${record[27]}`,
    `[CH INFO] csi raw data: len = ${body.length}[${record.length}]`,
    ...words,
    '[CH INFO] raw data done!',
    '',
  ].join('\n');
}
