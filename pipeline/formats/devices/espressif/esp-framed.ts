/**
 * Buffers of an ESP32 in frames that begin with 0x43534921, one or more per datagram or consecutively in a
 * stream. Bytes: docs/formats/espressif.md.
 */
import type { EspField } from './esp-carriers.js';
import { unknownBuffer } from './esp-unknown.js';
import { ESP_CLOCK, fillField } from './esp-values.js';
import { frameFormat, type ReadFault, type ReadFrame } from '../../decoder/frame-decoder.js';
import { recordingOf, type FileFormat, type Format } from '../../contract/format.js';
import { RecordCutter, type RecordKind } from '../../containers/record-cutter.js';
import { viewOf } from '../../../base/view-of.js';

/** Frames belong to the link whose `sender` is the address that the datagram came from, or `*`. */
export const espFramed: Format = frameFormat(
  { format: 'esp-framed', sequenceBits: 32, read: readFrames },
  'Buffers of an ESP32 in frames with the magic number 0x43534921.',
  (record) => record.length >= 4 && viewOf(record).getUint32(0, true) === MAGIC,
);

/** A file of such frames. Event time is the ESP32's own clock (since it was started), counted from 1970. */
export const espFramedFile: FileFormat = {
  name: 'esp-framed-file',
  summary: 'Consecutive frames with the magic number 0x43534921.',
  recognise: (head) => {
    const length = head.length < HEADER_BYTES ? 0 : lengthAt(viewOf(head), 0);
    return length > 0 && length <= head.length && espFramed.recognise(head.subarray(0, length));
  },
  open: recordingOf(espFramed, () => new RecordCutter(FRAMES)),
};

const MAGIC = 0x43534921;
/** u32 magic, u32 timestamp, u16 length. */
const HEADER_BYTES = 10;
/** The largest buffer has 612 bytes. */
const MAX_BODY_BYTES = 1024;

/** Bytes of the frame at `at`; 0 if none begins there. */
function lengthAt(view: DataView, at: number): number {
  if (view.getUint32(at, true) !== MAGIC) return 0;
  const body = view.getUint16(at + 8, true);
  return body > 0 && body <= MAX_BODY_BYTES ? HEADER_BYTES + body : 0;
}

function readFrames(record: Uint8Array): readonly ReadFrame[] | ReadFault {
  const view = viewOf(record);
  const frames: ReadFrame[] = [];
  for (let at = 0; at < record.length;) {
    if (at + HEADER_BYTES > record.length)
      return { fault: 'truncated', reason: `truncated in the header at byte ${at}` };
    const length = lengthAt(view, at);
    if (length === 0) return { fault: 'unknown_magic', reason: `no frame begins at byte ${at}` };
    if (at + length > record.length)
      return { fault: 'truncated', reason: `the frame at byte ${at} has ${length} bytes` };
    const frame = frameOf(record.subarray(at + HEADER_BYTES, at + length), view.getUint32(at + 4, true));
    if ('fault' in frame) return frame;
    frames.push(frame);
    at += length;
  }
  return frames.length > 0 ? frames : { fault: 'truncated', reason: 'it is empty' };
}

function frameOf(body: Uint8Array, stamp: number): ReadFrame | ReadFault {
  const buffer = unknownBuffer(Int8Array.from(body));
  if (!buffer)
    return { fault: 'carriers', reason: `${body.length} bytes: no frame of an ESP32 has this number` };
  return { sequence: null, rssi: NaN, noise: NaN, deviceTime: stamp, ...buffer };
}

const FRAMES: RecordKind = {
  name: 'esp-framed',
  headerBytes: HEADER_BYTES,
  lengthAt,
  clock: ESP_CLOCK,
  stampAt: (view, at) => view.getUint32(at + 4, true),
};

/** The inverse of the decoder. */
export function encodeFramed(
  stamp: number,
  pairs: number,
  parts: readonly { readonly field: EspField; readonly values: ArrayLike<number> }[],
): Uint8Array {
  const numbers = new Int8Array(2 * pairs);
  for (const { field, values } of parts) fillField(numbers, field, values);
  const out = new Uint8Array(HEADER_BYTES + numbers.length);
  const view = viewOf(out);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, stamp, true);
  view.setUint16(8, numbers.length, true);
  out.set(new Uint8Array(numbers.buffer), HEADER_BYTES);
  return out;
}
