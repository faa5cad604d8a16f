import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Distinguishes a file from another of the same name, and finds it again under a new one; survives JSON. */
export interface FileIdentity {
  /** Inode number; as text, because it may have 64 bits. */
  readonly inode: string;
  /** Number of leading bytes that `sum` covers. */
  readonly length: number;
  /** CRC-32. */
  readonly sum: number;
}

/** Number of leading bytes to compare: a new file may get the inode number of a deleted one. */
const COMPARED_BYTES = 1024;

export async function identityOf(file: FileHandle, length = COMPARED_BYTES): Promise<FileIdentity> {
  const { ino } = await file.stat({ bigint: true });
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return { inode: String(ino), length: bytesRead, sum: crc32(buffer.subarray(0, bytesRead)) };
}

/** True if the file is the known one, possibly longer by now. */
export async function isSameFile(file: FileHandle, known: FileIdentity): Promise<boolean> {
  const { inode, length, sum } = await identityOf(file, known.length);
  return inode === known.inode && length === known.length && sum === known.sum;
}

/** True if as many bytes are known as can be compared. */
export const isComplete = ({ length }: FileIdentity): boolean => length === COMPARED_BYTES;
