import { expect } from 'vitest';

/** vitest compares number by number: half a second for the weights of a network. Bytes that are the same need no more. */
function sameBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return undefined;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return undefined;
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0 || undefined;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

// Once for all files of a process, which share modules.
expect.addEqualityTesters([sameBytes]);
