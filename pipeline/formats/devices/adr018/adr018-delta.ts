/**
 * A frame that a node has compressed relative to an earlier one, little-endian:
 *
 * `0 u32 magic 0xC5110005 | 4 u8 node | 5 u8 channel | 6 u16 length of the frame | 8 u16 length of the payload |
 * 10 payload`.
 *
 * The payload is the pairs of the frame XOR those of its reference, as (value, number of repeats, 1 to 255). The
 * packet does not say which frame the reference is: see docs/decisions/0115-compressed-packets-are-decoded.md.
 */
export const COMPRESSED_MAGIC = 0xc5110005;
export const COMPRESSED_HEADER_BYTES = 10;

export interface Compressed {
  readonly node: number;
  readonly channel: number;
  /** Length of the pairs of the frame. */
  readonly rawBytes: number;
  readonly payload: Uint8Array;
}

export const decodeCompressed = (view: DataView): Compressed => ({
  node: view.getUint8(4),
  channel: view.getUint8(5),
  rawBytes: view.getUint16(6, true),
  payload: new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice(COMPRESSED_HEADER_BYTES),
});

export function encodeCompressed({ node, channel, rawBytes, payload }: Compressed): Uint8Array {
  const bytes = new Uint8Array(COMPRESSED_HEADER_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, COMPRESSED_MAGIC, true);
  view.setUint8(4, node);
  view.setUint8(5, channel);
  view.setUint16(6, rawBytes, true);
  view.setUint16(8, payload.length, true);
  bytes.set(payload, COMPRESSED_HEADER_BYTES);
  return bytes;
}

/** The difference that `payload` states, or null if it is not `length` bytes long. */
export function readDelta(payload: Uint8Array, length: number): Uint8Array | null {
  if (payload.length % 2 !== 0 || deltaBytes(payload) !== length) return null;
  const delta = new Uint8Array(length);
  for (let at = 0, to = 0; at < payload.length; at += 2) {
    const end = to + payload[at + 1]!;
    delta.fill(payload[at]!, to, end);
    to = end;
  }
  return delta;
}

/** Number of bytes of the difference that `payload` states. */
function deltaBytes(payload: Uint8Array): number {
  let length = 0;
  for (let at = 1; at < payload.length; at += 2) length += payload[at]!;
  return length;
}

/** The payload of a difference, as the firmware writes it. */
export function writeDelta(delta: Uint8Array): Uint8Array {
  const payload: number[] = [];
  for (let at = 0; at < delta.length;) {
    let run = 1;
    while (run < LONGEST_RUN && delta[at + run] === delta[at]) run++;
    payload.push(delta[at]!, run);
    at += run;
  }
  return Uint8Array.from(payload);
}

/** The difference of two frames of one length; or a frame, from the other and their difference. */
export const xor = (one: Uint8Array, other: Uint8Array): Uint8Array =>
  one.map((byte, at) => byte ^ other[at]!);

const LONGEST_RUN = 255;
