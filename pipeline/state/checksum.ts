import { crc32 } from 'node:zlib';

const BYTES = 4;

/**
 * A value followed by a checksum, which covers the table and the key too: a value under another key counts as
 * damaged.
 */
export function stamped(table: string, key: Uint8Array, value: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(value.length + BYTES);
  bytes.set(value);
  bytes.writeUInt32LE(checksumOf(table, key, value), value.length);
  return bytes;
}

/** The value without its checksum; undefined if they do not match. */
export function unstamped(table: string, key: Uint8Array, bytes: Buffer): Buffer | undefined {
  const end = bytes.length - BYTES;
  if (end < 0) return undefined;
  const value = bytes.subarray(0, end);
  return checksumOf(table, key, value) === bytes.readUInt32LE(end) ? value : undefined;
}

const checksumOf = (table: string, key: Uint8Array, value: Uint8Array): number =>
  crc32(value, crc32(key, crc32(`${table}\0${key.length} `)));
