/** Buffers of an ESP32 whose record says neither chip nor channel: their length and zeros decide. */
import { LLTF_12_BIT, espFields, type EspField } from './esp-carriers.js';
import { wordsOfFrame } from './esp-lltf-bits.js';
import { espParts } from './esp-values.js';
import type { ReadFrame } from '../../decoder/frame-decoder.js';

/** What a buffer holds; undefined if no frame of an ESP32 has that many bytes. */
export function unknownBuffer(bytes: Int8Array): Pick<ReadFrame, 'parts' | 'bits'> | undefined {
  const words = wordsOfFrame(bytes);
  const fields = words ? LLTF_12_BIT : unknownFields(bytes);
  if (!fields) return undefined;
  const reading = { channel: 0, secondary: null, firstWordInvalid: false, realFirst: words !== null };
  return { bits: words ? 12 : 8, parts: espParts(words ?? bytes, fields, reading) };
}

/** The fields of a buffer of pairs of 8 bits. */
export const unknownFields = (bytes: Int8Array): readonly EspField[] | undefined =>
  bytes.length % 2 === 0
    ? espFields(
        { ...UNKNOWN, pairs: bytes.length / 2 },
        (pair) => bytes[2 * pair] === 0 && bytes[2 * pair + 1] === 0,
      )
    : undefined;

/** All that a record could say of its buffer besides its length. */
export const UNKNOWN = {
  ascending: false,
  secondary: null,
  wide: null,
  stbc: null,
  ht: null,
  filtered: false,
};
