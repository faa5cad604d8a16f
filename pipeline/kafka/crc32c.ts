/** The polynomial of Castagnoli, reflected. */
const POLYNOMIAL = 0x82f63b78;

/** Row `n` has the remainder of each byte with `n` zero bytes behind it: [8, 256]. */
const TABLE = (() => {
  const table = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
    table[byte] = rest;
  }
  for (let at = 256; at < table.length; at++) {
    const before = table[at - 256]!;
    table[at] = (before >>> 8) ^ table[before & 0xff]!;
  }
  return table;
})();

/** CRC-32C of RFC 3720, which Kafka's batches have; eight bytes at a time. */
export function crc32c(bytes: Uint8Array): number {
  const end = bytes.length - (bytes.length % 8);
  let crc = -1;
  let at = 0;
  for (; at < end; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      TABLE[1792 + (crc & 0xff)]! ^
      TABLE[1536 + ((crc >>> 8) & 0xff)]! ^
      TABLE[1280 + ((crc >>> 16) & 0xff)]! ^
      TABLE[1024 + (crc >>> 24)]! ^
      TABLE[768 + bytes[at + 4]!]! ^
      TABLE[512 + bytes[at + 5]!]! ^
      TABLE[256 + bytes[at + 6]!]! ^
      TABLE[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = TABLE[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
