/** The numbers in `bytes`: a view of the same memory, from their first byte to their last. */
export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
