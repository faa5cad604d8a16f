import type { FaultState } from '../../../pipeline/formats/decoder/faults.js';
import { numberOf } from '../number-of.js';

/** `value: 3 records, the first at evening.log: line 12 (byte 340): its rssi is not a whole number`. */
export function faultText({ fault, reason, count, first, last }: FaultState): string {
  const records = numberOf(count, 'record');
  const to = count > 1 && last !== '' ? `, the last at ${last.slice(last.lastIndexOf(': ') + 2)}` : '';
  const where = first === '' ? '' : ` ${count > 1 ? 'from' : 'at'} ${first}${to}`;
  return `${fault}: ${records}${where}: ${reason}`;
}
