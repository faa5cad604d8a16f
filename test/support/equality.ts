import { expect } from 'vitest';

// vitest compares element by element, through all of its matchers: half a second for the weights of a
// network. This recognises equal values immediately, and leaves different ones to vitest, which shows where.

function sameColumn(a: unknown, b: unknown): true | undefined {
  if (Array.isArray(a)) return (Array.isArray(b) && sameNumbers(a, b)) || undefined;
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return undefined;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return undefined;
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0 || undefined;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** For long lists that contain only numbers. */
function sameNumbers(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length < 1_000 || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (typeof a[i] !== 'number' || !Object.is(a[i], b[i])) return false;
  return true;
}

// Once for all files of a process, which share modules.
expect.addEqualityTesters([sameColumn]);
