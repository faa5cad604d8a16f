/**
 * The superblock of an HDF5 file: where its end must be.
 * Source: The HDF Group, "HDF5 File Format Specification Version 3.0", II.A.
 */
import { open } from 'node:fs/promises';

/** At the start of a superblock. */
export const SIGNATURE = '\x89HDF\r\n\x1a\n';

/** Where a superblock may be: at the start, or after a user block. MATLAB's has 512 bytes. */
export const OFFSETS = [0, 512, 1024, 2048] as const;

/** Longer than any superblock with addresses of 64 bits. */
const MOST_BYTES = 128;

/** By version of the superblock: the bytes before its addresses, and the byte that gives their size. */
const LAYOUTS: ReadonlyMap<number, { readonly addresses: number; readonly size: number }> = new Map([
  [0, { addresses: 24, size: 13 }],
  [1, { addresses: 28, size: 13 }],
  [2, { addresses: 12, size: 9 }],
  [3, { addresses: 12, size: 9 }],
]);

/** Order of the addresses: the start of the data, the free space or an extension of the superblock, the end of the file. */
const [BASE, END] = [0, 2];

/** Where an HDF5 file is truncated, by its superblock; null if it is not. */
export async function hdf5Truncation(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const most = Math.max(...OFFSETS) + MOST_BYTES;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, 0);
    const head = buffer.subarray(0, bytesRead);
    const start = OFFSETS.find((at) => head.toString('latin1', at, at + SIGNATURE.length) === SIGNATURE);
    // It may be behind a larger user block, too.
    if (start === undefined)
      return size < OFFSETS[1] + SIGNATURE.length
        ? `byte ${size}: it is truncated: HDF5's superblock is not complete`
        : null;
    const end = endOf(head.subarray(start), start);
    if (end === 'truncated')
      return `byte ${size}: it is truncated in HDF5's superblock, from byte ${start} on`;
    return end !== null && size < end ? `byte ${size}: it is truncated: ${size} bytes of ${end}` : null;
  } finally {
    await file.close();
  }
}

/**
 * The size that the whole file has; null if the superblock is of a version or size that its library judges.
 * @param start where the superblock is: a user block may have been put before it, or removed, since it was written
 */
function endOf(block: Buffer, start: number): number | 'truncated' | null {
  const version = block[SIGNATURE.length];
  if (version === undefined) return 'truncated';
  const layout = LAYOUTS.get(version);
  if (!layout) return null;
  const bytes = block[layout.size];
  if (bytes === undefined) return 'truncated';
  if (bytes !== 4 && bytes !== 8) return null;
  const address = (index: number): number => {
    const at = layout.addresses + index * bytes;
    return bytes === 8 ? Number(block.readBigUInt64LE(at)) : block.readUInt32LE(at);
  };
  if (block.length < layout.addresses + (END + 2) * bytes) return 'truncated';
  return address(END) + start - address(BASE);
}
