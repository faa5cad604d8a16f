/**
 * UDP stream of francescopace/espectre (`csi_streamer.py`), one frame per datagram. Bytes:
 * docs/formats/espressif.md.
 */
import { htLtfOf64, type EspField } from './esp-carriers.js';
import { espParts, fillField } from './esp-values.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import type { Format } from '../../contract/format.js';
import { viewOf } from '../../../base/view-of.js';

/** Frames belong to the link whose `sender` is the address that the datagram came from, or `*`. */
export const espectre: Format = frameFormat(
  { format: 'espectre', sequenceBits: 8, read: readDatagram },
  'Datagrams of ESPectre nodes (ESP32, HT-LTF of 64 carriers).',
  (record) => record.length >= 2 && viewOf(record).getUint16(0, true) === MAGIC,
);

const MAGIC = 0x4353;
const PAIRS = 64;
/** u16 magic, u8 chip, u8 flags, u8 sequence, u16 carriers. */
const HEADER_BYTES = 7;
/** Older firmware: u16 magic, u8 carriers, u8 sequence. */
const OLD_HEADER_BYTES = 4;
const BODY_BYTES = 2 * PAIRS;
/** C5 and C6: carriers ascend. */
const ASCENDING_CHIPS = [5, 6];

function readDatagram(record: Uint8Array): ReadFrame | ReadFault {
  const view = viewOf(record);
  if (record.length < OLD_HEADER_BYTES) return { fault: 'truncated', reason: 'shorter than its header' };
  if (view.getUint16(0, true) !== MAGIC)
    return { fault: 'unknown_magic', reason: 'it does not start with the bytes 53 43' };
  const isOld = record.length === OLD_HEADER_BYTES + BODY_BYTES;
  const start = isOld ? OLD_HEADER_BYTES : HEADER_BYTES;
  if (record.length !== start + BODY_BYTES)
    return { fault: 'length', reason: `${record.length} bytes: a frame of 64 carriers has 135 (older: 132)` };
  const carriers = isOld ? view.getUint8(2) : view.getUint16(5, true);
  const chip = isOld ? 0 : view.getUint8(2);
  if (carriers !== PAIRS || chip > 6)
    return {
      fault: 'value',
      reason: `${carriers} carriers of chip ${chip}: supported are 64, of chips 0 to 6`,
    };
  const pairs = new Int8Array(record.buffer, record.byteOffset + start, BODY_BYTES).slice();
  return {
    sequence: view.getUint8(isOld ? 3 : 4),
    rssi: NaN,
    noise: NaN,
    bits: 8,
    parts: espParts(pairs, [espectreField(chip, pairs)], {
      channel: 0,
      secondary: null,
      firstWordInvalid: false,
    }),
  };
}

/** The field of a frame. The positions of the guards reveal the order of an unknown chip. */
const espectreField = (chip: number, pairs: Int8Array): EspField =>
  htLtfOf64(
    chip === 0 ? null : ASCENDING_CHIPS.includes(chip),
    (pair) => pairs[2 * pair] === 0 && pairs[2 * pair + 1] === 0,
  );

/** The inverse of the decoder. */
export function encodeEspectre(
  frame: { readonly chip: number; readonly gainLocked?: boolean; readonly sequence: number },
  values: ArrayLike<number>,
): Uint8Array {
  const pairs = new Int8Array(BODY_BYTES);
  fillField(
    pairs,
    htLtfOf64(ASCENDING_CHIPS.includes(frame.chip), () => true),
    values,
  );
  const out = new Uint8Array(HEADER_BYTES + BODY_BYTES);
  const view = new DataView(out.buffer);
  view.setUint16(0, MAGIC, true);
  view.setUint8(2, frame.chip);
  view.setUint8(3, frame.gainLocked === true ? 1 : 0);
  view.setUint8(4, frame.sequence);
  view.setUint16(5, PAIRS, true);
  out.set(new Uint8Array(pairs.buffer), HEADER_BYTES);
  return out;
}
